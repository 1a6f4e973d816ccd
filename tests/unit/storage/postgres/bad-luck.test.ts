import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NotReady, SchemaUnsupported, StorageUnavailable } from '../../../../src/errors.ts'
import { type Event, event } from '../../../../src/events/index.ts'
import { openDatabase } from '../../../../src/storage/postgres/database/database.ts'
import { openPostgresStorage } from '../../../../src/storage/postgres/postgres-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { clocksMissing, killChild, messageOf, startChild, startSkewed } from '../../../fixtures/storage/child.ts'
import { newDatabase } from '../../../fixtures/storage/new-database.ts'
import {
  administer,
  guarded,
  newPostgresServer,
  postgresMissing,
  sharedServer,
} from '../../../fixtures/storage/postgres-server.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''
const noClock = postgresMissing ?? clocksMissing()
const origin = { correlationId: 'r1' }
const notice = (message: string) => event('notice', { code: 'n', message }, origin) as Event

async function ownDatabase() {
  const { name, url } = await newDatabase()
  const open = async (outageMs = 15_000) => {
    const storage = await openPostgresStorage({ url, outageMs })
    onTestFinished(() => storage.close())
    return storage
  }
  return { name, url, open }
}

async function ownServer(settings: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'own-server-'))
  chmodSync(folder, 0o755)
  const server = newPostgresServer(folder, ['fsync = off', ...settings])
  await server.start()
  onTestFinished(() => server.stop('immediate').catch(() => {}))
  return server
}

const begin = (storage: Storage) =>
  storage.beginRun('t1', 'r1', ({ turn }) => [
    event('run.created', { threadId: 't1', turn, question: '?', documents: null }, origin) as Event,
  ])

async function messages(storage: Storage) {
  const found: string[] = []
  for await (const { type, payload } of storage.events.read('r1')) if (type === 'notice') found.push(payload.message)
  return found
}

