import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { checkIdentifier } from '../identifier.ts'
import { holderOf, type LeaseRow, leaseLost, threadBusy } from '../lease-rows.ts'
import { currentProcess, isAlive } from '../process-identity.ts'
import type { LeaseHolder, Leases } from '../storage.ts'
import type { SqliteDatabase } from './database/database.ts'

/** Call it inside each write of a run or of a thread's checkpoints. Throws `LeaseLost` if another storage has the lease. */
export type Fence = (runOrThreadId: string) => void

/** `Leases`, and what storage builds on them. */
export interface SqliteLeases extends Leases {
  /** Under which this storage takes leases. */
  readonly owner: string
  readonly fence: Fence
  /** Takes the thread for the run and does the work, in one transaction. Throws `ThreadBusy`. */
  take<T>(threadId: string, runId: string, work: () => T): Promise<T>
  /** Does the work in one transaction while the thread is free. Throws `ThreadBusy`. */
  whileFree<T>(threadId: string, work: () => T): Promise<T>
  /** Under which lease each of these runs is worked on now. */
  tokensOf(runIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Leases expire from now on. */
  stopRenewing(): void
}

/** The duration of a lease after each renewal. */
const leaseMs = 20_000
/** A process may stand still for the rest of a lease's duration without losing it. */
const renewEveryMs = 4_000
const lookEveryMs = 250

/** The table `leases`: who works on a thread, under which token, and until when. Each open storage is one owner. */
export async function sqliteLeases(database: SqliteDatabase, clock: LeaseClock = systemClock): Promise<SqliteLeases> {
  return new LeaseTable(database, { owner: randomUUID(), ...(await currentProcess()) }, clock)
}

class LeaseTable implements SqliteLeases {
  readonly #database: SqliteDatabase
  readonly #statements: ReturnType<typeof prepare>
  readonly #self: LeaseHolder & { readonly owner: string }
  readonly #clock: LeaseClock
  readonly #watch: RenewalWatch
  /** This owner's leases, by token. */
  readonly #held = new Map<number, { readonly threadId: string; readonly runId: string }>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: SqliteDatabase, self: LeaseHolder & { readonly owner: string }, clock: LeaseClock) {
    this.#database = database
    this.#statements = prepare(database)
    this.#self = self
    this.#clock = clock
    this.#watch = new RenewalWatch(leaseMs, clock)
  }

  get owner(): string {
    return this.#self.owner
  }

