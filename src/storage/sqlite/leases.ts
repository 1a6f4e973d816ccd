import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { LeaseLost, ThreadBusy } from '../../errors.ts'
import { checkIdentifier } from '../identifier.ts'
import type { LeaseHolder, Leases } from '../storage.ts'
import type { SqliteDatabase } from './database/database.ts'
import { currentProcess, isAlive } from './database/process-identity.ts'

/** Call it inside each write of a run or of a thread's checkpoints. Throws `LeaseLost` if another storage has the lease. */
export type Fence = (runOrThreadId: string) => void

/** `Leases`, and what storage builds on them. */
export interface SqliteLeases extends Leases {
  readonly fence: Fence
  /** Takes the thread for the run and does the work, in one transaction. Throws `ThreadBusy`. */
  take<T>(threadId: string, runId: string, work: () => T): Promise<T>
  /** Does the work in one transaction while the thread is free. Throws `ThreadBusy`. */
  whileFree<T>(threadId: string, work: () => T): Promise<T>
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
  const statements = prepare(database)
  const self = { owner: randomUUID(), ...(await currentProcess()) }
  /** This owner's leases, by token. */
  const held = new Map<number, { readonly threadId: string; readonly runId: string }>()
  const watch = new RenewalWatch(leaseMs, clock)
  let timer: NodeJS.Timeout | undefined

  async function standing(row: LeaseRow): Promise<'held' | 'over' | 'unknown'> {
    if (row.owner === self.owner) return held.has(row.token) ? 'held' : 'over'
    if (row.system !== self.system) return watch.look(row)
    const lives = isSameProcess(row, self) || (await isAlive(holderOf(row)))
    return lives ? 'held' : 'over'
  }

  /** Waits until the lease is over, and returns its row, if any. Throws `ThreadBusy` if it holds. */
  async function untilOver(threadId: string): Promise<LeaseRow | undefined> {
    for (;;) {
      const row = await database.read(() => statements.find.get(threadId))
      const now = row ? await standing(row) : 'over'
      if (row && now === 'held') throw new ThreadBusy(busyMessage(row, self))
      if (now === 'over') return row
      await clock.wait(lookEveryMs)
    }
  }

  async function whileFree<T>(threadId: string, work: () => T): Promise<T> {
    checkIdentifier('thread', threadId)
    for (;;) {
      const over = await untilOver(threadId)
      // Meanwhile the holder may have renewed it, or another have taken the thread.
      const ifSame = () => (isSame(statements.find.get(threadId), over) ? { result: work() } : null)
      const done = await database.write(ifSame, { durable: true })
      if (done) return done.result
    }
  }

  async function take<T>(threadId: string, runId: string, work: () => T): Promise<T> {
    checkIdentifier('run', runId)
    const { owner, system, pid, startedAt } = self
    let token: number | undefined
    try {
      return await whileFree(threadId, () => {
        // From a transaction that was undone.
        if (token !== undefined) held.delete(token)
        const since = new Date().toISOString()
        const row = statements.put.get(threadId, runId, owner, system, pid, startedAt, since, Date.now() + leaseMs)
        token = row?.token
        const result = work()
        // Before anyone else can see the row.
        if (token !== undefined) held.set(token, { threadId, runId })
        timer ??= setInterval(renew, renewEveryMs).unref()
        return result
      })
    } catch (error) {
      if (token !== undefined) held.delete(token)
      throw error
    }
  }

  /** A renewal that fails is followed by another; the run reports a storage failure itself. */
  function renew(): void {
    if (held.size === 0) stopRenewing()
    const all = () => {
      for (const token of held.keys()) statements.renew.run(Date.now() + leaseMs, token)
    }
    void database.write(all).catch(() => {})
  }

  function stopRenewing(): void {
    clearInterval(timer)
    timer = undefined
  }

  const heldFor = (id: string) => [...held].filter(([_, { threadId, runId }]) => threadId === id || runId === id)

  return {
    take,
    whileFree,
    stopRenewing,
    fence(id) {
      const row = statements.guarding.get({ id })
      if (row ? held.has(row.token) : heldFor(id).length === 0) return
      const holder = row ? `Process ${row.pid} works` : 'Another process has worked'
      throw new LeaseLost(`${holder} on "${id}" in place of this one, whose lease had expired. Nothing more is stored.`)
    },
    async holder(threadId) {
      const row = await database.read(() => statements.find.get(threadId))
      if (!row) return null
      const now = await standing(row)
      const isHeld = now === 'held' || (now === 'unknown' && row.expires_at_ms > Date.now())
      return isHeld ? { runId: row.run_id, holder: holderOf(row) } : null
    },
    acquire: (threadId, runId) => take(threadId, runId, () => {}),
    async release(threadId, runId) {
      const own = heldFor(threadId).filter(([_, lease]) => lease.runId === runId)
      for (const [token] of own) {
        // A row that is left where this fails is no longer renewed, and does not block this owner.
        await database.write(() => statements.remove.run(token)).finally(() => held.delete(token))
      }
    },
  }
}

const systemClock: LeaseClock = { now: () => performance.now(), wait: (ms) => wait(ms) }

interface LeaseRow {
  readonly token: number
  readonly thread_id: string
  readonly run_id: string
  readonly owner: string
  readonly system: string
  readonly pid: number
  readonly process_start: string
  readonly acquired_at: string
  readonly renewals: number
  readonly expires_at_ms: number
}

function prepare({ connection }: SqliteDatabase) {
  return {
    find: connection.prepare<[string], LeaseRow>('SELECT * FROM leases WHERE thread_id = ?'),
    guarding: connection.prepare<[{ id: string }], LeaseRow>(
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

function holderOf({ system, pid, process_start }: LeaseRow): LeaseHolder {
  return { system, pid, startedAt: process_start }
}

function isSameProcess({ pid, process_start }: LeaseRow, self: LeaseHolder): boolean {
  return pid === self.pid && process_start === self.startedAt
}

function isSame(now: LeaseRow | undefined, seen: LeaseRow | undefined): boolean {
  return now?.token === seen?.token && now?.renewals === seen?.renewals
}

function busyMessage({ thread_id, run_id, system, pid, acquired_at }: LeaseRow, self: LeaseHolder): string {
  const where = system === self.system ? '' : ' of another host or container'
  return (
    `Thread "${thread_id}" is busy: process ${pid}${where} has been working on run "${run_id}" since ${acquired_at}. ` +
    `Nothing was stored. Wait until it ends, stop it with "quaero runs cancel ${run_id}", or ask on another thread.`
  )
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
