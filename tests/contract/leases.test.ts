import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { InvalidId, LeaseLost, ThreadBusy } from '../../src/errors.ts'
import { type Event, event } from '../../src/events/index.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { killChild, messageOf, namespacesMissing, startChild, startContained } from '../fixtures/storage/child.ts'
import { inOwnFolder, storages } from '../fixtures/storage/storages.ts'

describe.each(Object.entries(storages))('the leases of a storage in %s', (name, open) => {
  let opened: Awaited<ReturnType<typeof inOwnFolder>>
  let storage: Storage
  let children: ChildProcess[]

  beforeEach(async () => {
    opened = await inOwnFolder(open)
    storage = opened.storage
    children = []
  })
  afterEach(async () => {
    await Promise.all(children.map(killChild))
    await opened.close()
  })

  const begin = (runId: string, threadId = 't1') =>
    storage.beginRun(threadId, runId, ({ turn }) => [created(runId, threadId, turn)])
  const rival = async (runId: string) => {
    const child = startChild('begin-run.ts', name, opened.folder, runId)
    children.push(child)
    await messageOf(child)
    return child
  }
  const beginsIn = (child: ChildProcess) => {
    const answer = messageOf(child)
    child.send('begin')
    return answer
  }

  it('gives a thread to one run, and to the next when that is done', async () => {
    expect(await storage.leases.holder('t1')).toBeNull()
    expect(await begin('r1')).toMatchObject({ turn: 1 })
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1', holder: { pid: process.pid } })
    await storage.leases.release('t1', 'r1')
    expect(await storage.leases.holder('t1')).toBeNull()
    expect(await begin('r2')).toMatchObject({ turn: 2 })
    expect(await begin('r3', 't2')).toMatchObject({ turn: 1 })
  })

  it('refuses a second run on the same thread and stores nothing of it', { tags: ['F56'] }, async () => {
    await begin('r1')
    const refused = begin('r2')
    await expect(refused).rejects.toThrow(ThreadBusy)
    await expect(refused).rejects.toThrow(`process ${process.pid} has been working on run "r1"`)
    await expect(storage.leases.acquire('t1', 'r1')).rejects.toThrow(ThreadBusy)
    expect((await storage.events.runs()).map(({ runId }) => runId)).toEqual(['r1'])
  })

  it('of ten runs that begin at once exactly one gets the thread', { tags: ['F56'] }, async () => {
    const begun = await Promise.allSettled(Array.from({ length: 10 }, (_, count) => begin(`r${count}`)))
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of begun) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ThreadBusy)
    expect(await storage.events.runs()).toHaveLength(1)
  })

  it('of processes that begin at once exactly one gets the thread', { tags: ['F57'] }, async () => {
    const rivals = await Promise.all(['r1', 'r2'].map(rival))
    const answers = await Promise.all(rivals.map(beginsIn))
    expect(answers.filter((answer) => (answer as { turn?: number }).turn === 1)).toHaveLength(1)
    expect(answers.filter((answer) => (answer as { code?: string }).code === 'thread_busy')).toHaveLength(1)
    expect(await storage.events.runs()).toHaveLength(1)
    await expect(begin('r4')).rejects.toThrow(ThreadBusy)
  })

  it('takes a thread over from a process that was killed, and only then', async () => {
    const child = await rival('r1')
    expect(await beginsIn(child)).toMatchObject({ turn: 1 })
    await expect(begin('r2')).rejects.toThrow(`process ${child.pid}`)
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1', holder: { pid: child.pid } })
    await killChild(child)
    expect(await storage.leases.holder('t1')).toBeNull()
    expect(await begin('r2')).toMatchObject({ turn: 2 })
  })

  it('gives a thread back to a run that goes on', async () => {
    await begin('r1')
    await storage.leases.release('t1', 'r1')
    await storage.leases.acquire('t1', 'r1')
    await expect(begin('r2')).rejects.toThrow(ThreadBusy)
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1' })
  })

  it('lets a run end its own hold alone', async () => {
    await begin('r1')
    await storage.leases.release('t1', 'r2')
    await storage.leases.release('t2', 'r1')
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1' })
  })

  it('stores nothing and holds nothing when the events cannot be stored', async () => {
    const same = created('r1', 't1', 1)
    await expect(storage.beginRun('t1', 'r1', () => [same, same])).rejects.toThrow('in the log already')
    expect(await storage.leases.holder('t1')).toBeNull()
    expect(await storage.events.runs()).toEqual([])
    expect(await begin('r1')).toMatchObject({ turn: 1 })
  })

  it.each(['', 'a b', '../x', 'x'.repeat(129), 'é'])(
    'refuses the id %j for a thread or a run',
    { tags: ['TRAP17'] },
    async (id) => {
      await expect(begin('r1', id)).rejects.toThrow(InvalidId)
      await expect(begin(id)).rejects.toThrow(InvalidId)
      await expect(storage.leases.acquire(id, 'r1')).rejects.toThrow(InvalidId)
      expect(await storage.events.runs()).toEqual([])
    },
  )
})

