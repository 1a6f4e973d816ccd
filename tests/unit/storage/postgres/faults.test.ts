import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LeaseLost, SchemaUnsupported, StorageUnavailable, ThreadBusy } from '../../../../src/errors.ts'
import { event } from '../../../../src/events/index.ts'
import { openPostgresStorage } from '../../../../src/storage/postgres/postgres-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { newDatabase } from '../../../fixtures/storage/new-database.ts'
import {
  administer,
  newPostgresServer,
  postgresMissing,
  sharedServer,
} from '../../../fixtures/storage/postgres-server.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''

describe.skipIf(postgresMissing !== null)(`a storage in PostgreSQL${skipped}`, () => {
  let name: string
  let url: string
  let storage: Storage

  beforeEach(async () => {
    const database = await newDatabase()
    name = database.name
    url = database.url
    storage = await openPostgresStorage({ url })
  })
  afterEach(() => storage.close())

  const begin = (runId: string) =>
    storage.beginRun('t1', runId, ({ turn }) => [
      event('run.created', { threadId: 't1', turn, question: 'Why?', documents: null }, { correlationId: runId }),
    ])
  const notice = (message: string) => event('notice', { code: 'n', message }, { correlationId: 'r1' })
  const messages = async () => {
    const found: string[] = []
    for await (const { type, payload } of storage.events.read('r1')) if (type === 'notice') found.push(payload.message)
    return found
  }

  it('loses and doubles no event when the server closes its connections again and again', async () => {
    await begin('r1')
    const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`
    const expected = Array.from({ length: 12 }, (_, count) => `${count}`)
    for (const message of expected) {
      const appended = storage.events.append(notice(message))
      if (Number(message) % 4 === 0) await administer(url, others)
      await appended
    }
    expect(await messages()).toEqual(expected)
  })

  it('undoes only the work that fails among works that share a transaction', async () => {
    await begin('r1')
    const first = notice('first')
    const results = await Promise.allSettled([first, first, notice('last')].map((each) => storage.events.append(each)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await messages()).toEqual(['first', 'last'])
  })

  it('refuses a database that a newer version wrote, and a running program writes nothing more to it', async () => {
    await begin('r1')
    await administer(url, 'UPDATE quaero.schema_version SET version = 99')
    await expect(openPostgresStorage({ url })).rejects.toThrow(SchemaUnsupported)
    await expect(storage.events.append(notice('late'))).rejects.toThrow('schema version 99')
    expect(await messages()).toEqual([])
  })

  it('says what is wrong and what to do, and never the password', async () => {
    const server = await sharedServer()
    const refused = async (address: string) => {
      const error: unknown = await openPostgresStorage({ url: address, outageMs: 0 }).catch((cause: unknown) => cause)
      expect(error).toBeInstanceOf(StorageUnavailable)
      expect(String(error)).not.toContain('wonderland')
      return String(error)
    }
    expect(await refused('postgres://alice:wonderland@127.0.0.1:1/q')).toContain('Start the server')
    expect(await refused(server.url('missing', 'quaero:wonderland'))).toContain('createdb')
    expect(await refused(server.url(name, 'nobody:wonderland'))).toContain('refuses the user')
    await administer(url, 'DROP SCHEMA quaero CASCADE; CREATE ROLE guest LOGIN')
    try {
      expect(await refused(server.url(name, 'guest:wonderland'))).toContain('grant it CREATE')
    } finally {
      await administer(url, 'DROP ROLE guest')
    }
  })

  it('names a server that takes no writes, as a standby', async () => {
    await begin('r1')
    await administer(url, `ALTER DATABASE "${name}" SET default_transaction_read_only = on`)
    const other = await openPostgresStorage({ url })
    const requested = event('cancel.requested', { by: 'user' }, { correlationId: 'r1' })
    await expect(other.events.append(requested)).rejects.toThrow('takes no writes')
    await other.close()
  })

  it('keeps a thread for a process of another host until its lease expires', async () => {
    await begin('r1')
    await administer(url, "UPDATE quaero.leases SET owner = 'o', system = 's'")
    await expect(begin('r2')).rejects.toThrow('of another host or container')
    await administer(url, 'UPDATE quaero.leases SET expires_at = now()')
    expect(await storage.leases.holder('t1')).toBeNull()
    const other = await openPostgresStorage({ url })
    await expect(other.leases.acquire('t1', 'r2')).resolves.toBeUndefined()
    await expect(begin('r3')).rejects.toThrow(ThreadBusy)
    await other.close()
  })

  it('lets the former holder of a lease store no event, checkpoint or result, nor remove a checkpoint', async () => {
    await begin('r1')
    const config = { configurable: { thread_id: 't1' } }
    const metadata = { source: 'input', step: -1, parents: {} } as const
    const saved = await storage.checkpointer.put(config, emptyCheckpoint(), metadata, {})
    await administer(url, "DELETE FROM quaero.leases WHERE run_id = 'r1'")
    const other = await openPostgresStorage({ url })
    await other.leases.acquire('t1', 'r1')
    await expect(storage.events.append(notice('late'))).rejects.toThrow(LeaseLost)
    await storage.checkpointer.putWrites(saved, [['channel', 1]], 'task')
    await expect(storage.checkpointer.put(config, emptyCheckpoint(), metadata, {})).rejects.toThrow(LeaseLost)
    await expect(storage.pruneThread('t1')).rejects.toThrow(LeaseLost)
    expect((await storage.report()).rows).toMatchObject({ events: 1, checkpoints: 1, writes: 0 })
    await storage.events.append(event('cancel.requested', { by: 'user' }, { correlationId: 'r1' }))
    await other.close()
  })
})

describe.skipIf(postgresMissing !== null)(`a server of PostgreSQL that crashes${skipped}`, () => {
  it('loses nothing that was stored, and the write in its absence follows when it is back', {
    tags: ['slow'],
  }, async () => {
    const server = newPostgresServer(join(tmpdir(), 'crashing-server'))
    await server.start()
    onTestFinished(() => server.stop('immediate').catch(() => {}))
    const storage = await openPostgresStorage({ url: server.url('postgres'), outageMs: 30_000 })
    const append = (message: string) =>
      storage.events.append(event('notice', { code: 'n', message }, { correlationId: 'r1' }))
    for (const message of ['a', 'b']) await append(message)
    await server.stop('immediate')
    const waiting = append('c')
    await server.start()
    expect(await waiting).toMatchObject({ position: 3 })
    await storage.close()
  })
})
