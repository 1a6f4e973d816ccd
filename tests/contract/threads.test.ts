import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AlreadyExists } from '../../src/errors.ts'
import { type Event, event } from '../../src/events/index.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { inOwnFolder, storages } from '../fixtures/storage/storages.ts'

const nobody = { userId: null }

describe.each(Object.entries(storages))('threads in %s', (_, open) => {
  let storage: Storage
  let close: () => Promise<void>

  beforeEach(async () => {
    const opened = await inOwnFolder(open)
    storage = opened.storage
    close = opened.close
  })
  afterEach(() => close())

  const ids = async (...filter: Parameters<Storage['threads']['list']>) =>
    (await storage.threads.list(...filter)).map(({ threadId }) => threadId)

  it('are listed by latest activity, titled with their first question', async () => {
    await storage.events.append(created('r1', 't1', { question: 'first', second: 1 }))
    await storage.events.append(created('r2', 't2', { question: 'second', second: 2, userId: 'ann' }))
    await storage.events.append(created('r3', 't1', { question: 'third', turn: 2, second: 3, userId: 'ben' }))
    expect(await storage.threads.list()).toEqual([
      { threadId: 't1', title: 'first', turns: 2, userId: null, metadata: {}, createdAt: at(1), updatedAt: at(3) },
      { threadId: 't2', title: 'second', turns: 1, userId: 'ann', metadata: {}, createdAt: at(2), updatedAt: at(2) },
    ])
    expect(await ids({ userId: 'ann' })).toEqual(['t2'])
  })

  it('are there before their first run, with what is stated of them', async () => {
    await storage.events.append(created('r1', 'old', { question: 'first' }))
    await storage.threads.create('new', { title: 'Mine \ud800', userId: 'ann', metadata: { graph: 'quaero' } })
    const [record] = await storage.threads.list({ threadId: 'new' })
    expect(record).toMatchObject({ title: 'Mine \ud800', turns: 0, userId: 'ann', metadata: { graph: 'quaero' } })
    expect(record?.createdAt).toBe(record?.updatedAt)
    expect(await ids()).toEqual(['new', 'old'])
    expect(await ids({ unasked: true })).toEqual(['new'])
    expect(await ids({ unasked: true, userId: 'ben' })).toEqual([])
    await storage.events.append(created('r2', 'new', { question: 'Why?' }))
    expect(await storage.threads.list({ threadId: 'new' })).toMatchObject([{ title: 'Mine \ud800', turns: 1 }])
  })

  it('are made once', async () => {
    await storage.events.append(created('r1', 't1'))
    await storage.threads.create('t2', nobody)
    await expect(storage.threads.create('t1', nobody)).rejects.toThrow(AlreadyExists)
    await expect(storage.threads.create('t2', nobody)).rejects.toThrow(AlreadyExists)
  })

  it('keep their place when they are renamed, and their question is their title again without one', async () => {
    await storage.events.append(created('r1', 't1', { question: 'first' }))
    await storage.events.append(created('r2', 't2', { question: 'second' }))
    await storage.threads.change('t1', { title: 'Renamed' })
    await storage.threads.change('t1', { metadata: { a: 1 } })
    expect(await storage.threads.list()).toMatchObject([{ threadId: 't2' }, { title: 'Renamed', metadata: { a: 1 } }])
    await storage.threads.change('t1', { title: null })
    expect(await storage.threads.list({ threadId: 't1' })).toMatchObject([{ title: 'first', metadata: { a: 1 } }])
  })

  it('are named, oldest first, those without a run behind the others', async () => {
    await storage.threads.create('unasked', nobody)
    await storage.events.append(created('r1', 't2'))
    await storage.events.append(created('r2', 't1'))
    await storage.threads.change('t1', { title: 'Renamed' })
    await storage.events.append(created('r3', 't2', { turn: 2 }))
    expect(await storage.threads.ids()).toEqual(['t2', 't1', 'unasked'])
  })

  it('are listed without those whose ids begin with a certain text, in parts too', { tags: ['Q18'] }, async () => {
    for (const id of ['cell', 'cell-1', 'c-cell-', 'cell-2', 'CELL-3', 't1']) await storage.threads.create(id, nobody)
    expect(await ids({ except: 'cell-' })).toEqual(['t1', 'CELL-3', 'c-cell-', 'cell'])
    expect(await ids({ except: 'cell-', limit: 2, offset: 1 })).toEqual(['CELL-3', 'c-cell-'])
    expect(await ids({ prefix: 'c', except: 'cell-' })).toEqual(['c-cell-', 'cell'])
    expect(await ids({ threadId: 'cell-1', except: 'cell-' })).toEqual([])
    expect(await ids({ except: '%' })).toHaveLength(6)
  })

  it('are listed in parts', async () => {
    for (const id of ['t1', 't2', 't3', 't4']) await storage.threads.create(id, nobody)
    expect(await ids({ limit: 2 })).toEqual(['t4', 't3'])
    expect(await ids({ limit: 2, offset: 2 })).toEqual(['t2', 't1'])
    expect(await ids({ offset: 4 })).toEqual([])
  })

  it('are gone once they are deleted', async () => {
    await storage.threads.create('t1', nobody)
    await storage.deleteThread('t1')
    expect(await storage.threads.list()).toEqual([])
  })
})

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`

function created(
  runId: string,
  threadId: string,
  {
    question = 'Why?',
    turn = 1,
    second = 1,
    userId,
  }: { question?: string; turn?: number; second?: number; userId?: string } = {},
): Event {
  const payload = { threadId, turn, question, documents: null, ...(userId !== undefined && { userId }) }
  return { ...event('run.created', payload, { correlationId: runId }), timestamp: at(second) } as Event
}