describe('a lease of another host or container', () => {
  let folder: string
  let path: string
  let storage: Storage
  let elapsedMs: number
  /** What happens while the storage waits. */
  let meanwhile: () => void

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    path = join(folder, 'quaero.db')
    elapsedMs = 0
    meanwhile = () => {}
    storage = await openSqliteStorage({
      path,
      leaseClock: {
        now: () => elapsedMs,
        async wait(ms) {
          elapsedMs += ms
          meanwhile()
        },
      },
    })
  })
  afterEach(async () => {
    await storage.close()
    await rm(folder, { recursive: true })
  })

  const minuteMs = 60_000
  const begin = (runId: string) => storage.beginRun('t1', runId, ({ turn }) => [created(runId, 't1', turn)])
  /** Run "r1" as a process elsewhere left it; its process number is one of this system, too. */
  const heldElsewhere = async (expiresInMs: number) => {
    await begin('r1')
    await storage.leases.release('t1', 'r1')
    behindItsBack(`INSERT INTO leases (thread_id, run_id, owner, system, pid, process_start, acquired_at, expires_at_ms)
      VALUES ('t1', 'r1', 'o', 's', ${process.pid}, '', 'now', ${Date.now() + expiresInMs})`)
  }
  const renew = () => behindItsBack('UPDATE leases SET renewals = renewals + 1')
  const behindItsBack = (sql: string) => {
    const connection = new Database(path)
    connection.exec(sql)
    connection.close()
  }

  it('holds, whatever process numbers say, and refuses at once while it has not expired', async () => {
    await heldElsewhere(10_000)
    await expect(begin('r2')).rejects.toThrow(ThreadBusy)
    await expect(begin('r2')).rejects.toThrow('of another host or container has been working on run "r1"')
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1', holder: { system: 's' } })
    expect(elapsedMs).toBe(0)
  })

  it.each([
    ['has expired', -minuteMs],
    ['was written by a clock that is ten years ahead', 10 * 365 * 24 * 60 * minuteMs],
  ])('is taken over where it %s, once it was not renewed for its whole duration', async (_, expiresInMs) => {
    await heldElsewhere(expiresInMs)
    expect(await begin('r2')).toMatchObject({ turn: 2 })
    expect(elapsedMs).toBe(20_000)
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r2', holder: { pid: process.pid } })
  })

  it('is not taken over while it is renewed, although the clock here is an hour ahead', async () => {
    await heldElsewhere(-60 * minuteMs)
    meanwhile = () => elapsedMs === 4_000 && renew()
    await expect(begin('r2')).rejects.toThrow(ThreadBusy)
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1' })
    elapsedMs += 19_000
    expect(await storage.leases.holder('t1')).toMatchObject({ runId: 'r1' })
    elapsedMs += 1_000
    expect(await storage.leases.holder('t1')).toBeNull()
  })

  it('is not taken over when it is renewed at the last moment', async () => {
    await heldElsewhere(-minuteMs)
    await expect(
      storage.beginRun('t1', 'r2', () => {
        throw new Error('The question is not stored')
      }),
    ).rejects.toThrow('not stored')
    renew()
    await expect(begin('r2')).rejects.toThrow(ThreadBusy)
  })

  it('lets its former holder store no event, checkpoint or result any more, nor remove a checkpoint', async () => {
    await begin('r1')
    const config = { configurable: { thread_id: 't1' } }
    const metadata = { source: 'input', step: -1, parents: {} } as const
    const saved = await storage.checkpointer.put(config, emptyCheckpoint(), metadata, {})
    behindItsBack(`DELETE FROM leases; INSERT INTO leases (thread_id, run_id, owner, system, pid, process_start, acquired_at, expires_at_ms)
      VALUES ('t1', 'r1', 'o', 's', 1, '', 'now', ${Date.now() + minuteMs})`)
    const notice = event('notice', { code: 'n', message: '' }, { correlationId: 'r1' })
    await expect(storage.events.append(notice)).rejects.toThrow(LeaseLost)
    await expect(storage.checkpointer.put(config, emptyCheckpoint(), metadata, {})).rejects.toThrow(LeaseLost)
    // What becomes of a task's result is told by the next checkpoint.
    await storage.checkpointer.putWrites(saved, [['channel', 1]], 'task')
    await expect(storage.checkpointer.put(config, emptyCheckpoint(), metadata, {})).rejects.toThrow(LeaseLost)
    await expect(storage.pruneThread('t1')).rejects.toThrow(LeaseLost)
    expect((await storage.report()).rows).toMatchObject({ events: 1, checkpoints: 1, writes: 0 })
    // Neither where the other has ended since.
    behindItsBack('DELETE FROM leases')
    await expect(storage.events.append(notice)).rejects.toThrow(LeaseLost)
    // To ask that a run be cancelled needs no lease.
    await storage.events.append(event('cancel.requested', { by: 'user' }, { correlationId: 'r1' }))
  })

  it('is renewed while this process holds it, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await begin('r1')
    const renewals = () => {
      const connection = new Database(path, { readonly: true })
      const row = connection.prepare<[], { renewals: number }>('SELECT renewals FROM leases').get()
      connection.close()
      return row?.renewals
    }
    expect(renewals()).toBe(0)
    vi.advanceTimersByTime(10_000)
    await expect.poll(renewals).toBe(2)
    await storage.leases.release('t1', 'r1')
    vi.advanceTimersByTime(10_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})

const missing = namespacesMissing()

describe.skipIf(missing !== null)(`two containers on one database${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('keep each other from a thread that one of them works on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    const path = join(folder, 'quaero.db')
    const first = startContained('begin-run.ts', ['SQLite', folder, 'r1'])
    const second = startContained('begin-run.ts', ['SQLite', folder, 'r2'])
    onTestFinished(async () => {
      await Promise.all([first, second].map(killChild))
      await rm(folder, { recursive: true })
    })
    const begins = (child: ChildProcess) => {
      const answer = messageOf(child)
      child.send('begin')
      return answer
    }
    await Promise.all([first, second].map(messageOf))
    expect(await begins(first)).toMatchObject({ turn: 1 })
    expect(await begins(second)).toMatchObject({ code: 'thread_busy' })
    const storage = await openSqliteStorage({ path })
    await expect(storage.leases.acquire('t1', 'r3')).rejects.toThrow('of another host or container')
    expect(await storage.events.runs()).toMatchObject([{ runId: 'r1' }])
    await storage.close()
  })
})

function created(runId: string, threadId: string, turn: number): Event {
  return event('run.created', { threadId, turn, question: 'Why?', documents: null }, { correlationId: runId })
}
