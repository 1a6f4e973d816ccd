import { setImmediate } from 'node:timers/promises'
import { AIMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { type Event, type Hooks, type Request, type Result, silentContext, span } from '../../../../src/events/index.ts'
import { EndpointUnavailable, KeyRejected, RateLimited } from '../../../../src/models/port/errors.ts'
import { retry } from '../../../../src/runs/hooks/retry.ts'

const request: Request<'model'> = { model: 'scripted', messages: 0, input: [] }
const result: Result<'model'> = {
  usage: { inputTokens: null, outputTokens: null, costUsd: null },
  finishReason: 'stop',
  toolCalls: [],
  messageId: 'm1',
  contextPercent: null,
  reply: new AIMessage('Yes.'),
}

/** A clock on which only waits, and the work itself, take time. */
function testClock() {
  const clock = {
    time: 0,
    waits: [] as number[],
    now: () => clock.time,
    async wait(ms: number) {
      clock.waits.push(ms)
      clock.time += ms
    },
  }
  return clock
}

/** Calls a model that fails with these errors in turn, then answers. */
async function call(errors: readonly Error[], hooks: Hooks, signal = new AbortController().signal, onRetry = () => {}) {
  const events: Event[] = []
  const context = {
    ...silentContext('run-1'),
    hooks: [hooks],
    signal,
    emit: async (event: Event) => {
      events.push(event)
      if (event.type === 'model.retried') onRetry()
    },
  }
  let calls = 0
  const beginWithin: unknown[] = []
  const outcome = await span(context, 'model', request, async ({ beginWithinMs }) => {
    beginWithin.push(beginWithinMs)
    const error = errors[calls++]
    if (error) throw error
    return result
  }).catch((error: unknown) => error)
  return { outcome, calls, beginWithin, types: events.map(({ type }) => type), events }
}

const busy = () => new EndpointUnavailable('500 from models.example')

describe('a model call', () => {
  it('is tried again after 1, then 2 s, inside one span, and says so each time', async () => {
    const clock = testClock()
    const hooks = retry({ retries: 2, budgetMs: 20_000, clock })
    const { outcome, types, events } = await call([busy(), busy()], hooks)
    expect(outcome).toEqual(result)
    expect(clock.waits).toEqual([1000, 2000])
    expect(types).toEqual(['model.started', 'model.retried', 'model.retried', 'model.completed'])
    expect(events[1]?.payload).toEqual({
      code: 'endpoint_unavailable',
      message: '500 from models.example',
      attempt: 1,
      of: 2,
      waitMs: 1000,
    })
  })

  it('fails with its own error when the tries are used up', { tags: ['F6'] }, async () => {
    const last = busy()
    const { outcome, calls } = await call(
      [busy(), busy(), last],
      retry({ retries: 2, budgetMs: 20_000, clock: testClock() }),
    )
    expect(outcome).toBe(last)
    expect(calls).toBe(3)
  })

  it('is not tried again where that cannot help', async () => {
    for (const error of [new KeyRejected('No'), new TypeError('A fault of ours')]) {
      const { outcome, calls, types } = await call([error], retry({ retries: 2, budgetMs: 20_000, clock: testClock() }))
      expect(outcome).toBe(error)
      expect(calls).toBe(1)
      expect(types).toEqual(['model.started', 'model.failed'])
    }
  })

  it('never waits longer than what is left of the budget', { tags: ['F3'] }, async () => {
    const clock = testClock()
    const slow = (seconds: number) => new RateLimited('Slow down', { retryAfterMs: seconds * 1000 })
    const hooks = retry({ retries: 5, budgetMs: 20_000, clock })
    expect((await call([slow(20)], hooks)).outcome).toEqual(result)
    expect((await call([slow(21)], hooks)).calls).toBe(1)
    expect((await call([slow(12), slow(8), slow(1)], hooks)).calls).toBe(3)
    expect(clock.waits).toEqual([20_000, 12_000, 8000])
  })

  it('has a budget that begins with its first failure, so that a long answer may be asked for again', async () => {
    const clock = testClock()
    clock.time = 300_000
    const { outcome } = await call([busy()], retry({ retries: 1, budgetMs: 2000, clock }))
    expect(outcome).toEqual(result)
  })

  it('a retry must begin its answer within what is left of the budget, so that one that hangs ends with it', {
    tags: ['F21'],
  }, async () => {
    const clock = testClock()
    const { beginWithin } = await call([busy(), busy()], retry({ retries: 2, budgetMs: 20_000, clock }))
    expect(beginWithin).toEqual([undefined, 19_000, 17_000])
    expect(clock.time).toBe(3000)
  })

  it('the failure is reported when the budget ends and no later, whatever each attempt takes', {
    tags: ['F3'],
  }, async () => {
    const clock = testClock()
    // As the endpoint does: a try that hangs is given up after what it was allowed.
    const hangs = async (beginWithinMs: unknown) => {
      clock.time += typeof beginWithinMs === 'number' ? beginWithinMs : 60_000
      throw busy()
    }
    const context = { ...silentContext('run-1'), hooks: [retry({ retries: 2, budgetMs: 20_000, clock })] }
    const outcome = span(context, 'model', request, async ({ beginWithinMs }) => hangs(beginWithinMs))
    await expect(outcome).rejects.toMatchObject({ code: 'endpoint_unavailable' })
    const firstFailure = 60_000
    expect(clock.time - firstFailure).toBe(20_000)
  })

  it('does not share tries or budget with the next one', async () => {
    const hooks = retry({ retries: 1, budgetMs: 20_000, clock: testClock() })
    expect((await call([busy()], hooks)).outcome).toEqual(result)
    expect((await call([busy()], hooks)).outcome).toEqual(result)
  })

  it('stops waiting when the run is stopped', async () => {
    const controller = new AbortController()
    const hooks = retry({ retries: 2, budgetMs: 20_000 })
    const reason = new Error('Cancelled')
    const stop = () => void setImmediate().then(() => controller.abort(reason))
    const { outcome, calls } = await call([busy()], hooks, controller.signal, stop)
    expect(outcome).toBe(reason)
    expect(calls).toBe(1)
  })

  it('is not tried again once the run is stopped', async () => {
    const reason = new Error('Cancelled')
    const hooks = retry({ retries: 2, budgetMs: 20_000, clock: testClock() })
    const { outcome, calls } = await call([busy()], hooks, AbortSignal.abort(reason))
    expect(outcome).toBe(reason)
    expect(calls).toBe(1)
  })
})

it('a retry waits by the clock of the system unless it is given another', async () => {
  const soon = new RateLimited('Now', { retryAfterMs: 1 })
  expect((await call([soon], retry({ retries: 1, budgetMs: 20_000 }))).outcome).toEqual(result)
})
