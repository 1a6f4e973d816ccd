import { GraphInterrupt } from '@langchain/langgraph'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Event,
  event,
  type StoredEvent,
  type StreamEvent,
  type Subscriber,
  Subscribers,
  span,
} from '../../../../src/events/index.ts'
import { Attempt } from '../../../../src/runs/attempt.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import { gate } from '../../../fixtures/workflow.ts'
import { outcome } from './outcome.ts'

const message = { messageId: 'm', role: 'assistant', scope: 'scratch', text: 'This.', superseded: false } as const

/** A run whose question is stored, and attempts at it. */
async function begun(...subscribers: readonly Subscriber[]) {
  const storage = await openSqliteStorage({ path: ':memory:' })
  onTestFinished(() => storage.close())
  const created = event(
    'run.created',
    { threadId: 't', turn: 1, question: 'q', documents: null },
    { correlationId: 'run-1' },
  ) as Event
  await storage.events.append(created)
  const lines: StreamEvent[] = []
  const failures: unknown[] = []
  const log = async () => {
    const events: StoredEvent[] = []
    for await (const each of storage.events.read('run-1')) events.push(each)
    return events
  }
  const audience = new Subscribers([...subscribers, (line) => void lines.push(line)], (error) => failures.push(error))
  const attempt = async (signal?: AbortSignal) =>
    new Attempt({ storage, hooks: () => [], audience }, { model: 'm', log: await log(), signal })
  return { attempt, log, lines, failures, types: async () => (await log()).map(({ type }) => type) }
}

describe('an attempt at a run', () => {
  it('stores, folds and then publishes each event, and streams when the state changes', async () => {
    const { attempt, types, lines } = await begun()
    const first = await attempt()
    await first.run(async () => {
      expect(first.status().state).toBe('running')
      return outcome
    })
    expect(first.status()).toMatchObject({ state: 'completed', attempt: 1 })
    expect(await types()).toEqual(['run.created', 'run.started', 'run.completed'])
    expect(lines.map(({ type, payload }) => ('to' in payload ? `${payload.from} → ${payload.to}` : type))).toEqual([
      'run.created',
      'run.started',
      'queued → running',
      'running → completed',
      'run.completed',
    ])
    expect(lines[1]).toMatchObject({ runId: 'run-1', threadId: 't', position: 2 })
  })

  it('goes on while the ends of its work are stored, which are on disk before anything else begins', async () => {
    const { attempt, types, lines } = await begun()
    const first = await attempt()
    await first.run(async (context) => {
      const read = event('message.completed', message, context) as Event
      const written = event('message.completed', { ...message, messageId: 'n' }, context) as Event
      const delta = event('message.delta', { messageId: 'o', scope: 'scratch', text: 'This.' }, context) as Event
      await context.emit(read)
      await context.emit(written)
      expect(context.log?.()).toEqual(expect.arrayContaining([read, written]))
      expect(lines.map(({ type }) => type)).not.toContain('message.completed')
      await context.emit(delta)
      expect(lines.slice(3).map(({ type }) => type)).toEqual([read, written, delta].map(({ type }) => type))
      await span(context, 'agent', { name: 'research', iteration: 1 }, async () => {
        expect((await types()).slice(2)).toEqual(['message.completed', 'message.completed', 'agent.started'])
        return { outcome: 'done', nextAgent: 'END', update: {} }
      })
      return outcome
    })
    expect((await types()).at(-1)).toBe('run.completed')
  })

  it('does not go on after an end that could not be stored', async () => {
    const { attempt, types, lines } = await begun()
    const first = await attempt()
    const running = first.run(async (context) => {
      const completed = event('message.completed', message, context) as Event
      await context.emit(completed)
      await context.emit(completed)
      await span(context, 'agent', { name: 'research', iteration: 1 }, () => Promise.reject(new Error('was begun')))
      return outcome
    })
    await expect(running).rejects.toMatchObject({ code: 'event_invalid' })
    expect((await types()).slice(1)).toEqual(['run.started', 'message.completed', 'agent.started', 'run.failed'])
    expect(first.status()).toMatchObject({ state: 'failed', error: { code: 'event_invalid' } })
    expect(lines.at(-1)?.type).toBe('run.failed')
  })

  it('streams deltas, and never stores them', async () => {
    const { attempt, types, lines } = await begun()
    const first = await attempt()
    await first.run(async (context) => {
      await context.emit(event('message.delta', { messageId: 'm', scope: 'thread', text: 'Th' }, context) as Event)
      return outcome
    })
    expect(lines.map(({ type }) => type)).toContain('message.delta')
    expect(await types()).not.toContain('message.delta')
  })

  it('rejects with a failure after it is logged', async () => {
    const { attempt, types } = await begun()
    await expect((await attempt()).run(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(await types()).toContain('run.failed')
  })

  it('takes a pause for no error', async () => {
    const { attempt } = await begun()
    const first = await attempt()
    await first.run(() => Promise.reject(new GraphInterrupt([])))
    expect(first.status().state).toBe('requires_action')
  })

  it('stops where it is told to, for the reason that came first, and takes up the count in the next attempt', async () => {
    const { attempt, types } = await begun()
    const first = await attempt()
    await first.run(
      (context) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => reject(context.signal.reason))
          first.stop('shutdown')
          first.stop('cancelled')
        }),
    )
    await first.ended
    expect(first.status().state).toBe('interrupted')
    const second = await attempt(AbortSignal.abort())
    await second.run((context) => Promise.reject(context.signal.reason))
    expect(second.status()).toMatchObject({ state: 'interrupted', attempt: 2 })
    expect((await types()).slice(1)).toEqual(['run.started', 'run.interrupted', 'run.started', 'run.interrupted'])
  })

  it('first ends what a crash left open, innermost first', { tags: ['E12'] }, async () => {
    const { attempt, log } = await begun()
    const crashed = await attempt()
    // The work never ends: its process is gone.
    const { opened, open } = gate()
    void crashed.run((context) =>
      span(context, 'agent', { name: 'research', iteration: 2 }, async () => {
        open()
        return new Promise<never>(() => {})
      }).then(() => outcome),
    )
    await opened
    const before = await log()
    const next = await attempt()
    await next.run(async () => outcome)
    const added = (await log()).slice(before.length)
    expect(added.map(({ type }) => type)).toEqual([
      'agent.interrupted',
      'run.interrupted',
      'run.started',
      'run.completed',
    ])
    const [agent, run] = ['agent.started', 'run.started'].map((type) => before.find((each) => each.type === type)?.id)
    expect(added.slice(0, 2)).toMatchObject([
      { causationId: agent, payload: { reason: 'crashed' } },
      { causationId: run, payload: { reason: 'crashed' } },
    ])
    expect(next.status()).toMatchObject({ state: 'completed', attempt: 2 })
  })
})

describe('a subscriber', () => {
  it('is told no more once it has failed, once and for all, and hurts nobody else', async () => {
    let told = 0
    const failing = () => {
      told += 1
      throw new Error('full')
    }
    const rejecting = () => Promise.reject(new Error('down'))
    const { attempt, lines, failures } = await begun(failing, rejecting)
    const first = await attempt()
    await first.run(async () => outcome)
    expect(first.status().state).toBe('completed')
    expect(told).toBe(1)
    expect(lines).toHaveLength(5)
    expect(failures.map(String).sort()).toEqual(['Error: down', 'Error: full'])
  })

  it('never makes the run wait, however slow it is', async () => {
    const { attempt } = await begun(() => new Promise(() => {}))
    const first = await attempt()
    await first.run(async () => outcome)
    expect(first.status().state).toBe('completed')
  })
})
