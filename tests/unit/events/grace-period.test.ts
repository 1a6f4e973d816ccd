import { describe, expect, it } from 'vitest'
import { LimitReached } from '../../../src/errors.ts'
import { type Context, callSignal, type Event, fact, silentContext, span } from '../../../src/events/index.ts'
import { gate } from '../../fixtures/workflow.ts'

const agent = { name: 'research', iteration: 1 }
const call = { callId: 'c1', tool: 'search', args: {} }
const never = () => new Promise<never>(() => {})

function logged(overrides: Partial<Context>) {
  const log: Event[] = []
  const context: Context = { ...silentContext('run-1'), emit: async (each) => void log.push(each), ...overrides }
  return { context, types: () => log.map(({ type }) => type) }
}

describe('work that ignores that it is to stop', () => {
  it('is abandoned after its grace period, innermost first, so that every span has its ending', async () => {
    const stop = new AbortController()
    const interruption = () => (stop.signal.aborted ? ('shutdown' as const) : undefined)
    const { context, types } = logged({ signal: stop.signal, gracePeriodMs: 5, interruption })
    const work = span(context, 'agent', agent, async (_, inner) => {
      const inside = span(inner, 'tool', call, never)
      stop.abort(new Error('The run was stopped.'))
      await inside.catch(never)
      return { nextAgent: 'END', update: {} }
    })
    await expect(work).rejects.toThrow('The run was stopped.')
    expect(types()).toEqual(['agent.started', 'tool.started', 'tool.interrupted', 'agent.interrupted'])
  })

  it('is a call that met the limit when the time is up, and may report nothing more', async () => {
    const limit = new LimitReached('wallClockMs', 1, 'Time is up.')
    const { context, types } = logged({ deadline: AbortSignal.abort(limit) })
    const { opened, open } = gate()
    let late: Promise<void> | undefined
    const work = span(context, 'tool', call, async (_, inner) => {
      late = opened.then(() => fact(inner, 'notice', { code: 'late', message: 'late' }))
      return never()
    })
    await expect(work).rejects.toBe(limit)
    open()
    await expect(late).rejects.toBe(limit)
    expect(types()).toEqual(['tool.started', 'tool.failed'])
  })

  it('is not what ends in time', async () => {
    const { context, types } = logged({ signal: AbortSignal.abort(), gracePeriodMs: 60_000 })
    await span(context, 'agent', agent, async () => ({ nextAgent: 'END', update: {} }))
    expect(types()).toEqual(['agent.started', 'agent.completed'])
  })
})

describe('the signal of a call', () => {
  it('is aborted by a stop, and by the end of the time, with its reason', () => {
    const limit = new LimitReached('wallClockMs', 1, 'Time is up.')
    const { signal } = silentContext()
    expect(callSignal({ signal }).aborted).toBe(false)
    expect(callSignal({ signal, deadline: AbortSignal.abort(limit) }).reason).toBe(limit)
    expect(callSignal({ signal: AbortSignal.abort(), deadline: new AbortController().signal }).aborted).toBe(true)
  })
})
