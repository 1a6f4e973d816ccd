/** The programs that are compared: what each is called, where it stands, and which file it stores in. */
const side = (name, label, database, module = `./${name}-side.mjs`) => ({ name, label, database, module })
const peer = (name, label) => side(name, label, `${name}.db`, `../peers/${name}-side.mjs`)

export const sides = [
  side('quaero', 'Quaero', 'quaero/quaero.db'),
  side('raw', 'fetch + SQLite', 'raw.db'),
  side('bare', 'bare LangGraph', 'bare.db'),
  peer('create-agent', 'createAgent'),
  peer('ai-sdk', 'AI SDK 6'),
  peer('openai-agents', 'OpenAI Agents'),
  peer('mastra', 'Mastra'),
]

/** Those that a list of names, with commas between them, names. */
export function sidesNamed(names) {
  return sides.filter(({ name }) => names.split(',').includes(name))
}

export const allNames = sides.map(({ name }) => name).join(',')
