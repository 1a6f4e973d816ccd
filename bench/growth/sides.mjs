/** The programs that are compared: what each is called, where it stands, and which file it stores in. */
const side = (name, label, database, module) => ({ name, label, database, module })
const peer = (name, label) => side(name, label, `${name}.db`, `../peers/${name}-side.mjs`)

export const sides = [
  side('quaero', 'Quaero', 'quaero/quaero.db', '../overhead/quaero-side.mjs'),
  side('raw', 'fetch + SQLite', 'raw.db', '../overhead/raw-side.mjs'),
  side('bare', 'bare LangGraph', 'bare.db', '../overhead/bare-side.mjs'),
  peer('create-agent', 'createAgent'),
  peer('ai-sdk', 'AI SDK 6'),
  peer('openai-agents', 'OpenAI Agents'),
  peer('mastra', 'Mastra'),
]

/**
 * Opens the sides over a new library of the sample papers. All search with the same function and ask the same endpoint,
 * each below a path of its own, so that the endpoint can tell their calls apart. `passages`: how many a search returns.
 */
export async function openSides(chosen, { folder, url, passages = 5 }) {
  const opened = []
  let library
  const search = async (query) => (await library.search(query, { limit: passages })).map(({ text }) => text)
  for (const { name, label, database, module } of chosen) {
    const { open } = await import(module)
    const own = await open({
      folder,
      url: url.replace('/v1', `/${name}/v1`),
      search,
      settings: { search: { passages } },
    })
    if (own.library) {
      library = own.library
      await library.add([new URL('../../examples/papers', import.meta.url).pathname])
    }
    opened.push({ ...own, name, label, database })
  }
  return opened
}

/** Calls and bytes that the endpoint has had from each side. */
export async function callsAt(url) {
  return await (await fetch(url.replace('/v1', '/calls'))).json()
}
