/** @module-tag slow */
import { join } from 'node:path'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { documentIdOf } from '../../../src/library/ingestion/ingest.ts'
import { killChild, messageOf, startChild } from '../../fixtures/storage/child.ts'
import { newDatabase } from '../../fixtures/storage/new-database.ts'
import { postgresMissing } from '../../fixtures/storage/postgres-server.ts'
import { folderOf, openQuaero, papers, temporaryFolder } from '../../fixtures/workflow.ts'

it.skipIf(postgresMissing !== null)(
  'a file whose worker freezes while it stores the document is stored once, by another, within about a minute',
  { timeout: 300_000 },
  async () => {
    const { url } = await newDatabase()
    const open = async () =>
      openQuaero({ dataDir: await temporaryFolder(), settings: { storage: url }, model: 'extractive', queued: true })
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    const lock = [`document ${await documentIdOf(Buffer.from(papers['marble.md']))}`]
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', lock)
    const child = startChild('queue-worker.ts', url, await temporaryFolder())
    onTestFinished(() => killChild(child))
    await messageOf(child)
    const api = await open()
    const report = api.queue?.addFile(join(await folderOf(), 'marble.md'))
    // The child has read the file, and waits to store it.
    const waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    await expect.poll(async () => (await client.query(waits)).rowCount, { timeout: 60_000 }).toBe(1)
    child.kill('SIGSTOP')
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', lock)
    const worker = await open()
    await worker.queue?.work({ concurrency: 1 })
    expect((await report)?.totals).toMatchObject({ added: 1, failed: 0 })
    child.kill('SIGCONT')
    expect((await api.report()).rows).toMatchObject({ documents: 1, sources: 1 })
    expect(await api.queue?.figures()).toMatchObject({ files: { waiting: 0, working: 0 } })
  },
)
