import { randomUUID } from 'node:crypto'
import { ThreadBusy } from '../../errors.ts'
import { checkIdentifier } from '../identifier.ts'
import { holderOf, type LeaseRow, leaseLost, threadBusy } from '../lease-rows.ts'
import { currentProcess, isAlive } from '../process-identity.ts'
import type { LeaseHolder, Leases } from '../storage.ts'
import type { Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import { notifyOfRun } from './database/notifications.ts'
import type { RunOwners } from './live/notified-runs.ts'

/**
 * Called in each transaction that writes for a run or to a thread's checkpoints. Throws `LeaseLost` if another storage
 * has the lease; else nobody can take it before the transaction ends.
 */
export type Fence = (sql: Sql, runOrThreadId: string) => Promise<void>

/** A lease that ends, and the job of the queue with which it was taken. */
export interface JobLease {
  readonly threadId: string
  readonly runId: string
  readonly job: string
}

/** Takes the thread for a run inside a transaction of `taking`. Throws `ThreadBusy`. */
export type Hold = (sql: Sql, lease: Omit<JobLease, 'job'> & { readonly job?: string }) => Promise<void>

/** `Leases`, and what storage builds on them. */
export interface PostgresLeases extends Leases, RunOwners {
  readonly fence: Fence
  /** Does the work in one transaction; the leases that it takes with `hold` are this owner's once it is committed. */
  taking<T>(work: (sql: Sql, hold: Hold) => Promise<T>): Promise<T>
  /** Takes the thread for the run and does the work, in one transaction. Throws `ThreadBusy`, also for queued runs. */
  take<T>(threadId: string, runId: string, work: (sql: Sql) => Promise<T>): Promise<T>
  /** Does the work in one transaction while the thread is free and none of its runs is queued. Throws `ThreadBusy`. */
  whileFree<T>(threadId: string, work: (sql: Sql) => Promise<T>): Promise<T>
  /** Leases expire from now on. */
  stopRenewing(): void
}

/** The duration of a lease after each renewal, by the clock of the server, which all processes share. */
const leaseSeconds = 20
const renewEveryMs = 2_000

/**
 * The table `leases`: who works on a thread, under which token, and until when. `settle` is called in the transaction in
 * which a lease with a job is released.
 */
export async function postgresLeases(
  database: PostgresDatabase,
  settle: (sql: Sql, lease: JobLease) => Promise<void>,
): Promise<PostgresLeases> {
  return new LeaseTable(database, { owner: randomUUID(), ...(await currentProcess()) }, settle)
}

interface TimedLease extends LeaseRow {
  readonly isCurrent: boolean
}

const untilExpiry = `clock_timestamp() + interval '${leaseSeconds} seconds'`
const leases = 'SELECT *, expires_at > clock_timestamp() AS "isCurrent" FROM leases'
const findLease = `${leases} WHERE thread_id = $1`

class LeaseTable implements PostgresLeases {
  readonly #database: PostgresDatabase
  readonly #self: LeaseHolder & { readonly owner: string }
  readonly #settle: (sql: Sql, lease: JobLease) => Promise<void>
  /** This owner's leases, by token. */
  readonly #held = new Map<number, { readonly threadId: string; readonly runId: string }>()
  #timer: NodeJS.Timeout | undefined

  constructor(
    database: PostgresDatabase,
    self: LeaseHolder & { readonly owner: string },
    settle: (sql: Sql, lease: JobLease) => Promise<void>,
  ) {
    this.#database = database
    this.#self = self
    this.#settle = settle
  }

  readonly fence: Fence = async (sql, id) => {
    const row = await sql.get<{ token: number; pid: number }>(
      'SELECT token, pid FROM leases WHERE thread_id = $1 OR run_id = $1 LIMIT 1 FOR SHARE',
      [id],
    )
    if (row ? this.#held.has(row.token) : this.#heldFor(id).length === 0) return
    throw leaseLost(id, row)
  }

  get owner(): string {
    return this.#self.owner
  }

  async ownersOf(runIds: readonly string[]) {
    const rows = await this.#database.sql.all<TimedLease>(`${leases} WHERE run_id = ANY($1::text[])`, [runIds])
    const owners = new Map<string, string>()
    for (const row of rows) if (await this.#isHeld(row)) owners.set(row.run_id, row.owner)
    return owners
  }

  async heldOf(runIds: readonly string[]) {
    return (await this.ownersOf(runIds)).keys()
  }

  acquire(threadId: string, runId: string): Promise<void> {
    return this.take(threadId, runId, async () => {})
  }

  async take<T>(threadId: string, runId: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    checkIdentifier('thread', threadId)
    checkIdentifier('run', runId)
    // Without a lock first: a transaction of the holder may be open, and all writes here would wait for its end.
    await this.#refuseHeld(this.#database.sql, threadId)
    return this.taking(async (sql, hold) => {
      await hold(sql, { threadId, runId })
      await refuseQueued(sql, threadId)
      return work(sql)
    })
  }

  async taking<T>(work: (sql: Sql, hold: Hold) => Promise<T>): Promise<T> {
    let taken: number[] = []
    const forget = () => {
      for (const token of taken) this.#held.delete(token)
    }
    try {
      return await this.#database.write(async (sql) => {
        // From a transaction that was undone.
        forget()
        taken = []
        const result = await work(sql, async (within, { threadId, runId, job = null }) => {
          await this.#lockFree(within, threadId)
          this.#refuseLost(threadId)
          const token = await this.#put(within, threadId, runId, job)
          taken.push(token)
          // Before anyone else can see the row.
          this.#held.set(token, { threadId, runId })
        })
        if (taken.length > 0) this.#timer ??= setInterval(() => this.#renew(), renewEveryMs).unref()
        return result
      })
    } catch (error) {
      forget()
      throw error
    }
  }

  async whileFree<T>(threadId: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    checkIdentifier('thread', threadId)
    await this.#refuseHeld(this.#database.sql, threadId)
    return this.#database.write(async (sql) => {
      await this.#lockFree(sql, threadId)
      await refuseQueued(sql, threadId)
      return work(sql)
    })
  }

  async holder(threadId: string) {
    const row = await this.#database.sql.get<TimedLease>(findLease, [threadId])
    return row && (await this.#isHeld(row)) ? { runId: row.run_id, holder: holderOf(row) } : null
  }

  async release(threadId: string, runId: string): Promise<void> {
    const own = this.#heldFor(threadId).filter(([_, lease]) => lease.runId === runId)
    for (const [token] of own) {
      const remove = async (sql: Sql) => {
        const lease = await sql.get<{ job: string | null }>('DELETE FROM leases WHERE token = $1 RETURNING job', [
          token,
        ])
        if (lease?.job) await this.#settle(sql, { threadId, runId, job: lease.job })
        await notifyOfRun(sql, runId)
      }
      // A row that is left where this fails is no longer renewed, and does not block this owner.
      await this.#database.write(remove).finally(() => this.#held.delete(token))
    }
  }

  stopRenewing(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Locks the thread, free or not, until the end of the transaction. Throws `ThreadBusy`. */
  async #lockFree(sql: Sql, threadId: string): Promise<void> {
    await lockThread(sql, threadId)
    await this.#refuseHeld(sql, threadId, 'FOR UPDATE')
  }

  /** A run whose lease was taken away may still be at work here; under a new lease, the fence would let its writes pass. */
  #refuseLost(threadId: string): void {
    const [lost] = this.#heldFor(threadId)
    if (!lost) return
    const [_, { runId }] = lost
    throw new ThreadBusy(`Thread "${threadId}" is busy: run "${runId}" lost its lease, and has not ended here yet.`)
  }

  async #put(sql: Sql, threadId: string, runId: string, job: string | null): Promise<number> {
    const { owner, system, pid, startedAt } = this.#self
    await sql.run('DELETE FROM leases WHERE thread_id = $1', [threadId])
    const row = await sql.get<{ token: number }>(
      `INSERT INTO leases (thread_id, run_id, owner, system, pid, process_start, acquired_at, job, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${untilExpiry}) RETURNING token`,
      [threadId, runId, owner, system, pid, startedAt, new Date().toISOString(), job],
    )
    // RETURNING always gives back the row that was inserted.
    return row?.token ?? 0
  }

  /** A renewal that fails is followed by another; the run reports a storage failure itself. */
  #renew(): void {
    if (this.#held.size === 0) this.stopRenewing()
    const renew = (sql: Sql) =>
      sql.run(
        `UPDATE leases SET expires_at = ${untilExpiry}, renewed_at = clock_timestamp() WHERE token = ANY($1::bigint[])`,
        [[...this.#held.keys()]],
      )
    void this.#database.write(renew).catch(() => {})
  }

  #heldFor(id: string) {
    return [...this.#held].filter(([_, { threadId, runId }]) => threadId === id || runId === id)
  }

  async #refuseHeld(sql: Sql, threadId: string, lock = ''): Promise<void> {
    const row = await sql.get<TimedLease>(`${findLease} ${lock}`, [threadId])
    if (row && (await this.#isHeld(row))) throw threadBusy(row, this.#self)
  }

  /** A process of this system holds its leases while it lives, one of another system until they expire. */
  async #isHeld(row: TimedLease): Promise<boolean> {
    if (row.owner === this.#self.owner) return this.#held.has(row.token)
    return row.system === this.#self.system ? await isAlive(holderOf(row)) : row.isCurrent
  }
}

/** Who locks a thread sees what others have stored of it, and stores before them. Until the end of the transaction. */
export async function lockThread(sql: Sql, threadId: string): Promise<void> {
  await sql.get('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [threadId])
}

async function refuseQueued(sql: Sql, threadId: string): Promise<void> {
  const queued = await sql.get<{ run_id: string }>(
    'SELECT run_id FROM runs WHERE thread_id = $1 AND queue_place IS NOT NULL ORDER BY turn LIMIT 1',
    [threadId],
  )
  if (!queued) return
  throw new ThreadBusy(
    `Thread "${threadId}" is busy: run "${queued.run_id}" is in the queue of the workers. ` +
      `Nothing was stored. Wait until it ends, stop it with "quaero runs cancel ${queued.run_id}", or ask on another thread.`,
  )
}