/** The text of the failure, which names no password. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(StorageUnavailable)
  expect(String(error)).not.toContain('wonderland')
  return String(error)
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe.skipIf(postgresMissing !== null)(`bad luck with PostgreSQL${skipped}`, { timeout: 60_000 }, () => {
  it('names the right that is missing where the tables belong to somebody else', async () => {
    const { url, name, open } = await ownDatabase()
    await open()
    const role = `guest_${name.replaceAll('-', '_').toLowerCase()}`
    await administer(url, `CREATE ROLE ${role} LOGIN`)
    onTestFinished(async () => void (await administer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)))
    const own = (await sharedServer()).url(name, `${role}:wonderland`)
    const opened = () => openPostgresStorage({ url: own, outageMs: 0 })
    expect(await refusal(opened())).toMatch(/permission denied for schema quaero.+own the schema "quaero"/)
    await administer(url, `GRANT USAGE ON SCHEMA quaero TO ${role}`)
    expect(await refusal(opened())).toContain('permission denied for table schema_version')
    await administer(url, `GRANT SELECT ON ALL TABLES IN SCHEMA quaero TO ${role}`)
    const reader = await opened()
    onTestFinished(() => reader.close())
    expect(await reader.events.ids()).toEqual([])
    expect(await refusal(begin(reader))).toContain('permission denied')
  })

  it('is told as closed, not as a fault, to who still reads or writes', async () => {
    const storage = await (await ownDatabase()).open()
    await begin(storage)
    await storage.close()
    await expect(storage.events.run('r1')).rejects.toThrow(NotReady)
    await expect(storage.events.append(notice('late'))).rejects.toThrow(NotReady)
  })

  it('is brought up to date once by programs that come at the same moment, and an older one then writes nothing', async () => {
    const { url } = await ownDatabase()
    const first = 'CREATE TABLE notes (text text); CREATE SEQUENCE steps'
    const openWith = async (...migrations: readonly string[]) => {
      const database = await openDatabase({ url, migrations })
      onTestFinished(() => database.close())
      return database
    }
    const older = await openWith(first)
    await older.write((sql) => sql.run("INSERT INTO notes VALUES ('old')"))
    const second = "SELECT nextval('steps'); ALTER TABLE notes ADD COLUMN author text"
    const newer = await Promise.all(Array.from({ length: 5 }, () => openWith(first, second)))
    expect(await newer[0]?.sql.get('SELECT last_value AS steps, text FROM steps, notes')).toEqual({
      steps: 1,
      text: 'old',
    })
    await expect(older.write((sql) => sql.run("INSERT INTO notes VALUES ('late')"))).rejects.toThrow(SchemaUnsupported)
    await newer[0]?.write((sql) => sql.run("INSERT INTO notes VALUES ('new', 'me')"))
    expect(await older.sql.all('SELECT text FROM notes')).toEqual([{ text: 'old' }, { text: 'new' }])
  })

  it('stores no checkpoint over results that could not be stored in the same commit', async () => {
    const { url, open } = await ownDatabase()
    const { checkpointer } = await open()
    const config = { configurable: { thread_id: 't1' } }
    const metadata = { source: 'input', step: -1, parents: {} } as const
    const put = () => checkpointer.put(config, { ...emptyCheckpoint(), id: randomUUID() }, metadata, {})
    const saved = await put()
    await administer(url, "ALTER TABLE quaero.writes ADD CONSTRAINT no_such CHECK (channel <> 'bad')")
    const writing = checkpointer.putWrites(saved, [['bad', 1]], 'task')
    expect(await refusal(put())).toContain('no_such')
    await writing
    await expect(put()).resolves.toBeDefined()
  })

  it('stores each event once, wherever an administrator ends the connections', async () => {
    const { url, name, open } = await ownDatabase()
    const storage = await open()
    await begin(storage)
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    onTestFinished(() => admin.end())
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`
    const expected = Array.from({ length: 25 }, (_, turns) => `after ${turns} turns`)
    for (const [turns, message] of expected.entries()) {
      const appended = storage.events.append(notice(message))
      for (let n = 0; n < turns; n += 1) await turn()
      await admin.query(end)
      await appended
    }
    expect(await messages(storage)).toEqual(expected)
    await storage.leases.release('t1', 'r1')
    expect(await storage.leases.holder('t1')).toBeNull()
  })

  it('says that a time limit of the server ended a statement, and how to raise it', async () => {
    const { url, name, open } = await ownDatabase()
    const storage = await open()
    await begin(storage)
    await administer(url, `ALTER DATABASE "${name}" SET statement_timeout = 100`)
    const limited = await open()
    const lock = new pg.Client({ connectionString: url, statement_timeout: 0 })
    await lock.connect()
    await lock.query('BEGIN; LOCK TABLE quaero.events')
    expect(await refusal(limited.events.append(event('cancel.requested', { by: 'user' }, origin)))).toMatch(
      /time limit.+statement_timeout/,
    )
    await lock.end()
    await limited.events.append(event('cancel.requested', { by: 'user' }, origin))
    expect((await storage.events.run('r1')).status.state).toBe('cancelled')
  })

  it('lets a process that was frozen past its lease store nothing when it wakes', { tags: ['slow'] }, async () => {
    const { url, open } = await ownDatabase()
    const child = startChild('offer-run.ts', url)
    onTestFinished(() => killChild(child))
    expect(await messageOf(child)).toBe('offered')
    child.kill('SIGSTOP')
    // As of another host, whose processes nobody here can look at.
    await administer(url, "UPDATE quaero.leases SET system = 'another', expires_at = now()")
    const storage = await open()
    await storage.leases.acquire('t1', 'r1')
    const answer = messageOf(child)
    child.send(notice('late'))
    child.kill('SIGCONT')
    expect(await answer).toBe('lease_lost')
    await storage.events.append(notice('mine'))
    expect(await messages(storage)).toEqual(['mine'])
  })
})

describe.skipIf(noClock !== null)(
  `processes whose clocks are wrong${noClock ? ` (skipped: ${noClock})` : ''}`,
  { timeout: 60_000 },
  () => {
    it('hold their threads by the clock of the server', { tags: ['slow'] }, async () => {
      const { name, url } = await newDatabase()
      const early = startSkewed(-1, 'begin-run.ts', 'PostgreSQL', name, 'r1')
      const late = startSkewed(1, 'begin-run.ts', 'PostgreSQL', name, 'r2')
      for (const child of [early, late]) onTestFinished(() => killChild(child))
      expect(await Promise.all([messageOf(early), messageOf(late)])).toEqual(['ready', 'ready'])
      const begun = (child: typeof early) => {
        const answer = messageOf(child)
        child.send('begin')
        return answer
      }
      expect(await begun(early)).toEqual({ turn: 1 })
      expect(await begun(late)).toMatchObject({ code: 'thread_busy' })
      await killChild(early)
      expect(await begun(late)).toMatchObject({ code: 'thread_busy' })
      await administer(url, 'UPDATE quaero.leases SET expires_at = now()')
      expect(await begun(late)).toEqual({ turn: 2 })
      const runs = await administer(
        url,
        'SELECT run_id, created_at::timestamptz > now() AS ahead FROM quaero.runs ORDER BY number',
      )
      expect(runs).toEqual([
        { run_id: 'r1', ahead: false },
        { run_id: 'r2', ahead: true },
      ])
    })
  },
)

describe.skipIf(postgresMissing !== null)(`a small server of PostgreSQL${skipped}`, { timeout: 120_000 }, () => {
  it('refuses a wrong password, and names neither it nor the right one', async () => {
    const server = await ownServer([])
    const role = `CREATE ROLE ${guarded} LOGIN PASSWORD 'rabbit-hole'`
    for (const statement of [role, `CREATE DATABASE own OWNER ${guarded}`])
      await administer(server.url('postgres'), statement)
    const open = (password: string) => openPostgresStorage({ url: server.url('own', guarded + password), outageMs: 0 })
    expect(await refusal(open(':wonderland'))).toContain('refuses the user or the password')
    expect(await refusal(open(''))).toMatch(/client password must be a string.+correct QUAERO_DATABASE_URL/)
    const storage = await open(':rabbit-hole')
    expect(JSON.stringify(await storage.report())).not.toContain('rabbit')
    await storage.close()
  })

  it('is waited for while it has no free connection or is away, and nothing is lost when the wait is too short', async () => {
    const server = await ownServer(['max_connections = 8', 'superuser_reserved_connections = 0'])
    const url = server.url('postgres')
    const storage = await openPostgresStorage({ url, outageMs: 200 })
    onTestFinished(() => storage.close())
    await begin(storage)
    await storage.events.append(notice('before'))
    const others: pg.Client[] = []
    for (;;) {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      const isIn = await client.connect().then(
        () => true,
        () => false,
      )
      if (!isIn) break
      others.push(client)
    }
    expect(await refusal(openPostgresStorage({ url, outageMs: 0 }))).toContain('no free connection')
    await storage.events.append(notice('over a connection that is there'))
    const patient = openPostgresStorage({ url })
    await Promise.all(others.map((client) => client.end()))
    await (await patient).close()
    await server.stop('immediate')
    expect(await refusal(storage.events.append(notice('lost')))).toMatch(/cannot be reached|lost/)
    await server.start()
    await storage.events.append(notice('after'))
    expect(await messages(storage)).toEqual(['before', 'over a connection that is there', 'after'])
  })
})

describe.skipIf(postgresMissing !== null)(`a full disk of PostgreSQL${skipped}`, { timeout: 60_000 }, () => {
  it('is named, and loses nothing that was stored before', async ({ skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'small-disk-'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=0777', 'tmpfs', disk], { stdio: 'pipe' })
    } catch {
      return skip('No small disk can be mounted here.')
    }
    onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
    // Others on a server whose disk is full could make no checkpoint.
    const server = await ownServer([])
    const admin = server.url('postgres')
    const folder = join(disk, 'tables')
    mkdirSync(folder)
    chmodSync(join(disk, '..'), 0o755)
    const { uid, gid } = statSync(server.folder)
    chownSync(folder, uid, gid)
    await administer(admin, `CREATE TABLESPACE small LOCATION '${folder}'`)
    await administer(admin, 'CREATE DATABASE small TEMPLATE template0 TABLESPACE small')
    const storage = await openPostgresStorage({ url: server.url('small') })
    onTestFinished(() => storage.close())
    await begin(storage)
    await storage.events.append(notice('before'))
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize))
    const text = randomBytes(2_000_000).toString('hex')
    expect(await refusal(storage.events.append(notice(text)))).toContain('is full')
    rmSync(join(disk, 'filler'))
    await storage.events.append(notice('after'))
    expect(await messages(storage)).toEqual(['before', 'after'])
  })
})
