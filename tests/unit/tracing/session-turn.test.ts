import { describe, expect, it } from 'vitest'
import { type StoredEvent, type TraceEntry, traceOf } from '../../../src/events/index.ts'
import { closeWhatCrashed } from '../../../src/runs/log/read-log.ts'
import { sessionTurn } from '../../../src/tracing/session-turn.ts'
import { cited, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const script = {
  orchestrator: [route()],
  research: [search('Marble corpus pages'), 'Done.'],
  synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
}

/** The log of a run that waited for an approval and got it. */
async function approvedRun(): Promise<StoredEvent[]> {
  const { quaero } = await openWorkflow(script, {
    settings: { tools: { trust: 'strict' } },
    usage: { inputTokens: 100, outputTokens: 10 },
  })
  const { runId, approvals } = await quaero.ask(question)
  await quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })
  const log: StoredEvent[] = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

const day = 24 * 3600 * 1000

/** The same log, in which a day passes before the event at `from`. */
function dayBefore<E extends { readonly timestamp: string }>(log: readonly E[], from: number): E[] {
  const later = (timestamp: string) => new Date(Date.parse(timestamp) + day).toISOString()
  return log.map((event, at) => (at < from ? event : { ...event, timestamp: later(event.timestamp) }))
}

const durations = (entries: readonly TraceEntry[]) =>
  entries.map((entry) => ('durationMs' in entry ? entry.durationMs : null))

describe('what a turn took', () => {
  it('does not count the time until an approval, neither to the turn nor to the tool', { tags: ['H9'] }, async () => {
    const log = await approvedRun()
    const answered = log.findIndex(({ type }) => type === 'approval.resolved')
    const waited = dayBefore(log, answered)
    expect(durations(traceOf(waited))).toEqual(durations(traceOf(log)))
    const took = sessionTurn(log)?.record.durationMs
    expect(sessionTurn(waited)?.record).toMatchObject({ attempts: 2, durationMs: took })
  })

  it('counts what a crash cut short up to the last sign of life, however late it is resumed', {
    tags: ['H9'],
  }, async () => {
    const log = await approvedRun()
    const at = log.findLastIndex(({ type }) => type === 'model.started')
    const alive = log.slice(0, at + 1)
    const closed = dayBefore([...alive, ...closeWhatCrashed(alive)], alive.length)
    const cutShort = traceOf(closed).at(-1)
    expect(cutShort).toMatchObject({ kind: 'model_call', durationMs: 0, error: 'crashed', usage: null })
    expect(sessionTurn(closed)?.record.durationMs).toBeLessThan(day)
    expect(sessionTurn(closed)?.record.status).toBe('interrupted')
  })
})

describe('the trace of a run', () => {
  it('names the question, each model call and each tool, with turn, iteration, time, usage and status', {
    tags: ['H9', 'H19'],
  }, async () => {
    const trace = traceOf(await approvedRun())
    expect(trace.map(({ kind }) => kind)).toEqual([
      'user_input',
      'model_call',
      'model_call',
      'tool_execution',
      'model_call',
      'model_call',
    ])
    expect(trace[0]).toEqual({
      kind: 'user_input',
      turn: 1,
      iteration: 0,
      timestamp: expect.any(String),
      text: question,
    })
    const call = {
      kind: 'model_call',
      turn: 1,
      timestamp: expect.any(String),
      durationMs: expect.any(Number),
      error: null,
    }
    expect(trace[2]).toEqual({
      ...call,
      iteration: 2,
      agent: 'research',
      model: expect.any(String),
      toolCalls: [{ id: 'pdf_retrieval-1', name: 'pdf_retrieval', args: { query: 'Marble corpus pages' } }],
      usage: { inputTokens: 100, outputTokens: 10, costUsd: null },
    })
    expect(trace[3]).toEqual({
      kind: 'tool_execution',
      turn: 1,
      iteration: 2,
      timestamp: expect.any(String),
      durationMs: expect.any(Number),
      agent: 'research',
      name: 'pdf_retrieval',
      args: { query: 'Marble corpus pages' },
      callId: 'pdf_retrieval-1',
      result: expect.stringContaining('passage'),
      status: 'success',
      errorType: null,
    })
  })
})

describe('the settled part of a log', () => {
  it('ends with an ending, a pause or a stop, wherever the log breaks off', { tags: ['H10'] }, async () => {
    const log = await approvedRun()
    const lengths = log.map((_, at) => sessionTurn(log.slice(0, at + 1))?.events.length ?? 0)
    const paused = log.findIndex(({ type }) => type === 'run.interrupted') + 1
    expect([...new Set(lengths)]).toEqual([0, paused, log.length])
  })
})
