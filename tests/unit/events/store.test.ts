import { describe, expect, it } from 'vitest'
import { RunNotFound } from '../../../src/errors.ts'
import { type Event, event, memoryEventStore } from '../../../src/events/index.ts'

const created = (runId: string, threadId: string, turn = 1) =>
  event('run.created', { threadId, turn, question: `Question ${turn}`, documents: null }, { correlationId: runId })
const started = (runId: string) =>
  event('run.started', { attempt: 1, question: 'q', model: 'm' }, { correlationId: runId })

describe('the event store in memory', () => {
  it('numbers the events of each run from 1, without gaps, and reads from any position', async () => {
    const store = memoryEventStore()
    await store.append(created('a', 't'))
    await store.append(created('b', 't', 2))
    expect(await store.append(started('a') as Event)).toMatchObject({ type: 'run.started', position: 2 })
    const positions = async (runId: string, after?: number) => {
      const found: number[] = []
      for await (const { position } of store.read(runId, after)) found.push(position)
      return found
    }
    expect(await positions('a')).toEqual([1, 2])
    expect(await positions('a', 1)).toEqual([2])
    expect(await positions('b')).toEqual([1])
    expect(await positions('nobody')).toEqual([])
  })

  it('knows runs and threads from their events, and no others', async () => {
    const store = memoryEventStore()
    await store.append(created('a', 't'))
    await store.append(created('b', 't', 2))
    await store.append(created('c', 'other'))
    expect(await store.run('b')).toMatchObject({ threadId: 't', turn: 2, question: 'Question 2' })
    expect((await store.runs({ threadId: 't' })).map(({ runId }) => runId)).toEqual(['a', 'b'])
    expect(await store.runs()).toHaveLength(3)
    const threads = await store.threads()
    expect(threads.find(({ threadId }) => threadId === 't')).toMatchObject({ title: 'Question 1', turns: 2 })
    await expect(store.run('d')).rejects.toThrow(RunNotFound)
  })
})
