import { describe, expect, it } from 'vitest'
import { HookFailed, LimitReached, ToolFailed } from '../../../src/errors.ts'
import { type Context, type Event, type Hooks, silentContext, span } from '../../../src/events/index.ts'

const request = { callId: 'c1', tool: 'search', args: { query: 'x' } }
const result = { status: 'success' as const, content: 'found' }

/** A context that keeps what is emitted. */
function logged(hooks: readonly Hooks[] = [], overrides: Partial<Context> = {}) {
  const log: Event[] = []
  const context: Context = { ...silentContext('run-1'), hooks, emit: async (each) => void log.push(each), ...overrides }
  return { log, context, types: () => log.map(({ type }) => type) }
}

describe('a span', () => {
  it('reports its start, then its completion with what it hands back, both under its own id', async () => {
    const { log, context } = logged([], { causationId: 'above', agent: 'research' })
    const handedBack = await span(context, 'tool', request, async (_, inner) => {
      expect(inner.causationId).toBe(log[0]?.id)
      return { ...result, extra: 1 }
    })
    expect(handedBack.extra).toBe(1)
    const [started, completed] = log
    expect(started).toMatchObject({ type: 'tool.started', causationId: 'above', agent: 'research', payload: request })
    expect(completed).toMatchObject({ type: 'tool.completed', causationId: started?.id, payload: result })
    expect(completed?.payload).not.toHaveProperty('extra')
  })

  it('reports a failure with its code, and throws it on', async () => {
    const { log, context, types } = logged()
    const failing = span(context, 'tool', request, () => Promise.reject(new ToolFailed('No disk.')))
    await expect(failing).rejects.toThrow('No disk.')
    expect(types()).toEqual(['tool.started', 'tool.failed'])
    expect(log[1]?.payload).toEqual({ code: 'tool_failed', message: 'No disk.', recoverable: true })
  })

  it('reports a pause or a stop as an interruption, not as a failure', async () => {
    const { log, context } = logged([], { interruption: () => 'cancelled' })
    await expect(span(context, 'tool', request, () => Promise.reject(new Error('stop')))).rejects.toThrow('stop')
    expect(log[1]).toMatchObject({ type: 'tool.interrupted', payload: { reason: 'cancelled' } })
  })

  it('ends once, as failed, when what it hands back does not fit the catalogue', async () => {
    const { context, types } = logged()
    const odd = span(context, 'tool', request, async () => ({ status: 'splendid', content: 'x' }) as never)
    await expect(odd).rejects.toMatchObject({ code: 'event_invalid' })
    expect(types()).toEqual(['tool.started', 'tool.failed'])
  })
})

describe('hooks around a span', () => {
  it('nest like the skins of an onion, in the order in which they are given', async () => {
    const order: string[] = []
    const skin = (name: string): Hooks => ({
      name,
      tool: async (asked, next) => {
        order.push(`${name} before`)
        const answer = await next(asked)
        order.push(`${name} after`)
        return answer
      },
    })
    const { context } = logged([skin('outer'), { name: 'elsewhere', model: () => expect.fail() }, skin('inner')])
    await span(context, 'tool', request, async () => {
      order.push('work')
      return result
    })
    expect(order).toEqual(['outer before', 'inner before', 'work', 'inner after', 'outer after'])
  })

  it('may change what is asked and what is handed back, answer in place of the work, and do it again', async () => {
    const edit: Hooks = {
      tool: async (asked, next) => {
        await next(asked)
        return { ...(await next({ ...asked, args: { query: 'y' } })), content: 'edited' }
      },
    }
    const seen: unknown[] = []
    const { log, context } = logged([edit])
    const work = async ({ args }: { readonly args: Readonly<Record<string, unknown>> }) => {
      seen.push(args.query)
      return result
    }
    expect(await span(context, 'tool', request, work)).toMatchObject({ content: 'edited' })
    expect(seen).toEqual(['x', 'y'])
    expect(log.map(({ type }) => type)).toEqual(['tool.started', 'tool.completed'])
    expect(log[1]?.payload).toMatchObject({ content: 'edited' })
    const stub = logged([{ tool: async () => ({ ...result, content: 'cached' }) }])
    expect(await span(stub.context, 'tool', request, () => expect.fail())).toMatchObject({ content: 'cached' })
  })

  it('fail the span by name when they throw, before or after the work', { tags: ['H3'] }, async () => {
    const broken = new TypeError('cannot read')
    const before: Hooks = { name: 'redaction', tool: () => Promise.reject(broken) }
    const after: Hooks = {
      name: 'redaction',
      tool: async (asked, next) => {
        await next(asked)
        throw broken
      },
    }
    for (const hooks of [before, after]) {
      const { log, context, types } = logged([{ name: 'outer', tool: (asked, next) => next(asked) }, hooks])
      const error: unknown = await span(context, 'tool', request, async () => result).catch((each: unknown) => each)
      expect(error).toBeInstanceOf(HookFailed)
      expect(error).toMatchObject({ message: 'The tool hook of "redaction" failed: cannot read', cause: broken })
      expect(types()).toEqual(['tool.started', 'tool.failed'])
      expect(log[1]?.payload).toMatchObject({ code: 'hook_failed', message: expect.stringContaining('redaction') })
    }
  })

  it('fail by name when they throw at once instead of returning a promise, or have no name', {
    tags: ['H3'],
  }, async () => {
    const hooks: Hooks = {
      tool: () => {
        throw new Error('at once')
      },
    }
    const { context } = logged([hooks])
    await expect(span(context, 'tool', request, async () => result)).rejects.toThrow(
      'The tool hook of "a bundle without a name" failed: at once',
    )
  })

  it('are not blamed for what came up from the work, nor for deliberate errors, nor for a stop', async () => {
    const passing: Hooks = {
      name: 'passing',
      tool: async (asked, next) => {
        try {
          return await next(asked)
        } finally {
          expect(asked.tool).toBe('search')
        }
      },
    }
    const error = new Error('of the work')
    await expect(span(logged([passing]).context, 'tool', request, () => Promise.reject(error))).rejects.toBe(error)
    const limit = new LimitReached('rounds', 1, 'Enough.')
    const limiting: Hooks = { name: 'limits', tool: () => Promise.reject(limit) }
    await expect(span(logged([limiting]).context, 'tool', request, async () => result)).rejects.toBe(limit)
    const stop = new AbortController()
    stop.abort(error)
    const waiting: Hooks = { name: 'waiting', tool: async (_, __, { signal }) => Promise.reject(signal.reason) }
    const { context } = logged([waiting], { signal: stop.signal })
    await expect(span(context, 'tool', request, async () => result)).rejects.toBe(error)
  })
})
