import { setImmediate as turnOfTheLoop, setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'
import { NotReady, StorageUnavailable } from '../../../errors.ts'
import type { Workplace } from '../../sql/work.ts'
import { type Connections, openPool, runWork, type Sql, sqlOver } from './connection.ts'
import { isLost, isOccupied, isUnreachable, mayPass, openFailure, storageFailure } from './failure.ts'
import { bringUpToDate, refuseOtherVersion } from './migrate.ts'
import { migrations } from './schema.ts'

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** How long work waits for a server that went away, in all. */
  readonly outageMs?: number
  readonly migrations?: readonly string[]
}

const connectionsAtMost = 6
/**
 * A frozen process loses its open transaction after so long, and with it what it locked. It is less than the duration of
 * a lease, so that nobody waits for the frozen process to take over its thread.
 */
const idleWriteMs = 5_000
/** Other transactions may wait for a reader of files. */
const idleWorkMs = 60_000

/**
 * Connects, and brings the schema up to date. Throws `StorageUnavailable` where the database cannot be used, and
 * `SchemaUnsupported` if a newer version of this package wrote it.
 */
export async function openDatabase(options: DatabaseOptions): Promise<PostgresDatabase> {
  const { url, outageMs = 15_000, migrations: steps = migrations } = options
  const reading = await openPool(url, { max: connectionsAtMost }).catch(refuseAddress)
  // One connection, so that writes keep their order.
  const writing = await openPool(url, { max: 1 })
  const database = new PostgresDatabase(reading, writing.pool, { outageMs, version: steps.length })
  try {
    await database.bringUpToDate(steps)
    return database
  } catch (error) {
    await database.close()
    throw openFailure(error, reading.name)
  }
}

function refuseAddress(cause: unknown): never {
  throw new StorageUnavailable(
    'The address of the database cannot be read. Write QUAERO_DATABASE_URL or the setting "storage" as postgres://host:port/database, with the user and the password before the host.',
    { cause },
  )
}

interface Waiting {
  /** Does the work, and returns the function that reports its result. */
  readonly run: (sql: Sql) => Promise<() => void>
  readonly reject: (error: unknown) => void
}

/** One open database. Everything that reads or writes goes through it, and throws `StorageUnavailable`. */
export class PostgresDatabase {
  /** For people and reports, without user and password. */
  readonly name: string
  readonly #reading: Pool
  readonly #writing: Pool
  readonly #outageMs: number
  readonly #version: number
  #waiting: Waiting[] = []
  #emptying: Promise<void> | null = null
  #closed: Promise<unknown> | null = null

  constructor({ pool, name }: Connections, writing: Pool, options: { outageMs: number; version: number }) {
    this.name = name
    this.#reading = pool
    this.#writing = writing
    this.#outageMs = options.outageMs
    this.#version = options.version
  }

  /** Single statements that read, each on any connection. */
  readonly sql: Sql = {
    all: (statement, values) => this.#reads((sql) => sql.all(statement, values)),
    get: (statement, values) => this.#reads((sql) => sql.get(statement, values)),
    run: (statement, values) => this.#reads((sql) => sql.run(statement, values)),
  }

  /** Runs work that is written once for all databases. */
  get place(): Workplace {
    return {
      read: (work) => runWork(this.sql, work()),
      write: (work) => this.write((sql) => runWork(sql, work())),
      aside: (work) => this.transaction((sql) => runWork(sql, work())),
    }
  }

  /** Waits for a server that takes no connection yet, but not for one that is not there. */
  bringUpToDate(steps: readonly string[]): Promise<void> {
    return this.#persist(() => bringUpToDate(this.#reading, this.name, steps), isOccupied)
  }

