/** Watches a run while it works. Run it: npx tsx examples/03-watch-events.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createQuaero, type StreamEvent } from '../src/index.ts' // in your own program: from 'quaero'

const papers = join(import.meta.dirname, 'papers')
const quaero = await createQuaero({ documents: [papers], model: 'extractive', dataDir: ':memory:' })

const seen: StreamEvent[] = []
for await (const event of quaero.stream('Who described leases first?')) {
  seen.push(event)
  if (event.type === 'agent.started') console.log(`${event.payload.name} begins`)
  if (event.type === 'tool.started') console.log(`  ${event.payload.tool} ${JSON.stringify(event.payload.args)}`)
  if (event.type === 'run.completed') console.log(`\n${event.payload.answer}`)
}

// The same events, but for the streamed pieces of text, are in the log for good.
const runId = seen[0]?.runId ?? ''
const logged: string[] = []
for await (const { type } of quaero.runs.events(runId)) logged.push(type)
console.log(`${logged.length} events are in the log of run ${runId}`)
await quaero.close()

const agents = seen.flatMap((event) => (event.type === 'agent.started' ? [event.payload.name] : []))
assert.deepEqual(agents, ['orchestrator', 'research', 'synthesis'])
assert.equal(logged.at(-1), 'run.completed')
