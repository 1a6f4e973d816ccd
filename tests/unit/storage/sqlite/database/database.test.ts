import { execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdtemp, open as openFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SchemaUnsupported, StorageUnavailable } from '../../../../../src/errors.ts'
import { initialStatus } from '../../../../../src/events/index.ts'
import {
  type DatabaseOptions,
  openDatabase,
  type SqliteDatabase,
} from '../../../../../src/storage/sqlite/database/database.ts'
import { applicationId, firstVersion, migrations } from '../../../../../src/storage/sqlite/database/schema.ts'
import { openSqliteStorage } from '../../../../../src/storage/sqlite/sqlite-storage.ts'
import { killChild, messageOf, startChild } from '../../../../fixtures/storage/child.ts'

describe('a database file', () => {
  let folder: string
  let path: string
  let opened: SqliteDatabase[]

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    path = join(folder, 'quaero.db')
    opened = []
  })
  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()))
    await rm(folder, { recursive: true })
  })

  const open = async (options: Partial<DatabaseOptions> = {}) => {
    const database = await openDatabase({ path, ...options })
    opened.push(database)
    return database
  }
  const notes = ['CREATE TABLE notes (text TEXT) STRICT;']
  const add = (database: SqliteDatabase, text: string) =>
    database.write(() => database.connection.prepare('INSERT INTO notes VALUES (?)').run(text))
  const count = ({ connection }: SqliteDatabase) => connection.prepare('SELECT count(*) FROM notes').pluck().get()
  const pragma = ({ connection }: SqliteDatabase, name: string) => connection.pragma(name, { simple: true })

  it('is made with its folder, and marked as ours', async () => {
    path = join(folder, 'a', 'b', 'quaero.db')
    const database = await open()
    expect(pragma(database, 'application_id')).toBe(applicationId)
    expect(pragma(database, 'user_version')).toBe(firstVersion + migrations.length - 1)
    expect(pragma(database, 'journal_mode')).toBe('wal')
    expect(pragma(database, 'foreign_keys')).toBe(1)
    expect(pragma(database, 'trusted_schema')).toBe(0)
  })

  it('leaves no file when it is kept in memory', { tags: ['R36'] }, async () => {
    const database = await open({ path: ':memory:', migrations: notes })
    await add(database, 'x')
    expect(count(database)).toBe(1)
    expect(await readdir(folder)).toEqual([])
    expect((await readdir('.')).filter((name) => name.includes('memory'))).toEqual([])
  })

  it('syncs the write-ahead log only for what must not be lost', { tags: ['TRAP7'] }, async () => {
    const database = await open({ migrations: notes })
    const handle = await openFile(path)
    const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync')
    await handle.close()
    try {
      await add(database, 'x')
      expect(datasync).not.toHaveBeenCalled()
      await database.write(() => count(database), { durable: true })
      expect(datasync).toHaveBeenCalledTimes(1)
    } finally {
      datasync.mockRestore()
    }
  })

  it('takes back all of a write that fails, and goes on', async () => {
    const database = await open({ migrations: notes })
    const failing = database.write(() => {
      database.connection.exec(`INSERT INTO notes VALUES ('x')`)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await add(database, 'y')
    expect(count(database)).toBe(1)
  })

  it('waits for writes under way before it closes, and refuses later ones', async () => {
    const database = await open({ migrations: notes })
    const written = add(database, 'x')
    await database.close()
    await database.close()
    await written
    await expect(add(database, 'y')).rejects.toThrow('has been closed')
    await expect(database.read(() => count(database))).rejects.toThrow(StorageUnavailable)
    expect(count(await open({ migrations: notes }))).toBe(1)
  })

  describe('that another process has locked', { tags: ['F62'] }, () => {
    it('is written once the other releases the lock, and the event loop stays free until then', async () => {
      const database = await open({ migrations: notes })
      const other = startChild('hold-lock.ts', path)
      try {
        await messageOf(other)
        const written = add(database, 'x')
        // Were the event loop blocked, this would never be sent before the wait is over.
        let turns = 0
        const timer = setInterval(() => {
          turns += 1
          if (turns === 20) other.send('release')
        }, 2)
        await written
        clearInterval(timer)
        expect(turns).toBeGreaterThanOrEqual(20)
        expect(count(database)).toBe(1)
      } finally {
        await killChild(other)
      }
    })

    it('is reported as busy when the wait is over, and can be written later', async () => {
      const database = await open({ migrations: notes, busyWaitMs: 100 })
      const lock = new Database(path)
      lock.exec('BEGIN IMMEDIATE')
      const writes = await Promise.allSettled([add(database, 'x'), add(database, 'y'), add(database, 'z')])
      for (const write of writes) {
        expect(write).toMatchObject({ status: 'rejected', reason: expect.any(StorageUnavailable) })
        expect(write).toMatchObject({ reason: { message: expect.stringContaining(`${path} is busy`) } })
      }
      expect(await database.read(() => count(database))).toBe(0)
      lock.exec('ROLLBACK')
      lock.close()
      await add(database, 'x')
      expect(count(database)).toBe(1)
    })

    it('keeps the order of writes', async () => {
      const database = await open({ migrations: notes })
      const lock = new Database(path)
      lock.exec('BEGIN IMMEDIATE')
      const writes = ['a', 'b', 'c'].map((text) => add(database, text))
      await new Promise(setImmediate)
      lock.exec('ROLLBACK')
      lock.close()
      await Promise.all(writes)
      expect(database.connection.prepare('SELECT text FROM notes ORDER BY rowid').pluck().all()).toEqual([
        'a',
        'b',
        'c',
      ])
    })
  })

  describe('that cannot be used', { tags: ['F61'] }, () => {
    const failure = (options: Partial<DatabaseOptions> = {}) =>
      open(options).then(
        () => expect.unreachable('the file was opened'),
        (error: unknown) => {
          expect(error).toBeInstanceOf(StorageUnavailable)
          expect((error as Error).message).toContain(options.path ?? path)
          return (error as Error).message
        },
      )

    it('because it is something else says so, and is left as it is', async () => {
      await writeFile(path, 'A letter to a friend. '.repeat(100))
      expect(await failure()).toMatch(/is not a database.+--data-dir/)
      expect(await readFile(path, 'utf8')).toBe('A letter to a friend. '.repeat(100))
    })

    it('because it is the database of another program says so, and is left as it is', async () => {
      const other = new Database(path)
      other.exec(`CREATE TABLE contacts (name TEXT); INSERT INTO contacts VALUES ('Ann')`)
      other.close()
      const before = await readFile(path)
      expect(await failure()).toMatch(/another program.+--data-dir/)
      expect((await readFile(path)).equals(before)).toBe(true)
    })

    it('because its folder cannot be made says so', async () => {
      await writeFile(join(folder, 'file'), '')
      expect(await failure({ path: join(folder, 'file', 'quaero.db') })).toMatch(
        /cannot be opened.+file, not a folder.+--data-dir/,
      )
    })

    it.skipIf(process.platform !== 'linux')(
      'because its folder takes no entries says so, and does not try for ever',
      async () => {
        await expect(openDatabase({ path: '/proc/nowhere/quaero.db' })).rejects.toThrow(StorageUnavailable)
      },
    )

    it('because it is a folder or a pipe says so', async () => {
      expect(await failure({ path: folder })).toMatch(/is a folder, not a database file/)
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      expect(await failure({ path: pipe })).toMatch(/is a pipe, not a database file.+--data-dir/)
    })

    it('because it is read-only says so', async () => {
      await (await open()).close()
      await chmod(path, 0o444)
      await chmod(folder, 0o555)
      expect(await asAnotherUser(() => failure())).toMatch(/read-only.+--data-dir/)
      await chmod(folder, 0o755)
    })

    it('because its folder is read-only says so', async () => {
      await chmod(folder, 0o555)
      expect(await asAnotherUser(() => failure())).toMatch(/cannot be opened|read-only/)
      await chmod(folder, 0o755)
    })
  })

  it('on a full disk says so, and keeps what was stored before', { tags: ['F60'] }, async () => {
    const database = await open({ migrations: notes })
    await add(database, 'before')
    database.connection.pragma(`max_page_count = ${Number(pragma(database, 'page_count')) + 10}`)
    const full = add(database, 'x'.repeat(1_000_000))
    await expect(full).rejects.toThrow(StorageUnavailable)
    await expect(full).rejects.toThrow(`The disk is full at ${path}`)
    expect(count(database)).toBe(1)
    await add(database, 'after')
    expect(count(database)).toBe(2)
  })

  it('closes on a full disk, and says nothing in the words of SQLite', { tags: ['F60'] }, async () => {
    const database = await open({ migrations: notes })
    await add(database, 'x')
    const full = vi.spyOn(database.connection, 'pragma').mockImplementation(() => {
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
    })
    await database.close()
    expect(full).toHaveBeenCalled()
    expect(database.connection.open).toBe(false)
    expect(count(await open({ migrations: notes }))).toBe(1)
  })

  describe('with a damaged page', { tags: ['F63'] }, () => {
    it('is refused at the next start after a crash', async () => {
      const database = await open({ migrations: notes })
      for (let row = 0; row < 200; row += 1) await add(database, 'x'.repeat(1_000))
      database.connection.pragma('wal_checkpoint(PASSIVE)')
      database.connection.exec('CREATE TABLE later (x)')
      const crashed = join(folder, 'crashed.db')
      for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${crashed}${end}`)
      const bytes = await readFile(crashed)
      bytes.fill(0xab, 4096 * 3, 4096 * 20)
      await writeFile(crashed, bytes)
      const reopened = open({ path: crashed, migrations: notes })
      await expect(reopened).rejects.toThrow(StorageUnavailable)
      await expect(reopened).rejects.toThrow(`${crashed} is damaged`)
    })

    it('says so when it is read', async () => {
      const database = await open({ migrations: notes })
      for (let row = 0; row < 200; row += 1) await add(database, 'x'.repeat(1_000))
      await database.close()
      const bytes = await readFile(path)
      bytes.fill(0xab, 4096 * 3, 4096 * 20)
      await writeFile(path, bytes)
      const damaged = await open({ migrations: notes })
      const read = damaged.read(() => damaged.connection.prepare('SELECT sum(length(text)) FROM notes').get())
      await expect(read).rejects.toThrow(`${path} is damaged`)
    })
  })

  describe('with another schema version', { tags: ['F65'] }, () => {
    const next = [...notes, 'ALTER TABLE notes ADD COLUMN author TEXT;', `UPDATE notes SET author = 'unknown';`]

    it('is brought up to date with what is in it', async () => {
      const old = await open({ migrations: notes })
      await add(old, 'x')
      await old.close()
      const migrated = await open({ migrations: next })
      expect(pragma(migrated, 'user_version')).toBe(firstVersion + 2)
      expect(migrated.connection.prepare('SELECT * FROM notes').all()).toEqual([{ text: 'x', author: 'unknown' }])
    })

    it('of the version before runs had their user and their end beside them is read as before', async () => {
      const old = await open({ migrations: migrations.slice(0, 7) })
      const runs = [
        { runId: 'r1', state: 'clarification_needed', userId: 'ada' },
        { runId: 'r2', state: 'interrupted', userId: null },
      ]
      await old.write(() => {
        for (const { runId, state, userId } of runs) {
          const created = {
            threadId: `t-${runId}`,
            turn: 1,
            question: 'Why?',
            documents: null,
            ...(userId && { userId }),
          }
          old.connection
            .prepare(`INSERT INTO events VALUES (?, 1, ?, 'run.created', '2026-01-01T00:00:00.000Z', NULL, NULL, ?)`)
            .run(runId, `e-${runId}`, JSON.stringify(created))
          old.connection
            .prepare(`INSERT INTO runs (run_id, thread_id, turn, question, created_at, snapshot, snapshot_position)
                      VALUES (?, ?, 1, '"Why?"', '2026-01-01T00:00:00.000Z', ?, 1)`)
            .run(runId, `t-${runId}`, JSON.stringify({ ...initialStatus, state }))
        }
      })
      await old.close()
      const all = await Promise.all(Array.from({ length: 6 }, () => openSqliteStorage({ path })))
      for (const storage of all) {
        expect(await storage.events.runs({ unfinished: true })).toMatchObject([{ runId: 'r2' }])
        expect(await storage.threads.list({ userId: 'ada' })).toMatchObject([{ threadId: 't-r1' }])
        await storage.close()
      }
    })

    it('is refused if it is newer, or older than the first, with all versions', async () => {
      const database = await open({ migrations: next })
      await database.close()
      const refused = open({ migrations: notes })
      await expect(refused).rejects.toThrow(SchemaUnsupported)
      await expect(refused).rejects.toThrow('schema version 13; this version of Quaero knows 11 to 11. Update Quaero')
      const older = new Database(database.path)
      older.pragma('user_version = 10')
      older.close()
      const before = await readFile(database.path)
      const tooOld = open({ migrations: next })
      await expect(tooOld).rejects.toThrow(SchemaUnsupported)
      await expect(tooOld).rejects.toThrow(
        'schema version 10; this version of Quaero knows 11 to 13. It was written before the first release. Choose another folder with --data-dir',
      )
      expect(await readFile(database.path)).toEqual(before)
    })

    it('stays as it was when a step of the migration fails', async () => {
      await (await open({ migrations: notes })).close()
      await expect(open({ migrations: [...next, 'CREATE TABLE notes (x);'] })).rejects.toThrow()
      const unchanged = await open({ migrations: notes })
      expect(pragma(unchanged, 'user_version')).toBe(firstVersion)
    })

    it('is migrated once when several open it at the same time', async () => {
      await (await open({ migrations: notes })).close()
      const all = await Promise.all(Array.from({ length: 4 }, () => open({ migrations: next })))
      expect(all.map((database) => pragma(database, 'user_version'))).toEqual(Array(4).fill(firstVersion + 2))
    })
  })

  it('gives back what its log took once a long reader is done, and all of it when it closes', {
    tags: ['F68'],
  }, async () => {
    const database = await open({ migrations: notes })
    await add(database, 'x')
    const log = async () => (await stat(`${path}-wal`).catch(() => null))?.size ?? 0
    const reader = new Database(path)
    reader.exec('BEGIN; SELECT * FROM notes')
    reader.prepare('SELECT * FROM notes').all()
    for (let row = 0; row < 10; row += 1) await add(database, 'x'.repeat(1_000_000))
    const grown = await log()
    reader.exec('COMMIT')
    reader.close()
    for (let row = 0; row < 3; row += 1) await add(database, 'y')
    expect(grown).toBeGreaterThan(8_000_000)
    expect(await log()).toBeLessThan(grown / 2)
    await database.close()
    expect(await log()).toBe(0)
  })

  /** Permissions do not bind the superuser, so a superuser steps down for this. */
  async function asAnotherUser<T>(work: () => Promise<T>): Promise<T> {
    if (process.geteuid?.() !== 0) return await work()
    process.seteuid?.(65_534)
    try {
      return await work()
    } finally {
      process.seteuid?.(0)
    }
  }
})