  readonly fence: Fence = (id) => {
    const row = this.#statements.guarding.get({ id })
    if (row ? this.#held.has(row.token) : this.#heldFor(id).length === 0) return
    throw leaseLost(id, row)
  }

  acquire(threadId: string, runId: string): Promise<void> {
    return this.take(threadId, runId, () => {})
  }

  async take<T>(threadId: string, runId: string, work: () => T): Promise<T> {
    checkIdentifier('run', runId)
    const { owner, system, pid, startedAt } = this.#self
    let token: number | undefined
    try {
      return await this.whileFree(threadId, () => {
        // From a transaction that was undone.
        if (token !== undefined) this.#held.delete(token)
        const since = new Date().toISOString()
        const expires = Date.now() + leaseMs
        token = this.#statements.put.get(threadId, runId, owner, system, pid, startedAt, since, expires)?.token
        const result = work()
        // Before anyone else can see the row.
        if (token !== undefined) this.#held.set(token, { threadId, runId })
        this.#timer ??= setInterval(() => this.#renew(), renewEveryMs).unref()
        return result
      })
    } catch (error) {
      if (token !== undefined) this.#held.delete(token)
      throw error
    }
  }

  async whileFree<T>(threadId: string, work: () => T): Promise<T> {
    checkIdentifier('thread', threadId)
    for (;;) {
      const over = await this.#untilOver(threadId)
      // Meanwhile the holder may have renewed it, or another have taken the thread.
      const ifSame = () => (isSame(this.#statements.find.get(threadId), over) ? { result: work() } : null)
      const done = await this.#database.write(ifSame, { durable: true })
      if (done) return done.result
    }
  }

  async holder(threadId: string) {
    const row = await this.#database.read(() => this.#statements.find.get(threadId))
    return row && (await this.#isHeld(row)) ? { runId: row.run_id, holder: holderOf(row) } : null
  }

  async tokensOf(runIds: readonly string[]) {
    const tokens = new Map<string, number>()
    const { guarding } = this.#statements
    const rows = await this.#database.read(() => runIds.flatMap((id) => guarding.get({ id }) ?? []))
    for (const row of rows) if (await this.#isHeld(row)) tokens.set(row.run_id, row.token)
    return tokens
  }

  async heldOf(runIds: readonly string[]) {
    return (await this.tokensOf(runIds)).keys()
  }

  async release(threadId: string, runId: string): Promise<void> {
    const own = this.#heldFor(threadId).filter(([_, lease]) => lease.runId === runId)
    for (const [token] of own) {
      // A row that is left where this fails is no longer renewed, and does not block this owner.
      await this.#database.write(() => this.#statements.remove.run(token)).finally(() => this.#held.delete(token))
    }
  }

  stopRenewing(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** A renewal that fails is followed by another; the run reports a storage failure itself. */
  #renew(): void {
    if (this.#held.size === 0) this.stopRenewing()
    const all = () => {
      for (const token of this.#held.keys()) this.#statements.renew.run(Date.now() + leaseMs, token)
    }
    void this.#database.write(all).catch(() => {})
  }

  #heldFor(id: string) {
    return [...this.#held].filter(([_, { threadId, runId }]) => threadId === id || runId === id)
  }

  /** Waits until the lease is over, and returns its row, if any. Throws `ThreadBusy` if it holds. */
  async #untilOver(threadId: string): Promise<TimedLease | undefined> {
    for (;;) {
      const row = await this.#database.read(() => this.#statements.find.get(threadId))
      const now = row ? await this.#standing(row) : 'over'
      if (row && now === 'held') throw threadBusy(row, this.#self)
      if (now === 'over') return row
      await this.#clock.wait(lookEveryMs)
    }
  }

  async #isHeld(row: TimedLease): Promise<boolean> {
    const now = await this.#standing(row)
    return now === 'held' || (now === 'unknown' && row.expires_at_ms > Date.now())
  }

  async #standing(row: TimedLease): Promise<'held' | 'over' | 'unknown'> {
    if (row.owner === this.#self.owner) return this.#held.has(row.token) ? 'held' : 'over'
    if (row.system !== this.#self.system) return this.#watch.look(row)
    const lives = isSameProcess(row, this.#self) || (await isAlive(holderOf(row)))
    return lives ? 'held' : 'over'
  }
}

const systemClock: LeaseClock = { now: () => performance.now(), wait: (ms) => wait(ms) }

/** `expires_at_ms` by the holder's clock. */
interface TimedLease extends LeaseRow {
  readonly renewals: number
  readonly expires_at_ms: number
}

function prepare({ connection }: SqliteDatabase) {
  return {
    find: connection.prepare<[string], TimedLease>('SELECT * FROM leases WHERE thread_id = ?'),
    guarding: connection.prepare<[{ id: string }], TimedLease>(
      'SELECT * FROM leases WHERE thread_id = @id OR run_id = @id',
    ),
    put: connection.prepare<unknown[], { token: number }>(
      `INSERT OR REPLACE INTO leases (thread_id, run_id, owner, system, pid, process_start, acquired_at, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING token`,
    ),
    renew: connection.prepare<[number, number]>(
      'UPDATE leases SET renewals = renewals + 1, expires_at_ms = ? WHERE token = ?',
    ),
    remove: connection.prepare<[number]>('DELETE FROM leases WHERE token = ?'),
  }
}

function isSameProcess({ pid, process_start }: LeaseRow, self: LeaseHolder): boolean {
  return pid === self.pid && process_start === self.startedAt
}

function isSame(now: TimedLease | undefined, seen: TimedLease | undefined): boolean {
  return now?.token === seen?.token && now?.renewals === seen?.renewals
}

/** Time that only goes forwards, in milliseconds, and waits. */
export interface LeaseClock {
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
}

/** What is seen of another system's lease. */
interface Renewed {
  readonly thread_id: string
  readonly token: number
  readonly renewals: number
  /** By the holder's clock. */
  readonly expires_at_ms: number
}

/**
 * Decides whether leases of other systems still hold. Clocks may differ by years, and may be changed; so a lease is over
 * once it was not renewed for its whole duration, as measured here. An expiry within one duration from now counts as
 * renewed, which saves the wait.
 */
class RenewalWatch {
  readonly #leaseMs: number
  readonly #clock: LeaseClock
  readonly #seen = new Map<string, Renewed & { readonly since: number; readonly wasRenewed: boolean }>()

  constructor(leaseMs: number, clock: LeaseClock) {
    this.#leaseMs = leaseMs
    this.#clock = clock
  }

  /** `unknown`: look again later, until it was renewed or its duration has passed. */
  look(lease: Renewed): 'held' | 'over' | 'unknown' {
    const { thread_id, token, renewals, expires_at_ms } = lease
    const before = this.#seen.get(thread_id)
    const isSame = before?.token === token
    const isStill = isSame && before.renewals === renewals
    const now = this.#clock.now()
    if (isStill && now - before.since >= this.#leaseMs) return 'over'
    const wasRenewed = isSame && (before.wasRenewed || !isStill)
    if (!isStill) this.#seen.set(thread_id, { ...lease, since: now, wasRenewed })
    const leftMs = expires_at_ms - Date.now()
    return wasRenewed || (leftMs > 0 && leftMs <= this.#leaseMs) ? 'held' : 'unknown'
  }
}
