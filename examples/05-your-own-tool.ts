/** Gives the research agent a tool of your own. Run it: npx tsx examples/05-your-own-tool.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { AIMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { createQuaero, defineTool, scriptedModel } from '../src/index.ts' // in your own program: from 'quaero'

const glossary = join(import.meta.dirname, 'papers', 'glossary.md')

// A tool is a name, a purpose that the model reads, a schema for its input, and the work. What it returns as
// observations can be quoted in the answer, since each says on which page of the library it stands.
const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks up a technical term in the glossary.',
  input: z.object({ term: z.string() }),
  run: async ({ term }) => {
    const hits = await quaero.library.search(term, { limit: 1 })
    const details = { authors: [], year: null, origin: 'documents' as const, kind: 'text' as const }
    const observations = hits.map((hit) => ({ ...hit, ...details }))
    return { content: observations.map(({ text }) => text).join('\n'), observations }
  },
})

// A model that says these lines, so that the example needs no key; with yours: model: 'openai:gpt-5-mini'.
const call = { id: 'call_1', name: 'look_up', args: { term: 'fencing token' } }
const model = scriptedModel({
  orchestrator: ['{"route":"research","standaloneQuestion":"What is a fencing token?","missingContext":[]}'],
  research: [new AIMessage({ content: '', tool_calls: [call] }), 'The glossary has it.'],
  synthesis: ['It grows with each lease.<cite id="P1">A number that grows each time a lease is given out</cite>'],
})

const quaero = await createQuaero({ documents: [glossary], tools: [lookUp], model, dataDir: ':memory:' })
const { answer, citations, usage } = await quaero.ask('What is a fencing token?')
console.log(answer)
for (const { marker, label, quote } of citations) console.log(`[${marker}] ${label}: “${quote}”`)
await quaero.close()

assert.match(answer, /It grows with each lease\. \[1\]/)
assert.equal(usage.toolCalls, 1)
