import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { rootSpanIdOf, traceIdOf } from '../../../../src/tracing/otel/trace-ids.ts'
import { levelOf, readTrace, statusMessageOf } from '../../../fixtures/langfuse/rules.ts'
import { answering, question, tracing } from '../../../fixtures/langfuse/tracing.ts'
import { openWorkflow, search } from '../../../fixtures/workflow.ts'

/** A sequence of numbers from 0 to 1 that a seed repeats (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

it('200 runs that are cancelled at random moments have one root each, of the status in their log', {
  tags: ['T9', 'slow'],
  timeout: 240_000,
}, async () => {
  const { server, subscriber, flush } = await tracing()
  const next = random(12)
  const times = 200
  const { quaero } = await openWorkflow(
    {
      orchestrator: Array<string>(times).fill(answering.orchestrator[0]),
      research: Array<typeof searchOrClose>(2 * times).fill(searchOrClose),
      synthesis: Array<string>(times).fill(answering.synthesis[0]),
    },
    { subscribers: [subscriber] },
  )
  const runs: { runId: string; state: string; line: number }[] = []
  for (let n = 0; n < times; n += 1) {
    const line = Math.floor(next() * 70)
    const cancels: Promise<unknown>[] = []
    let [runId, seen] = ['', 0]
    for await (const { runId: id } of quaero.stream(question, { threadId: `thread-${n}` })) {
      runId = id
      seen += 1
      // A run that has ended refuses the cancel.
      if (seen === line) cancels.push(wait(next() * 3).then(() => quaero.cancel(id).catch(() => {})))
    }
    await Promise.all(cancels)
    runs.push({ runId, line, state: (await quaero.status(runId)).state })
  }
  await flush()
  const spans = server.spans()
  for (const { runId, line, state } of runs) {
    const { root } = readTrace(spans.filter(({ traceId }) => traceId === traceIdOf(runId)))
    expect(root.spanId).toBe(rootSpanIdOf(runId))
    expect(root.attributes['langfuse.observation.metadata.status'], `cancelled at line ${line}`).toBe(state)
    if (state === 'cancelled') expect([levelOf(root), statusMessageOf(root)]).toEqual(['WARNING', 'cancelled'])
  }
  expect(runs.filter(({ state }) => state === 'cancelled').length).toBeGreaterThan(times / 4)
})

/** Searches once, then closes: by what its conversation holds, since a cancelled run takes fewer lines. */
const searchOrClose = (messages: readonly { readonly type: string }[]) =>
  messages.some(({ type }) => type === 'tool') ? 'Found it.' : search('Marble corpus pages')
