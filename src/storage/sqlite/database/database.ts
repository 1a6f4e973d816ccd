import { access, constants, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database, { type Database as Connection } from 'better-sqlite3'
import { StorageUnavailable } from '../../../errors.ts'
import { privateFile, privateFolder } from '../../../private-files.ts'
import type { Workplace } from '../../sql/work.ts'
import { codeOf, retryWhileBusy, storageFailure } from './failure.ts'
import { type GroupedWrites, groupedWrites } from './grouped-writes.ts'
import { runWork } from './run-work.ts'
import { migrate, migrations, stepsApplied } from './schema.ts'
import { SyncedLog } from './synced-log.ts'

export interface DatabaseOptions {
  /** A file, made with its folder if missing; `:memory:` keeps nothing. */
  readonly path: string
  /** How long a write waits for other processes in all. */
  readonly busyWaitMs?: number
  readonly migrations?: readonly string[]
}

/** How long SQLite itself waits for a lock: long enough for another's commit, too short to be noticed. */
const busyTimeoutMs = 25
/** The write-ahead log is cut back to this size once it has been copied into the file. */
const journalBytes = 4 * 1024 * 1024
/** Larger files are checked only by `quaero doctor`: a check takes about 8 ms for each megabyte. */
const largestCheckedBytes = 16 * 1024 * 1024

/**
 * Opens the file and brings its schema up to date. Throws `StorageUnavailable` where it cannot be used, and
 * `SchemaUnsupported` if a newer version of this package wrote it.
 */
export async function openDatabase(options: DatabaseOptions): Promise<SqliteDatabase> {
  const { path, busyWaitMs = 15_000, migrations: steps = migrations } = options
  let connection: Connection | undefined
  try {
    await prepareFile(path)
    const endedUncleanly = await hasLeftover(path)
    connection = new Database(path, { timeout: busyTimeoutMs })
    const database = new SqliteDatabase(connection, path, busyWaitMs)
    await retryWhileBusy(() => configure(database.connection, path, steps), { budgetMs: busyWaitMs })
    if (stepsApplied(connection, path, steps) < steps.length) {
      await database.write(() => migrate(database.connection, path, steps), { durable: true })
    }
    if (endedUncleanly) checkIntegrity(connection, path)
    return database
  } catch (error) {
    connection?.close()
    throw storageFailure(error, path)
  }
}

/** One open SQLite file. Everything that reads or writes goes through it, and throws `StorageUnavailable`. */
export class SqliteDatabase {
  readonly path: string
  /** For preparing statements; run them inside `read` or `write`. */
  readonly connection: Connection
  readonly #budgetMs: number
  readonly #log: SyncedLog
  readonly #writes: GroupedWrites

  constructor(connection: Connection, path: string, budgetMs: number) {
    this.connection = connection
    this.path = path
    this.#budgetMs = budgetMs
    this.#log = new SyncedLog(path)
    this.#writes = groupedWrites(connection, { budgetMs, sync: () => this.#log.sync() })
  }

  /** Runs work that is written once for all databases. */
  readonly place: Workplace = {
    read: (work) => this.read(() => runWork(this.connection, work())),
    write: (work, options) => this.write(() => runWork(this.connection, work()), options),
    aside: (work) => this.write(() => runWork(this.connection, work())),
  }

  read<T>(work: () => T | Promise<T>): Promise<T> {
    return retryWhileBusy(work, { budgetMs: this.#budgetMs }).catch(failWith(this.path))
  }

  /**
   * Does the work in one transaction, after all writes that were asked for before; others may share it. `durable` work
   * is on disk when this returns, with everything written before; the last of other work may be lost when the machine
   * loses power, but not when the process crashes.
   */
  write<T>(work: () => T, { durable = false } = {}): Promise<T> {
    return this.#writes.write(work, { durable }).catch(failWith(this.path))
  }

  /** Waits for writes under way, then closes. Harmless when closed already. */
  async close(): Promise<void> {
    await this.#writes.idle()
    if (!this.connection.open) return
    try {
      this.connection.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // For instance on a full disk. The write-ahead log holds everything until it can be copied into the file.
    }
    try {
      this.connection.close()
    } catch (error) {
      failWith(this.path)(error)
    } finally {
      await this.#log.close()
    }
  }
}

async function prepareFile(path: string): Promise<void> {
  if (path === ':memory:') return
  await makeFolder(dirname(path))
  const exists = await stat(path).catch(() => null)
  // Opening a pipe might wait for ever.
  if (exists && !exists.isFile()) {
    throw new StorageUnavailable(
      `${path} is ${exists.isDirectory() ? 'a folder' : exists.isFIFO() ? 'a pipe' : 'a device'}, not a database file. Move it away, or choose another folder with --data-dir.`,
    )
  }
  if (exists) await access(path, constants.R_OK | constants.W_OK).catch(refuseReadOnly(path))
  // SQLite gives the files beside it the same mode.
  else await (await open(path, 'a', privateFile)).close()
}

function refuseReadOnly(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new StorageUnavailable(
      `${path} is read-only for you. Make it writable, or choose another folder with --data-dir.`,
      { cause },
    )
  }
}

/** A write-ahead log is left: a process still uses the file, or ended without closing it. */
async function hasLeftover(path: string): Promise<boolean> {
  const [file, log] = await Promise.all([path, `${path}-wal`].map((each) => stat(each).catch(() => null)))
  return (log?.size ?? 0) > 0 && (file?.size ?? 0) <= largestCheckedBytes
}

function configure(connection: Connection, path: string, steps: readonly string[]): void {
  // First, so that another program's database is not changed.
  stepsApplied(connection, path, steps)
  const mode = connection.pragma('journal_mode = WAL', { simple: true })
  // What is durable is synced by `SyncedLog`; where a file system allows no write-ahead log, by each commit.
  connection.pragma(`synchronous = ${mode === 'wal' ? 'NORMAL' : 'FULL'}`)
  connection.pragma('foreign_keys = ON')
  connection.pragma('trusted_schema = OFF')
  connection.pragma(`journal_size_limit = ${journalBytes}`)
}

function checkIntegrity(connection: Connection, path: string): void {
  const finding = connection.pragma('quick_check(1)', { simple: true })
  // A damaged index is rebuilt from the tables when it is first used.
  if (finding === 'ok' || String(finding).includes('passage_terms')) return
  throw new StorageUnavailable(`${path} is damaged (${finding}). Restore the file from a copy, or move it away.`)
}

function failWith(path: string): (error: unknown) => never {
  return (error) => {
    throw storageFailure(error, path)
  }
}

/** Like `mkdir` with `recursive`, which in Node 20 never ends below a folder that takes no entries, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, privateFolder)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path, privateFolder).catch((again: unknown) => {
      // Another process was quicker.
      if (codeOf(again) !== 'EEXIST') throw again
    })
  }
}
