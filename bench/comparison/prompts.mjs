/** What the plain programs send: the same prompt files as Quaero's agents, so that requests are of the same size. */
import { readFileSync } from 'node:fs'

const read = (name) => readFileSync(new URL(`../../prompts/${name}.md`, import.meta.url), 'utf8').split(/^# User$/m)

const files = { orchestrator: read('orchestrator'), research: read('research'), synthesis: read('synthesis') }

/** The prompt of an agent, its variables filled in. */
export function promptFor(agent, variables) {
  const [system, user] = files[agent].map((part) =>
    part.replace(/\{\{(\w+)\}\}/g, (_, name) => variables[name] ?? '').trim(),
  )
  return { system, user }
}

/** Quaero's evidence is at most as long as this. */
const evidenceCharacters = 24_000

/** Passages as a prompt shows them. */
export function formatPassages(passages) {
  return passages
    .map(
      (text, index) => `<passage id="P${index + 1}" document="notes" page="1" from="documents">\n${text}\n</passage>`,
    )
    .join('\n\n')
    .slice(0, evidenceCharacters)
}

/** The last ten things that were said. */
export function formatHistory(said) {
  return said.slice(-10).join('\n') || 'No previous conversation.'
}

export const searchTool = {
  type: 'function',
  function: {
    name: 'search',
    description: "Searches the user's documents and returns the passages that match best.",
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
}

export const routeFormat = {
  type: 'json_schema',
  json_schema: { name: 'routing', strict: true, schema: { type: 'object', properties: { route: { type: 'string' } } } },
}
