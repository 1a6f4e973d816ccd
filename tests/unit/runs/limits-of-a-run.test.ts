import { describe, expect, it } from 'vitest'
import { workedMs } from '../../../src/events/index.ts'
import type { Limits, Quaero, RunResult } from '../../../src/index.ts'
import { type Speaker, speakingEndpoint } from '../../fixtures/speaking-endpoint.ts'
import { openQuaero } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
/** What the endpoint counts for a call, and what that costs at 1,000 dollars a million tokens. */
const tokens = 110
const costUsd = tokens / 1000

/** A model that never comes to an end: each of its searches is a new one. */
const endless = Array.from({ length: 20 }, (_, n) => ({
  toolCalls: [{ name: 'pdf_retrieval', args: { query: `Marble corpus pages ${n}` } }],
}))

/** The workflow over HTTP with such a model; `stop` ends the first attempt when research asks for the third time. */
async function endlessly() {
  const stop = new AbortController()
  let asked = 0
  const endpoint = await speakingEndpoint({ research: endless })
  const quaero = await openQuaero({
    model: 'openai:test-model',
    settings: {
      endpoint: { baseUrl: endpoint.url },
      prices: { 'test-model': { input: 1000, output: 1000, contextWindow: null } },
    },
    hooks: {
      beforeModel: (_, { agent }) => {
        if (agent === 'research' && ++asked === 3) stop.abort()
      },
    },
  })
  return { quaero, calls: endpoint.calls, stop }
}

const loops = (research: number): Speaker[] => [
  'orchestrator',
  ...Array<Speaker>(research).fill('research'),
  'synthesis',
]

/** Each limit, and the calls that it leaves room for: one is always kept back for the answer. */
const bounds: readonly (readonly [limits: Limits, calls: readonly Speaker[]])[] = [
  [{ modelCalls: 6 }, loops(4)],
  [{ rounds: 3 }, loops(4)],
  [{ toolCalls: 3 }, loops(4)],
  [{ tokens: 5 * tokens }, loops(4)],
  [{ costUsd: 5 * costUsd }, loops(4)],
]

async function logOf(quaero: Quaero, runId: string) {
  const log = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

function expectLimited(result: RunResult, limits: Limits): void {
  const [[limit, value]] = Object.entries(limits) as [[string, number]]
  expect(result).toMatchObject({
    status: 'limit_reached',
    ending: { limit, value, reason: expect.stringContaining('The limit of ') },
    citations: [{ quote: 'holds 81.1 million pages', verified: true }],
    error: null,
  })
  expect(result.answer).toContain('It holds 81.1 million pages. [1]')
}

describe('a run that meets a limit', () => {
  it.each(bounds)(
    '%o: ends with the best answer so far, and never a call more',
    { tags: ['L1', 'L2', 'L9', 'F41', 'F42'] },
    async (limits, calls) => {
      const { quaero, ...endpoint } = await endlessly()
      const result = await quaero.ask(question, { limits })
      expectLimited(result, limits)
      expect(endpoint.calls()).toEqual(calls)
      expect(result.usage).toMatchObject({ modelCalls: 6, inputTokens: 600, outputTokens: 60 })
      expect(result.usage.costUsd).toBeCloseTo(6 * costUsd)
    },
  )

  it.each(bounds)(
    '%o: after a stop and a resume ends where it would have ended without',
    { tags: ['L1', 'L2', 'E10'] },
    async (limits, calls) => {
      const { quaero, stop, ...endpoint } = await endlessly()
      const { runId, status } = await quaero.ask(question, { signal: stop.signal })
      expect(status).toBe('interrupted')
      expect(endpoint.calls()).toHaveLength(3)
      const result = await quaero.resume(runId, {}, { limits })
      expectLimited(result, limits)
      expect(endpoint.calls()).toEqual(calls)
      expect((await quaero.status(runId)).rounds).toBeLessThanOrEqual(4)
    },
  )

  it('counts the time of the attempts before, and asks no model once it is up', { tags: ['L1'] }, async () => {
    const { quaero, stop, calls } = await endlessly()
    const { runId } = await quaero.ask(question, { signal: stop.signal })
    const wallClockMs = Math.max(1, workedMs(await logOf(quaero, runId)))
    const result = await quaero.resume(runId, {}, { limits: { wallClockMs } })
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'wallClockMs', value: wallClockMs } })
    expect(result.ending?.reason).toBe(`The limit of ${wallClockMs / 1000} s for the whole run is reached.`)
    expect(result.citations).toMatchObject([{ verified: true }])
    expect(calls()).toHaveLength(3)
  })

  it('has met it also where research asked for no tool, and its own search is not allowed any more', {
    tags: ['L2'],
  }, async () => {
    const endpoint = await speakingEndpoint({ research: { content: 'I know it already.' } })
    const quaero = await openQuaero({
      model: 'openai:test-model',
      settings: { endpoint: { baseUrl: endpoint.url } },
    })
    const result = await quaero.ask(question, { limits: { tokens: 2 * tokens } })
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'tokens', value: 2 * tokens } })
  })

  it('ends where costs are limited and the endpoint no longer says what it counts', { tags: ['L7'] }, async () => {
    const endpoint = await speakingEndpoint({ research: endless.map((line) => ({ ...line, usage: null })) })
    const quaero = await openQuaero({
      model: 'openai:test-model',
      settings: {
        endpoint: { baseUrl: endpoint.url },
        prices: { 'test-model': { input: 1, output: 1, contextWindow: null } },
      },
    })
    const result = await quaero.ask(question, { limits: { costUsd: 1 } })
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'costUsd', value: 1 } })
    expect(result.ending?.reason).toContain('not known')
    expect(result.usage.costUsd).toBeNull()
    expect(endpoint.calls()).toEqual(['orchestrator', 'research'])
  })

  it('is not begun where a price is unknown, and the model is named', { tags: ['L7'] }, async () => {
    const endpoint = await speakingEndpoint()
    const quaero = await openQuaero({
      model: 'openai:test-model',
      settings: { endpoint: { baseUrl: endpoint.url } },
    })
    const asked = quaero.ask(question, { limits: { costUsd: 1 } })
    await expect(asked).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('openai:test-model') })
    expect(endpoint.calls()).toEqual([])
    expect(await quaero.runs.list()).toEqual([])
  })
})

describe('the time that a run was worked on', () => {
  const at = (seconds: number, type: string, payload: object = {}) =>
    ({ type, timestamp: new Date(1000 * seconds).toISOString(), payload }) as never

  it('is that of its attempts, up to the last sign of life of each', { tags: ['L1'] }, () => {
    expect(workedMs([])).toBe(0)
    const first = [at(0, 'run.created'), at(1, 'run.started'), at(4, 'model.started')]
    expect(workedMs(first)).toBe(3000)
    expect(workedMs([...first, at(5, 'run.interrupted', { reason: 'approval' })])).toBe(4000)
    const crashed = [
      at(900, 'model.interrupted', { reason: 'crashed' }),
      at(900, 'run.interrupted', { reason: 'crashed' }),
    ]
    expect(workedMs([...first, ...crashed])).toBe(3000)
    const waited = [...first, at(5, 'run.interrupted', { reason: 'approval' }), at(500, 'approval.resolved')]
    expect(workedMs([...waited, at(501, 'run.started'), at(503, 'run.completed')])).toBe(6000)
  })
})
