import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { AlreadyExists, LeaseLost, ThreadBusy } from '../../../../src/errors.ts'
import { event } from '../../../../src/events/index.ts'
import { openPostgresStorage } from '../../../../src/storage/postgres/postgres-storage.ts'
import type { QueueLimits, QueueMember, RunQueue } from '../../../../src/storage/queues.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { newDatabase } from '../../../fixtures/storage/new-database.ts'
import { administer, postgresMissing } from '../../../fixtures/storage/postgres-server.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''
const unlimited: QueueLimits = { runs: null, runsPerUser: null, runsPerMinute: null, runsPerMinutePerUser: null }

type QueuedStorage = Storage & { readonly queue: RunQueue }

describe.skipIf(postgresMissing !== null)(`the queue in PostgreSQL${skipped}`, () => {
  let url: string
  let storage: QueuedStorage
  let worker: QueueMember

  beforeEach(async () => {
    url = (await newDatabase()).url
    storage = await open()
    worker = await storage.queue.join(unlimited)
  })
  afterEach(async () => {
    await worker.leave()
    await storage.close()
  })

  const open = async (): Promise<QueuedStorage> => {
    const { queue, ...rest } = await openPostgresStorage({ url })
    if (!queue) throw new Error('A storage in PostgreSQL has a queue.')
    return { ...rest, queue }
  }
  const submit = (runId: string, threadId: string, userId?: string) =>
    storage.queue.submit(threadId, runId, ({ turn }) => [
      event(
        'run.created',
        { threadId, turn, question: 'Why?', documents: null, ...(userId && { userId }) },
        { correlationId: runId },
      ),
    ])
  const started = (runId: string, attempt = 1) =>
    storage.events.append(event('run.started', { attempt, question: 'Why?', model: 'm' }, { correlationId: runId }))
  const end = (runId: string) =>
    storage.events.append(
      event('run.failed', { code: 'x', message: 'm', recoverable: false }, { correlationId: runId }),
    )
  const finish = async (runId: string, threadId: string) => {
    await started(runId)
    await end(runId)
    await storage.leases.release(threadId, runId)
  }
  const claims = async (by: QueueMember = worker) => {
    const runs: string[] = []
    for (let run = await by.claim(); run; run = await by.claim()) runs.push(run.runId)
    return runs
  }

  it('gives the runs of a thread one after the other, in the order of their turns', async () => {
    for (const runId of ['r1', 'r2', 'r3']) await submit(runId, 't1')
    await submit('r4', 't2')
    expect(await claims()).toEqual(['r1', 'r4'])
    await finish('r1', 't1')
    expect(await claims()).toEqual(['r2'])
    expect(await storage.queue.figures()).toMatchObject({ waiting: 1, working: 2 })
    await finish('r2', 't1')
    await finish('r4', 't2')
    expect(await claims()).toEqual(['r3'])
    await finish('r3', 't1')
    expect(await claims()).toEqual([])
    expect(await storage.queue.figures()).toEqual({
      ...{ isPaused: false, waiting: 0, working: 0, workers: 1, oldestSeconds: null },
      outside: { running: 0, requires_action: 0, interrupted: 0 },
      files: { waiting: 0, working: 0 },
    })
    const jobs = await administer(url, 'SELECT * FROM quaero_jobs.job')
    expect(jobs).toEqual([])
  })

  it('counts the runs outside it that work, wait for an approval or were left', async () => {
    const outside = async () => (await storage.queue.figures()).outside
    const direct = (runId: string) =>
      storage.beginRun(runId, runId, ({ turn }) => [
        event('run.created', { threadId: runId, turn, question: 'Why?', documents: null }, { correlationId: runId }),
      ])
    for (const runId of ['works', 'waits', 'left']) {
      await direct(runId)
      await started(runId)
    }
    expect(await outside()).toEqual({ running: 3, requires_action: 0, interrupted: 0 })
    await storage.events.append(event('run.interrupted', { reason: 'approval' }, { correlationId: 'waits' }))
    await storage.leases.release('waits', 'waits')
    await storage.leases.release('left', 'left')
    expect(await outside()).toEqual({ running: 1, requires_action: 1, interrupted: 1 })
    // Its next attempt is lost at once.
    await storage.leases.acquire('waits', 'waits')
    await started('waits', 2)
    await storage.leases.release('waits', 'waits')
    expect(await outside()).toEqual({ running: 1, requires_action: 0, interrupted: 2 })
    for (const runId of ['works', 'waits', 'left']) await end(runId)
    expect(await outside()).toEqual({ running: 0, requires_action: 0, interrupted: 0 })
  })

  it('stores a run and its job together or not at all', async () => {
    await submit('r1', 't1')
    await expect(submit('r1', 't2')).rejects.toThrow(AlreadyExists)
    expect(await storage.events.runs()).toHaveLength(1)
    expect(await claims()).toEqual(['r1'])
  })

  it('refuses a direct run on a thread with queued runs, and makes queued runs wait for a direct one', async () => {
    await storage.beginRun('t1', 'direct', ({ turn }) => [
      event('run.created', { threadId: 't1', turn, question: 'Why?', documents: null }, { correlationId: 'direct' }),
    ])
    await submit('r1', 't1')
    expect(await claims()).toEqual([])
    await finish('direct', 't1')
    await expect(storage.leases.acquire('t1', 'direct')).rejects.toThrow(ThreadBusy)
    await expect(storage.resetThread('t1')).rejects.toThrow('run "r1" is in the queue')
    await expect.poll(() => claims(), { timeout: 20_000 }).toEqual(['r1'])
  })

  it('offers a run again that is released before its end', async () => {
    await submit('r1', 't1')
    expect(await claims()).toEqual(['r1'])
    await storage.leases.release('t1', 'r1')
    expect(await claims()).toEqual(['r1'])
  })

  it('offers a run that is released with the job and the place that it had', async () => {
    const jobs = () =>
      administer(url, 'SELECT id, priority, group_id FROM quaero_jobs.job WHERE singleton_key = $$ta1$$')
    await submit('a1', 'ta1', 'ann')
    await submit('a2', 'ta2', 'ann')
    await submit('b1', 'tb1', 'bob')
    const before = await jobs()
    for (let times = 0; times < 5; times++) {
      expect((await worker.claim())?.runId).toBe('a1')
      await storage.leases.release('ta1', 'a1')
    }
    expect(await jobs()).toEqual(before)
    expect(before).toHaveLength(1)
    expect(await claims()).toEqual(['a1', 'b1', 'a2'])
  })

  it('finds queued runs whose jobs are not in a backup', async () => {
    for (const runId of ['r1', 'r2']) await submit(runId, 't1')
    await submit('r3', 't3')
    await submit('r4', 't4')
    expect((await worker.claim())?.runId).toBe('r1')
    await administer(url, 'DELETE FROM quaero_jobs.job WHERE singleton_key IN ($$t1$$, $$t3$$)')
    const other = await open()
    const joined = await other.queue.join(unlimited)
    onTestFinished(async () => {
      await joined.leave()
      await other.close()
    })
    await finish('r1', 't1')
    expect(await claims(joined)).toEqual(['r2', 'r3', 'r4'])
    for (const [runId, threadId] of [
      ['r2', 't1'],
      ['r3', 't3'],
      ['r4', 't4'],
    ] as const) {
      await other.events.append(event('cancel.requested', { by: 'user' }, { correlationId: runId }))
      await other.leases.release(threadId, runId)
    }
    expect(await claims(joined)).toEqual([])
    expect(await administer(url, 'SELECT * FROM quaero_jobs.job')).toEqual([])
  })

  it('lets a run leave that is cancelled before a worker takes it', async () => {
    await submit('r1', 't1')
    await submit('r2', 't1')
    await storage.events.append(event('cancel.requested', { by: 'user' }, { correlationId: 'r1' }))
    expect(await storage.queue.has('r1')).toBe(false)
    expect(await claims()).toEqual(['r2'])
  })

  it('lets users take turns, however many runs each of them has submitted', async () => {
    for (const number of [1, 2, 3, 4]) await submit(`a${number}`, `ta${number}`, 'ann')
    expect((await worker.claim())?.runId).toBe('a1')
    for (const number of [1, 2]) await submit(`b${number}`, `tb${number}`, 'bob')
    expect(await claims()).toEqual(['b1', 'a2', 'b2', 'a3', 'a4'])
  })

  it.each([
    [{ runs: 2 }, ['a1', 'b1']],
    [{ runsPerUser: 1 }, ['a1', 'b1']],
    [{ runsPerUser: 2 }, ['a1', 'b1', 'a2', 'b2']],
    [{ runsPerMinute: 3 }, ['a1', 'b1', 'a2']],
    [{ runsPerMinutePerUser: 1 }, ['a1', 'b1']],
  ])('keeps the limits %o over all workers', async (limits, expected) => {
    const others = [await open(), await open()]
    const limited = await Promise.all(others.map(({ queue }) => queue.join({ ...unlimited, ...limits })))
    onTestFinished(async () => {
      for (const each of limited) await each.leave()
      for (const each of others) await each.close()
    })
    await submit('a1', 'ta1', 'ann')
    await submit('b1', 'tb1', 'bob')
    await submit('a2', 'ta2', 'ann')
    await submit('b2', 'tb2', 'bob')
    await submit('b3', 'tb3', 'bob')
    const claimed = await Promise.all(limited.map((each) => claims(each)))
    expect(claimed.flat().toSorted()).toEqual(expected.toSorted())
  })

  it('gives nothing while it is paused', async () => {
    await submit('r1', 't1')
    await storage.queue.pause(true)
    expect(await claims()).toEqual([])
    expect(await storage.queue.figures()).toMatchObject({ isPaused: true, waiting: 1 })
    await storage.queue.pause(false)
    expect(await claims()).toEqual(['r1'])
  })

  it('takes the runs of a worker whose session is gone, which can store nothing more', async () => {
    const other = await open()
    const gone = await other.queue.join(unlimited)
    onTestFinished(() => other.close())
    await submit('r1', 't1')
    expect(await claims(gone)).toEqual(['r1'])
    await worker.recover()
    expect(await claims()).toEqual([])
    await gone.leave()
    const recovered = async () => {
      await worker.recover()
      return claims()
    }
    await expect.poll(recovered, { timeout: 20_000, interval: 300 }).toEqual(['r1'])
    const late = other.events.append(event('notice', { code: 'n', message: 'm' }, { correlationId: 'r1' }))
    await expect(late).rejects.toThrow(LeaseLost)
    await other.leases.release('t1', 'r1')
    expect(await claims()).toEqual([])
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1' })
  })

  it('does not give a run to a process that still works on it under a lease that was taken away', async () => {
    const other = await open()
    onTestFinished(() => other.close())
    const left = await other.queue.join(unlimited)
    await submit('r1', 't1')
    expect(await claims(left)).toEqual(['r1'])
    await left.leave()
    const isTakenAway = async () => {
      await worker.recover()
      return storage.leases.holder('t1')
    }
    await expect.poll(isTakenAway, { timeout: 20_000, interval: 300 }).toBeNull()
    const back = await other.queue.join(unlimited)
    onTestFinished(() => back.leave())
    expect(await claims(back)).toEqual([])
    await other.leases.release('t1', 'r1')
    await expect.poll(() => claims(back), { timeout: 20_000 }).toEqual(['r1'])
  })

  it('wakes its workers when a run is submitted', async () => {
    const stop = new AbortController()
    await worker.changed(stop.signal)
    const changed = worker.changed(stop.signal).then(() => worker.claim())
    await submit('r1', 't1')
    expect(await changed).toMatchObject({ runId: 'r1', threadId: 't1' })
  })
})
