import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EventInvalid, RunNotFound, StorageUnavailable, ThreadBusy } from '../../../../src/errors.ts'
import { type Event, event } from '../../../../src/events/index.ts'
import type { NewDocument } from '../../../../src/library/port/document.ts'
import { firstVersion, migrations } from '../../../../src/storage/sqlite/database/schema.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { killChild, startChild } from '../../../fixtures/storage/child.ts'

describe('the storage in SQLite', () => {
  let folder: string
  let path: string
  let storage: Storage

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    path = join(folder, 'quaero.db')
    storage = await openSqliteStorage({ path })
  })
  afterEach(async () => {
    await storage.close()
    await rm(folder, { recursive: true })
  })

  const begin = (runId: string, threadId = 't1') =>
    storage.beginRun(threadId, runId, ({ turn }) => [created(runId, threadId, turn), notice(runId)])
  const checkpoint = (threadId: string) =>
    storage.checkpointer.put(
      { configurable: { thread_id: threadId } },
      emptyCheckpoint(),
      { source: 'input', step: -1, parents: {} },
      {},
    )
  const positions = async (runId: string) => {
    const found: number[] = []
    for await (const { position } of storage.events.read(runId)) found.push(position)
    return found
  }

  it('keeps everything in memory if asked to, and leaves no file', { tags: ['R36'] }, async () => {
    await storage.close()
    await rm(folder, { recursive: true })
    storage = await openSqliteStorage({ path: ':memory:' })
    await begin('r1')
    expect(await storage.report()).toMatchObject({ path: ':memory:', integrity: 'ok', rows: { runs: 1, events: 2 } })
    await expect(readdir(folder)).rejects.toThrow('ENOENT')
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  })

  it('begins a run with its first events and counts the turns of each thread', async () => {
    expect(await begin('r1')).toMatchObject({ turn: 1 })
    await storage.leases.release('t1', 'r1')
    expect(await begin('r2')).toMatchObject({ turn: 2 })
    expect(await begin('r3', 't2')).toMatchObject({ turn: 1 })
    expect(await positions('r2')).toEqual([1, 2])
    expect(await storage.events.run('r2')).toMatchObject({ threadId: 't1', turn: 2, question: 'Why?' })
  })

  it('resets a thread, keeping its log', async () => {
    await begin('r1')
    await checkpoint('t1')
    await checkpoint('t2')
    await expect(storage.resetThread('t1')).rejects.toThrow(ThreadBusy)
    await storage.leases.release('t1', 'r1')
    await storage.resetThread('t1')
    expect(await storage.checkpointer.getTuple({ configurable: { thread_id: 't1' } })).toBeUndefined()
    expect(await storage.checkpointer.getTuple({ configurable: { thread_id: 't2' } })).toBeDefined()
    expect(await positions('r1')).toEqual([1, 2])
    expect(await begin('r2')).toMatchObject({ turn: 2, afterReset: true })
    await storage.leases.release('t1', 'r2')
    // Nothing was reset since, although there is no checkpoint yet.
    expect(await begin('r3')).toMatchObject({ turn: 3, afterReset: false })
    await storage.leases.release('t1', 'r3')
    await storage.checkpointer.deleteThread('t1')
    expect(await begin('r4')).toMatchObject({ turn: 4, afterReset: true })
  })

  it('deletes a thread with all that belongs to it, but not while a run works on it', async () => {
    await begin('r1')
    await begin('r2', 't2')
    await checkpoint('t1')
    const before = (await storage.report()).rows
    await expect(storage.deleteThread('t1')).rejects.toThrow(ThreadBusy)
    expect((await storage.report()).rows).toEqual(before)

    await storage.leases.release('t1', 'r1')
    await storage.deleteThread('t1')
    await expect(storage.events.run('r1')).rejects.toThrow(RunNotFound)
    expect(await positions('r1')).toEqual([])
    expect((await storage.report()).rows).toMatchObject({ runs: 1, events: 2, checkpoints: 0, leases: 1 })
    expect((await storage.threads.list()).map(({ threadId }) => threadId)).toEqual(['t2'])
    await storage.deleteThread('no-such-thread')
  })

  it('reports where it is, how large, and that it is in order', { tags: ['F67'] }, async () => {
    await begin('r1')
    await storage.library.put(document, source)
    const report = await storage.report()
    expect(report).toMatchObject({ path, integrity: 'ok', schemaVersion: firstVersion + migrations.length - 1 })
    expect(report.bytes).toBeGreaterThan(4096)
    expect(report.rows).toEqual({
      runs: 1,
      events: 2,
      checkpoints: 0,
      writes: 0,
      leases: 1,
      documents: 1,
      sources: 1,
      pages: 1,
      passages: 1,
      scores: 0,
    })
  })

  it('refuses an event that is in the log already, and keeps the log without gaps', async () => {
    const twice = notice('r1')
    await storage.events.append(twice)
    await expect(storage.events.append(twice)).rejects.toThrow(EventInvalid)
    await storage.events.append(notice('r1'))
    expect(await positions('r1')).toEqual([1, 2])
  })

  it('refuses an event whose payload is no JSON', async () => {
    const odd = { ...notice('r1'), payload: { code: 'n', message: 1n } } as unknown as Event
    await expect(storage.events.append(odd)).rejects.toThrow(EventInvalid)
    expect(await positions('r1')).toEqual([])
  })

  it('lists an ended run without reading its events again', async () => {
    await begin('r1')
    await storage.events.append(
      event('run.failed', { code: 'x', message: 'no', recoverable: false }, { correlationId: 'r1' }),
    )
    const known = await storage.events.run('r1')
    tamper(path, `DELETE FROM events WHERE run_id = 'r1'`)
    expect(known.status.state).toBe('failed')
    expect(await storage.events.run('r1')).toEqual(known)
    expect(await storage.events.runs()).toEqual([known])
  })

  it('makes a damaged full-text index again from the pages', { tags: ['F63'] }, async () => {
    await storage.library.put(document, source)
    tamper(path, 'UPDATE passage_terms_data SET block = zeroblob(length(block)) WHERE id > 10')
    expect((await storage.report()).integrity).toContain('passage_terms')
    const query = { terms: ['whales'], limit: 5, documents: null }
    expect(await storage.library.match(query)).toMatchObject([{ passage: { passageId: 'd1.0', text: 'Whales sing.' } }])
    expect((await storage.report()).integrity).toBe('ok')

    tamper(path, 'UPDATE passage_terms_data SET block = zeroblob(length(block)) WHERE id > 10')
    await storage.library.put({ ...document, record: { ...document.record, title: 'Other' } }, source)
    expect(await storage.library.match(query)).toHaveLength(1)
    expect((await storage.report()).integrity).toBe('ok')
  })

  it('has every event it said it stored after the process was killed at any moment', {
    tags: ['slow', 'F50', 'F51'],
  }, async () => {
    await storage.close()
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (stored) => {
        const file = join(await mkdtemp(join(folder, 'killed-')), 'quaero.db')
        const child = startChild('append-until-killed.ts', file)
        const acknowledged: string[] = []
        child.on('message', (id: string) => acknowledged.push(id))
        while (acknowledged.length < stored) await once(child, 'message')
        await killChild(child)

        const found = await openSqliteStorage({ path: file })
        const log = new Map<string, number>()
        for await (const { id, position } of found.events.read('r1')) log.set(id, position)
        expect(acknowledged.filter((id) => !log.has(id))).toEqual([])
        expect([...log.values()]).toEqual(Array.from(log, (_, index) => index + 1))
        expect((await found.report()).integrity).toBe('ok')
        expect(await found.events.run('r1')).toMatchObject({ question: 'Why?', status: { state: 'queued' } })
        expect(await found.beginRun('t1', 'r2', () => [])).toMatchObject({ turn: 2 })
        await found.close()
      }),
      { numRuns: 5 },
    )
  })

  it('is opened and read while another process has locked it', { tags: ['F62'] }, async () => {
    await begin('r1')
    const lock = new Database(path)
    lock.exec('BEGIN IMMEDIATE')
    const reader = await openSqliteStorage({ path, busyWaitMs: 0 })
    expect(await reader.events.runs()).toHaveLength(1)
    expect((await reader.report()).rows.runs).toBe(1)
    await expect(reader.events.append(notice('r1'))).rejects.toThrow('is busy')
    await reader.close()
    lock.close()
  })

  it('refuses further use once it is closed', async () => {
    await storage.close()
    await expect(storage.events.append(notice('r1'))).rejects.toThrow(StorageUnavailable)
    await expect(begin('r1')).rejects.toThrow('has been closed')
    await expect(storage.library.documents()).rejects.toThrow('has been closed')
    await expect(checkpoint('t1')).rejects.toThrow('has been closed')
  })
})

const document: NewDocument = {
  record: { documentId: 'd1', title: null, authors: [], year: null, source: '/papers/d1.pdf', format: 'pdf' },
  pages: [{ number: 1, label: 'iv', text: 'Whales sing.', header: null }],
  passages: [
    {
      passageId: 'd1.0',
      documentId: 'd1',
      ordinal: 0,
      page: 1,
      section: null,
      kind: 'text',
      start: 0,
      end: 12,
      text: 'Whales sing.',
    },
  ],
}
const source = { source: '/papers/d1.pdf', documentId: 'd1', size: 1, modifiedMs: 1 }

function created(runId: string, threadId: string, turn: number): Event {
  return event('run.created', { threadId, turn, question: 'Why?', documents: null }, { correlationId: runId })
}

function notice(runId: string): Event {
  return event('notice', { code: 'n', message: '' }, { correlationId: runId })
}

/** Changes the file behind the storage's back. */
function tamper(path: string, sql: string): void {
  const connection = new Database(path)
  connection.unsafeMode()
  connection.exec(sql)
  connection.close()
}
