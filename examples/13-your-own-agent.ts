/** Puts an agent of your own in the place of one of the four. Run it: npx tsx examples/13-your-own-agent.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type AgentState, type AgentUpdate, BaseAgent, createQuaero, scriptedModel } from '../src/index.ts' // 'quaero'

// An agent reads the state and returns what changes in it. This one searches once, and hands the best passage on.
class OneSearch extends BaseAgent {
  readonly name = 'research'

  protected async process({ standaloneQuestion, context }: AgentState): Promise<AgentUpdate> {
    const hits = await quaero.library.search(standaloneQuestion ?? '', { limit: 5 })
    const details = { authors: [], year: null, origin: 'documents' as const, kind: 'text' as const }
    const observations = hits.slice(0, 1).map((hit) => ({ ...hit, ...details }))
    console.log(`It keeps ${observations.length} passage of ${hits.length}.`)
    return { nextAgent: 'synthesis', context: { ...context, observations } }
  }
}

// A model that says these lines, so that the example needs no key; with yours: model: 'openai:gpt-5-mini'.
const line = 'It grows with each lease.<cite id="P1">A number that grows each time a lease is given out</cite>'
const model = scriptedModel({ orchestrator: [], synthesis: [line] })
const documents = [join(import.meta.dirname, 'papers', 'glossary.md')]
const settings = { clarification: { ask: 'never' as const } }
const agents = { research: new OneSearch() }
const quaero = await createQuaero({ documents, agents, model, settings, dataDir: ':memory:' })
const { answer, citations } = await quaero.ask('What is a fencing token?')
await quaero.close()
for (const { marker, label, quote } of citations) console.log(`${answer}\n[${marker}] ${label}: “${quote}”`)
assert.match(answer, /It grows with each lease\. \[1\]/)