  #reads<T>(read: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#persist(() => read(sqlOver(this.#reading)), isUnreachable)
  }

  /**
   * Does the work in a transaction, after all writes that were asked for before; others of the same turn of the event
   * loop share it. The work may be done more than once, until it is committed.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async (sql: Sql) => {
        const result = await work(sql)
        return () => resolve(result)
      }
      this.#waiting.push({ run, reject: (error) => reject(storageFailure(error, this.name)) })
      this.#emptying ??= this.#empty()
    })
  }

  /** Does the work in a transaction of its own, beside others. `once`: the work cannot be repeated. */
  transaction<T>(work: (sql: Sql) => Promise<T>, { once = false } = {}): Promise<T> {
    const attempt = () => this.#commit(this.#reading, idleWorkMs, work)
    return once ? this.#named(attempt()) : this.#persist(attempt, mayPass)
  }

  /** Does the work while it holds the lock of this name, or returns null if another connection holds it. */
  async whileLocked<T>(lock: string, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
    const client = await this.#named(this.#reading.connect())
    const sql = sqlOver(client)
    const key = 'hashtextextended($1, 0)'
    try {
      const row = await sql.get<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${key}) AS taken`, [lock])
      if (!row?.taken) return null
      try {
        return { result: await work() }
      } finally {
        // The end of a connection has released the lock, too.
        await sql.get(`SELECT pg_advisory_unlock(${key})`, [lock]).catch(() => {})
      }
    } finally {
      client.release()
    }
  }

  /** Waits for writes under way, then closes. Harmless when closed already. */
  async close(): Promise<void> {
    await this.#emptying
    this.#closed ??= Promise.all([this.#reading.end(), this.#writing.end()])
    await this.#closed
  }

  async #empty(): Promise<void> {
    while (this.#waiting.length > 0) {
      await turnOfTheLoop()
      const group = this.#waiting
      this.#waiting = []
      await this.#settle(group)
    }
    this.#emptying = null
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    try {
      const reports = await this.#persist(() => this.#commitGroup(group), mayPass)
      for (const report of reports) report()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  /** All in one transaction; if the work of one fails, only that is undone. */
  async #commitGroup(group: readonly Waiting[]): Promise<readonly (() => void)[]> {
    const inTurn = (each: (waiting: Waiting, sql: Sql) => Promise<() => void>) =>
      this.#commit(this.#writing, idleWriteMs, async (sql) => {
        const reports: (() => void)[] = []
        for (const waiting of group) reports.push(await each(waiting, sql))
        return reports
      })
    try {
      return await inTurn(({ run }, sql) => run(sql))
    } catch (error) {
      if (group.length === 1 || mayPass(error)) throw error
    }
    // Savepoints cost two more statements each, so they are set only now.
    return inTurn(amongOthers)
  }

  /** One attempt at a transaction. Where the connection broke during the commit, the server tells what became of it. */
  async #commit<T>(pool: Pool, idleMs: number, work: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let transaction = ''
    let done: { readonly result: T } | null = null
    try {
      transaction = await begin(client, idleMs, { name: this.name, version: this.#version })
      done = { result: await work(sqlOver(client)) }
      await commit(client)
      client.release()
      return done.result
    } catch (error) {
      await rollBack(client, error)
      if (done && isLost(error) && (await this.#isCommitted(transaction))) return done.result
      throw error
    }
  }

  async #isCommitted(transaction: string): Promise<boolean> {
    for (;;) {
      const row = await this.sql.get<{ status: string | null }>('SELECT pg_xact_status($1::xid8) AS status', [
        transaction,
      ])
      if (row?.status !== 'in progress') return row?.status === 'committed'
      await wait(longestWaitMs)
    }
  }

  #named<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw storageFailure(error, this.name)
    })
  }

  /** Does the work again after short waits while it fails for a reason that may pass. */
  async #persist<T>(work: () => Promise<T>, passes: (error: unknown) => boolean): Promise<T> {
    const from = performance.now()
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      try {
        return await work()
      } catch (error) {
        if (this.#closed !== null)
          throw new NotReady('Quaero was closed. What was stored before goes on elsewhere, or can be resumed.')
        const isLate = performance.now() - from + waitMs > this.#outageMs
        if (isLate || !passes(error)) throw storageFailure(error, this.name)
      }
      await wait(waitMs)
    }
  }
}

const firstWaitMs = 5
const longestWaitMs = 250

/** Begins a transaction that writes, and returns its number. Throws `SchemaUnsupported` if the schema was changed since. */
async function begin(client: PoolClient, idleMs: number, store: { name: string; version: number }): Promise<string> {
  // A migration waits for the end of all that have read the version, and these see the one that it leaves.
  const results = await client.query<{ id: string; version: number }>(
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs};
     SELECT pg_current_xact_id()::text AS id, version FROM schema_version`,
  )
  const row = lastOf(results)?.rows[0]
  refuseOtherVersion(row?.version ?? 0, store)
  return row?.id ?? ''
}

/** Of several statements at once there is a list of results, which the types of `pg` do not say. */
function lastOf<Row extends QueryResultRow>(
  results: QueryResult<Row> | readonly QueryResult<Row>[],
): QueryResult<Row> | undefined {
  return [results].flat().at(-1)
}

async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  // A transaction in which a statement failed is undone without an error.
  if (command !== 'COMMIT') throw new StorageUnavailable('A transaction was undone, since a statement in it failed.')
}

async function rollBack(client: PoolClient, error: unknown): Promise<void> {
  const isBroken = isLost(error) || (await client.query('ROLLBACK').then(isFine, isFailed))
  client.release(isBroken)
}

const isFine = () => false
const isFailed = () => true

async function amongOthers({ run, reject }: Waiting, sql: Sql): Promise<() => void> {
  await sql.run('SAVEPOINT work')
  try {
    const report = await run(sql)
    await sql.run('RELEASE SAVEPOINT work')
    return report
  } catch (error) {
    if (mayPass(error)) throw error
    await sql.run('ROLLBACK TO SAVEPOINT work')
    return () => reject(error)
  }
}
