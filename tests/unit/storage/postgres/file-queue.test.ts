import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LeaseLost } from '../../../../src/errors.ts'
import type { AddedDocument } from '../../../../src/library/port/library.ts'
import { openPostgresStorage } from '../../../../src/storage/postgres/postgres-storage.ts'
import type { FileQueue, QueueMember, RunQueue } from '../../../../src/storage/queues.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { killChild, messageOf, startChild } from '../../../fixtures/storage/child.ts'
import { administer, databaseNamed, dropDatabase, postgresMissing } from '../../../fixtures/storage/postgres-server.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''
const unlimited = { runs: null, runsPerUser: null, runsPerMinute: null, runsPerMinutePerUser: null }

type QueuedStorage = Storage & { readonly queue: RunQueue; readonly files: FileQueue }

const file = (source: string, bytes: Uint8Array = Buffer.from('A note.')) => ({ source, modifiedMs: 1.5, bytes })
const added: AddedDocument = {
  path: 'a.md',
  documentId: 'abcd',
  status: 'added',
  pages: 2,
  passages: 3,
  error: null,
}

describe.skipIf(postgresMissing !== null)(`files in the queue of PostgreSQL${skipped}`, { timeout: 60_000 }, () => {
  let name: string
  let url: string
  let storage: QueuedStorage
  let worker: QueueMember

  beforeEach(async () => {
    name = basename(await mkdtemp(join(tmpdir(), 'quaero-')))
    url = await databaseNamed(name)
    storage = await open()
    worker = await storage.queue.join(unlimited)
  })
  afterEach(async () => {
    await worker.leave()
    await storage.close()
    await dropDatabase(name)
  })

  const open = async (): Promise<QueuedStorage> => {
    const { queue, files, ...rest } = await openPostgresStorage({ url })
    if (!queue || !files) throw new Error('A storage in PostgreSQL has a queue.')
    return { ...rest, queue, files }
  }
  const claim = async (by = storage) => {
    const claimed = await by.files.claim()
    if (!claimed) throw new Error('There is no file to take.')
    return claimed
  }
  /** The next file that can be taken, once those of lost workers are offered. */
  const recovered = async () => {
    const claimed = async () => {
      await worker.recover()
      return storage.files.claim()
    }
    return expect.poll(claimed, { timeout: 30_000, interval: 300 })
  }

  it('come to a worker as they were, and their bytes are gone once they have ended', async () => {
    const bytes = randomBytes(17_000_001)
    const fileId = await storage.files.submit({ ...file('a.md', bytes), location: '/there/a.md' }, 'ann')
    expect(await storage.files.find(fileId)).toEqual({ state: 'waiting', pages: 0, passages: 0, document: null })
    const claimed = await claim()
    const other = await open()
    onTestFinished(() => other.close())
    expect(await other.files.claim()).toBeNull()
    const { bytes: found, ...rest } = await claimed.open()
    expect(bytes.equals(found)).toBe(true)
    expect(rest).toEqual({ source: 'a.md', location: '/there/a.md', modifiedMs: 1.5 })
    await claimed.progress({ pages: 2, passages: 3 })
    expect(await storage.files.find(fileId)).toEqual({ state: 'reading', pages: 2, passages: 3, document: null })
    await claimed.end(added)
    expect(await storage.files.find(fileId)).toEqual({ state: 'ended', pages: 2, passages: 3, document: added })
    expect(await administer(url, 'SELECT bytes FROM quaero.queued_files')).toEqual([{ bytes: null }])
  })

  it('are forgotten some time after they have ended', async () => {
    const fileId = await storage.files.submit(file('a.md'), null)
    await (await claim()).end(added)
    await administer(url, "UPDATE quaero.queued_files SET ended_at = ended_at - interval '1 day'")
    await storage.files.submit(file('b.md'), null)
    await (await claim()).end(added)
    expect(await storage.files.find(fileId)).toBeNull()
  })

  it('are the same while one from the same source has not ended', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => storage.files.submit(file('a.md'), null)))
    expect(two).toBe(one)
    await (await claim()).end(added)
    expect(await storage.files.submit(file('a.md'), null)).not.toBe(one)
  })

  it('are taken from users in turns', async () => {
    for (const source of ['a1', 'a2', 'a3']) await storage.files.submit(file(source), 'ann')
    await storage.files.submit(file('b1'), 'bob')
    const taken: string[] = []
    for (let next = await storage.files.claim(); next; next = await storage.files.claim()) {
      taken.push(next.source)
      await next.end(added)
    }
    expect(taken).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  it('wait while the queue is paused', async () => {
    await storage.files.submit(file('a.md'), null)
    await storage.queue.pause(true)
    expect(await storage.files.claim()).toBeNull()
    expect(await storage.queue.figures()).toMatchObject({ files: { waiting: 1, working: 0 } })
    await storage.queue.pause(false)
    await claim()
    expect(await storage.queue.figures()).toMatchObject({ files: { waiting: 0, working: 1 } })
  })

  it('wake the workers when they are stored', async () => {
    const stop = new AbortController()
    await worker.changed(stop.signal)
    const changed = worker.changed(stop.signal).then(() => storage.files.claim())
    await storage.files.submit(file('a.md'), null)
    expect(await changed).toMatchObject({ source: 'a.md', lost: { workers: 0 } })
  })

  it('count workers that were lost with them without getting further, and failures that workers survived', async () => {
    await storage.files.submit(file('a.md'), null)
    await (await claim()).release({ hasFailed: true })
    await (await claim()).release({ hasFailed: false })
    expect(await claim()).toMatchObject({ failures: 1, lost: { workers: 0 } })
    // Who takes it again under its own name could not release it.
    expect(await claim()).toMatchObject({ failures: 1, lost: { workers: 1 } })
    const further = await claim()
    expect(further.lost.workers).toBe(2)
    await further.progress({ pages: 7, passages: 9 })
    const next = await claim()
    expect(next.lost).toEqual({ workers: 1, forMs: expect.any(Number) })
    await next.progress({ pages: 7, passages: 9 })
    expect((await claim()).lost.workers).toBe(2)
  })

  it('come to another worker where the session of theirs is gone, which can change nothing more', async () => {
    const other = await open()
    const gone = await other.queue.join(unlimited)
    onTestFinished(() => other.close())
    const fileId = await storage.files.submit(file('a.md'), null)
    const lost = await claim(other)
    await worker.recover()
    expect(await storage.files.claim()).toBeNull()
    await gone.leave()
    await (await recovered()).toMatchObject({ source: 'a.md', lost: { workers: 1 } })
    await expect(lost.progress({ pages: 1, passages: 1 })).rejects.toThrow(LeaseLost)
    await lost.end({ ...added, status: 'failed' })
    await lost.release({ hasFailed: true })
    expect(await storage.files.find(fileId)).toMatchObject({ state: 'reading', document: null })
  })

  it('come to another worker where theirs is frozen, which finds that out when it wakes', {
    tags: ['slow'],
  }, async () => {
    await storage.files.submit(file('a.md'), null)
    const child = startChild('claim-file.ts', url)
    onTestFinished(() => killChild(child))
    expect(await messageOf(child)).toBe('claimed')
    child.kill('SIGSTOP')
    await (await recovered()).toMatchObject({ source: 'a.md', lost: { workers: 1 } })
    child.kill('SIGCONT')
    child.send('go on')
    expect(await messageOf(child)).toBe('lease_lost')
  })

  it('are taken again by a worker that could not release them', async () => {
    await storage.files.submit(file('a.md'), null)
    await claim()
    expect(await claim()).toMatchObject({ source: 'a.md', lost: { workers: 1 } })
  })
})
