import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { NotReady, StorageUnavailable } from '../../../../src/errors.ts'
import { documentIdOf } from '../../../../src/library/ingestion/ingest.ts'
import { openPostgresStorage } from '../../../../src/storage/postgres/postgres-storage.ts'
import { killChild, messageOf, startChild } from '../../../fixtures/storage/child.ts'
import { newDatabase } from '../../../fixtures/storage/new-database.ts'
import { administer, postgresMissing } from '../../../fixtures/storage/postgres-server.ts'
import { folderOf, openQuaero, papers, temporaryFolder } from '../../../fixtures/workflow.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''

const unlimited = { runs: null, runsPerUser: null, runsPerMinute: null, runsPerMinutePerUser: null }

/** Files that are added, and files that are not. */
const files = {
  'marble.md': papers['marble.md'],
  'broken.pdf': '%PDF-1.4 and nothing',
  'empty.md': '',
  'program.exe': 'MZ',
}

const within = { timeout: 60_000 }

describe.skipIf(postgresMissing !== null)(`a file for the workers${skipped}`, { timeout: 120_000 }, () => {
  let url: string
  let folder: string

  beforeEach(async () => {
    url = (await newDatabase()).url
    folder = await folderOf(files)
  })

  const open = async () => {
    const notices: string[] = []
    const quaero = await openQuaero({
      onNotice: (message) => notices.push(message),
      dataDir: await temporaryFolder(),
      settings: { storage: url },
      model: 'extractive',
      queued: true,
    })
    const { queue } = quaero
    if (!queue) throw new Error('A storage in PostgreSQL has a queue.')
    return { quaero, queue, notices }
  }
  /** Takes a lock of the store, until the function that is returned is called. */
  const hold = async (lock: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [lock])
    return async () => {
      await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [lock])
    }
  }
  /** Keeps documents from being completed. */
  const holdLibrary = () => hold('library')

  it('is reported as the library reports it that reads it itself', async () => {
    const alone = await openQuaero({ dataDir: ':memory:' })
    const [api, worker] = [await open(), await open()]
    await worker.queue.work({ concurrency: 1 })
    for (const name of Object.keys(files)) {
      const path = join(folder, name)
      expect(await api.queue.addFile(path)).toEqual(await alone.library.add([path]))
      const wanted = (await alone.library.list()).map((each) => ({ ...each, addedAt: expect.any(String) }))
      expect(await api.quaero.library.list()).toEqual(wanted)
      expect((await api.queue.addFile(path)).documents).toEqual((await alone.library.add([path])).documents)
    }
  })

  it('is read from the queue, wherever it lies', async () => {
    const [api, worker] = [await open(), await open()]
    const report = api.queue.addFile(join(folder, 'marble.md'))
    await expect.poll(async () => (await api.queue.figures()).files.waiting, within).toBe(1)
    await rm(join(folder, 'marble.md'))
    await worker.queue.work({ concurrency: 1 })
    expect((await report).documents).toMatchObject([{ path: join(folder, 'marble.md'), status: 'added' }])
  })

  it('is one document, read by another worker, if its worker is killed in the middle', { tags: ['slow'] }, async () => {
    const api = await open()
    const release = await holdLibrary()
    const child = startChild('queue-worker.ts', url, await temporaryFolder())
    onTestFinished(() => killChild(child))
    await messageOf(child)
    const done: unknown[] = []
    const report = api.queue.addFile(join(folder, 'marble.md'), { onProgress: (each) => void done.push(each) })
    await expect.poll(() => done.at(-1), within).toEqual({ pages: 1, passages: expect.any(Number) })
    expect(await api.quaero.library.list()).toEqual([])
    await killChild(child)
    const worker = await open()
    await worker.queue.work({ concurrency: 1 })
    await release()
    expect((await report).documents).toMatchObject([{ status: 'added', pages: 1 }])
    const document = { source: join(folder, 'marble.md') }
    expect(await api.quaero.library.list()).toMatchObject([document])
    expect((await api.quaero.report()).rows).toMatchObject({ documents: 1, sources: 1, pages: 1 })
    expect(await api.queue.figures()).toMatchObject({ files: { waiting: 0, working: 0 } })
  })

  it('is left alone by a worker from which it was taken away, which stores nothing of it', async () => {
    const [api, worker] = [await open(), await open()]
    const release = await hold(`document ${await documentIdOf(Buffer.from(papers['marble.md']))}`)
    await worker.queue.work({ concurrency: 1 })
    const report = api.queue.addFile(join(folder, 'marble.md'))
    await expect.poll(async () => (await api.queue.figures()).files.working, within).toBe(1)
    await administer(url, "UPDATE quaero.queued_files SET owner = 'another', attempts = attempts + 1")
    await release()
    await expect.poll(() => worker.notices, within).toContainEqual(expect.stringContaining('Another worker has taken'))
    expect(await api.quaero.library.list()).toEqual([])
    await administer(url, 'UPDATE quaero.queued_files SET owner = NULL')
    expect((await report).totals).toMatchObject({ added: 1 })
  })

  it('is read by the next worker after three have ended while they read it, and given up by time without progress', {
    tags: ['slow'],
  }, async () => {
    const api = await open()
    const path = join(folder, 'marble.md')
    const report = api.queue.addFile(path)
    await expect.poll(async () => (await api.queue.figures()).files.waiting, within).toBe(1)
    for (const before of [0, 1, 2]) {
      const lost = await openPostgresStorage({ url })
      const member = await lost.queue?.join(unlimited)
      const next = async () => {
        await member?.recover()
        return (await lost.files?.claim())?.lost.workers
      }
      await expect.poll(next, within).toBe(before)
      await member?.leave()
      await lost.close()
    }
    const worker = await open()
    await worker.queue.work({ concurrency: 1 })
    expect((await report).documents).toMatchObject([{ status: 'added' }])

    await worker.queue.pause(true)
    await writeFile(path, 'Another text.')
    const again = api.queue.addFile(path)
    await expect.poll(async () => (await api.queue.figures()).files.waiting, within).toBe(1)
    await administer(
      url,
      "UPDATE quaero.queued_files SET stuck_after = -20, stuck_since = clock_timestamp() - interval '6 minutes'",
    )
    await worker.queue.pause(false)
    expect((await again).documents).toMatchObject([
      {
        status: 'failed',
        error: { code: 'workers_lost', message: expect.stringContaining('none got further with it for 6 minutes') },
      },
    ])
  })

  it('is not begun while the queue is paused', async () => {
    const api = await open()
    await api.queue.pause(true)
    await api.queue.work({ concurrency: 1 })
    const report = api.queue.addFile(join(folder, 'marble.md'))
    await expect.poll(async () => (await api.queue.figures()).files, within).toEqual({ waiting: 1, working: 0 })
    await api.queue.pause(false)
    expect((await report).totals).toMatchObject({ added: 1 })
  })

  it('leaves the worker to questions, however many files wait', async () => {
    const api = await open()
    await api.quaero.library.add([join(folder, 'marble.md')])
    for (const name of ['one.md', 'two.md']) await writeFile(join(folder, name), `A note, ${name}.`)
    const release = await holdLibrary()
    await api.queue.work({ concurrency: 1 })
    const reports = ['one.md', 'two.md'].map((name) => api.queue.addFile(join(folder, name)))
    await expect.poll(async () => (await api.queue.figures()).files, within).toEqual({ waiting: 1, working: 1 })
    const { status } = await api.quaero.ask('How many pages does the Marble corpus hold?')
    expect(status).toBe('completed')
    expect((await api.queue.figures()).files).toEqual({ waiting: 1, working: 1 })
    await release()
    expect((await Promise.all(reports)).map(({ totals }) => totals.added)).toEqual([1, 1])
  })

  it('goes to another worker where the one that reads it is closed, and the one who waits is told so', async () => {
    const [api, first] = [await open(), await open()]
    const path = join(folder, 'long.md')
    const text = 'A sentence of the long note.\n\n'.repeat(50_000)
    await writeFile(path, text)
    const release = await hold(`document ${await documentIdOf(Buffer.from(text))}`)
    await first.queue.work({ concurrency: 1 })
    const report = api.queue.addFile(path)
    await expect.poll(async () => (await api.queue.figures()).files.working, within).toBe(1)
    const closed = first.quaero.close()
    await release()
    await closed
    expect((await api.queue.figures()).files).toEqual({ waiting: 1, working: 0 })
    expect(await api.quaero.library.list()).toEqual([])
    const waiting = expect(report).rejects.toThrow(NotReady)
    await api.quaero.close()
    await waiting
    const second = await open()
    await second.queue.work({ concurrency: 1 })
    await expect.poll(() => second.quaero.library.list(), within).toMatchObject([{ source: path }])
  })

  it('throws what the storage threw in each of three attempts', async () => {
    const api = await open()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('ALTER TABLE quaero.page_pieces ADD CONSTRAINT none CHECK (page < 0)')
    await api.queue.work({ concurrency: 1 })
    const thrown: unknown = await api.queue.addFile(join(folder, 'marble.md')).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(StorageUnavailable)
    expect(String(thrown)).toContain('violates check constraint')
    expect(api.notices).toHaveLength(2)
    await writeFile(join(folder, 'later.md'), 'A later note.')
    await client.query('ALTER TABLE quaero.page_pieces DROP CONSTRAINT none')
    expect((await api.queue.addFile(join(folder, 'later.md'))).totals.added).toBe(1)
  })
})
