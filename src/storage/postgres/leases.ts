import { randomUUID } from 'node:crypto'
import { LeaseLost, ThreadBusy } from '../../errors.ts'
import { checkIdentifier } from '../identifier.ts'
import { currentProcess, isAlive } from '../process-identity.ts'
import type { LeaseHolder, Leases } from '../storage.ts'
import type { Sql } from './connection.ts'
import type { PostgresDatabase } from './database.ts'

/**
 * Called in each transaction that writes for a run or to a thread's checkpoints. Throws `LeaseLost` if another storage
 * has the lease; else nobody can take it before the transaction ends.
 */
export type Fence = (sql: Sql, runOrThreadId: string) => Promise<void>

/** `Leases`, and what storage builds on them. */
export interface PostgresLeases extends Leases {
  readonly fence: Fence
  /** Takes the thread for the run and does the work, in one transaction. Throws `ThreadBusy`. */
  take<T>(threadId: string, runId: string, work: (sql: Sql) => Promise<T>): Promise<T>
  /** Does the work in one transaction while the thread is free. Throws `ThreadBusy`. */
  whileFree<T>(threadId: string, work: (sql: Sql) => Promise<T>): Promise<T>
  /** Leases expire from now on. */
  stopRenewing(): void
}

/** The duration of a lease after each renewal, by the clock of the server, which all processes share. */
const leaseSeconds = 20
const renewEveryMs = 4_000

/** The table `leases`: who works on a thread, under which token, and until when. Each open storage is one owner. */
export async function postgresLeases(database: PostgresDatabase): Promise<PostgresLeases> {
  return new LeaseTable(database, { owner: randomUUID(), ...(await currentProcess()) })
}

interface LeaseRow {
  readonly token: number
  readonly thread_id: string
  readonly run_id: string
  readonly owner: string
  readonly system: string
  readonly pid: number
  readonly process_start: string
  readonly acquired_at: string
  readonly isCurrent: boolean
}

const untilExpiry = `clock_timestamp() + interval '${leaseSeconds} seconds'`
const findLease = 'SELECT *, expires_at > clock_timestamp() AS "isCurrent" FROM leases WHERE thread_id = $1'

class LeaseTable implements PostgresLeases {
  readonly #database: PostgresDatabase
  readonly #self: LeaseHolder & { readonly owner: string }
  /** This owner's leases, by token. */
  readonly #held = new Map<number, { readonly threadId: string; readonly runId: string }>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: PostgresDatabase, self: LeaseHolder & { readonly owner: string }) {
    this.#database = database
    this.#self = self
  }

  readonly fence: Fence = async (sql, id) => {
    const row = await sql.get<{ token: number; pid: number }>(
      'SELECT token, pid FROM leases WHERE thread_id = $1 OR run_id = $1 LIMIT 1 FOR SHARE',
      [id],
    )
    if (row ? this.#held.has(row.token) : this.#heldFor(id).length === 0) return
    const holder = row ? `Process ${row.pid} works` : 'Another process has worked'
    throw new LeaseLost(`${holder} on "${id}" in place of this one, whose lease had expired. Nothing more is stored.`)
  }

  acquire(threadId: string, runId: string): Promise<void> {
    return this.take(threadId, runId, async () => {})
  }

  async take<T>(threadId: string, runId: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    checkIdentifier('run', runId)
    let token: number | undefined
    const forget = () => {
      if (token !== undefined) this.#held.delete(token)
    }
    try {
      return await this.whileFree(threadId, async (sql) => {
        // From a transaction that was undone.
        forget()
        token = await this.#put(sql, threadId, runId)
        const result = await work(sql)
        // Before anyone else can see the row.
        this.#held.set(token, { threadId, runId })
        this.#timer ??= setInterval(() => this.#renew(), renewEveryMs).unref()
        return result
      })
    } catch (error) {
      forget()
      throw error
    }
  }

  async whileFree<T>(threadId: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    checkIdentifier('thread', threadId)
    // Without a lock first: a transaction of the holder may be open, and all writes here would wait for its end.
    await this.#refuseHeld(this.#database.sql, threadId)
    return this.#database.write(async (sql) => {
      await sql.get('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [threadId])
      await this.#refuseHeld(sql, threadId, 'FOR UPDATE')
      return work(sql)
    })
  }

  async holder(threadId: string) {
    const row = await this.#database.sql.get<LeaseRow>(findLease, [threadId])
    return row && (await this.#isHeld(row)) ? { runId: row.run_id, holder: holderOf(row) } : null
  }

  async release(threadId: string, runId: string): Promise<void> {
    const own = this.#heldFor(threadId).filter(([_, lease]) => lease.runId === runId)
    for (const [token] of own) {
      const remove = (sql: Sql) => sql.run('DELETE FROM leases WHERE token = $1', [token])
      // A row that is left where this fails is no longer renewed, and does not block this owner.
      await this.#database.write(remove).finally(() => this.#held.delete(token))
    }
  }

  stopRenewing(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #put(sql: Sql, threadId: string, runId: string): Promise<number> {
    const { owner, system, pid, startedAt } = this.#self
    await sql.run('DELETE FROM leases WHERE thread_id = $1', [threadId])
    const row = await sql.get<{ token: number }>(
      `INSERT INTO leases (thread_id, run_id, owner, system, pid, process_start, acquired_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, ${untilExpiry}) RETURNING token`,
      [threadId, runId, owner, system, pid, startedAt, new Date().toISOString()],
    )
    // RETURNING always gives back the row that was inserted.
    return row?.token ?? 0
  }

  /** A renewal that fails is followed by another; the run reports a storage failure itself. */
  #renew(): void {
    if (this.#held.size === 0) this.stopRenewing()
    const renew = (sql: Sql) =>
      sql.run(`UPDATE leases SET expires_at = ${untilExpiry} WHERE token = ANY($1::bigint[])`, [[...this.#held.keys()]])
    void this.#database.write(renew).catch(() => {})
  }

  #heldFor(id: string) {
    return [...this.#held].filter(([_, { threadId, runId }]) => threadId === id || runId === id)
  }

  async #refuseHeld(sql: Sql, threadId: string, lock = ''): Promise<void> {
    const row = await sql.get<LeaseRow>(`${findLease} ${lock}`, [threadId])
    if (row && (await this.#isHeld(row))) throw new ThreadBusy(busyMessage(row, this.#self))
  }

  /** A process of this system holds its leases while it lives, one of another system until they expire. */
  async #isHeld(row: LeaseRow): Promise<boolean> {
    if (row.owner === this.#self.owner) return this.#held.has(row.token)
    return row.system === this.#self.system ? await isAlive(holderOf(row)) : row.isCurrent
  }
}

function holderOf({ system, pid, process_start }: LeaseRow): LeaseHolder {
  return { system, pid, startedAt: process_start }
}

function busyMessage({ thread_id, run_id, system, pid, acquired_at }: LeaseRow, self: LeaseHolder): string {
  const where = system === self.system ? '' : ' of another host or container'
  return (
    `Thread "${thread_id}" is busy: process ${pid}${where} has been working on run "${run_id}" since ${acquired_at}. ` +
    `Nothing was stored. Wait until it ends, stop it with "quaero runs cancel ${run_id}", or ask on another thread.`
  )
}
