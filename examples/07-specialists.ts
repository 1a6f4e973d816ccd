/** Hands parts of the work to specialists. Run it: npx tsx examples/07-specialists.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { AIMessage } from '@langchain/core/messages'
import { createQuaero, scriptedModel } from '../src/index.ts' // in your own program: from 'quaero'

const papers = join(import.meta.dirname, 'papers')
const question = 'What is a fencing token, and who described leases first?'

// A model that says these lines, so that the example needs no key; with yours: model: 'openai:gpt-5-mini'.
const calls = (name: string, ...args: Record<string, unknown>[]) =>
  new AIMessage({ content: '', tool_calls: args.map((each, at) => ({ id: `call_${at + 1}`, name, args: each })) })
const model = scriptedModel({
  orchestrator: [JSON.stringify({ route: 'research', standaloneQuestion: question, missingContext: [] })],
  research: [
    calls(
      'delegate',
      { specialist: 'librarian', task: 'What is a fencing token?' },
      { specialist: 'historian', task: 'Who described leases first, and when?' },
    ),
    'Both were found.',
  ],
  librarian: [calls('pdf_retrieval', { query: 'fencing token' }), 'A number that grows.'],
  historian: [calls('pdf_retrieval', { query: 'who described leases first' }), 'Gray and Cheriton, in 1989.'],
  synthesis: [
    'It is a number that grows with each lease.<cite id="P2">A number that grows each time a lease is given out</cite> ' +
      'Gray and Cheriton described leases in 1989.<cite id="P1">Gray and Cheriton described leases in 1989</cite>',
  ],
})

const quaero = await createQuaero({
  documents: [papers],
  model,
  dataDir: ':memory:',
  settings: {
    // Else a question that a first search answers would be answered without them.
    research: 'thorough',
    specialists: {
      librarian: { description: 'Finds out what a term means.' },
      historian: { description: 'Finds out who described something first, and when.', tools: ['pdf_retrieval'] },
    },
  },
})

// Each event names the one who caused it; a specialist works inside the tool call that asked it.
for await (const event of quaero.stream(question)) {
  if (event.type === 'agent.started' && event.payload.task)
    console.log(`${event.agent} is asked: ${event.payload.task}`)
  if (event.type === 'tool.started') console.log(`${event.agent} calls ${event.payload.tool}`)
}
const [run] = await quaero.runs.list()
const { answer, citations, usage } = await quaero.runs.show(run?.runId ?? '')
console.log(answer)
for (const { marker, label } of citations) console.log(`[${marker}] ${label}`)
console.log(`${usage.modelCalls} model calls and ${usage.toolCalls} tool calls, those of the specialists among them`)
await quaero.close()

assert.equal(citations.length, 2)
assert.equal(usage.modelCalls, 9)
assert.equal(usage.toolCalls, 4)
