import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { LeaseLost, ThreadBusy } from '../../errors.ts'
import { checkIdentifier } from '../identifier.ts'
import { currentProcess, isAlive } from '../process-identity.ts'
import type { LeaseHolder, Leases } from '../storage.ts'
import { type Dialect, idList, idsIn } from './dialect.ts'
import { all, first, type Work, type Workplace } from './work.ts'

/**
 * Done in each transaction that writes for a run or to a thread's checkpoints. Throws `LeaseLost` if another storage
 * has the lease; else nobody can take it before the transaction ends.
 */
export type Fence = (runOrThreadId: string) => Work<void>

/** Takes the thread for a run, within a transaction; false if it cannot be known yet whether it is free. Throws `ThreadBusy`. */
export type Hold = (lease: { threadId: string; runId: string; job?: string }) => Work<boolean>

/** A lease as a row of the table `leases`. */
interface LeaseRow {
  /** Never used again: it tells the writes of the present holder from those of a former one. */
  readonly token: number
  readonly thread_id: string
  readonly run_id: string
  readonly owner: string
  readonly system: string
  readonly pid: number
  readonly process_start: string
  readonly acquired_at: string
}

/** A lease as it was read; what says when it ends depends on the storage. */
export interface TimedLease extends LeaseRow {
  readonly isCurrent: boolean | number
}

export type Standing = 'held' | 'over' | 'unknown'

export interface LeaseOptions {
  readonly dialect: Dialect
  /** Whether a lease of another system still holds. */
  readonly elsewhere: (lease: TimedLease) => Standing
  readonly renewEveryMs: number
  /** Time between two looks at a lease of which that is unknown. */
  readonly pause?: () => Promise<void>
}

const lookEveryMs = 250

/** The table `leases`: who works on a thread, under which token, and until when. Each open storage is one owner. */
export class LeaseTable implements Leases {
  readonly #place: Workplace
  readonly #self: LeaseHolder & { readonly owner: string }
  readonly #options: LeaseOptions
  readonly #find: string
  /** This owner's leases, by token. */
  readonly #held = new Map<number, { readonly threadId: string; readonly runId: string }>()
  #timer: NodeJS.Timeout | undefined

  constructor(place: Workplace, self: LeaseHolder & { readonly owner: string }, options: LeaseOptions) {
    this.#place = place
    this.#self = self
    this.#options = options
    this.#find = `SELECT *, ${options.dialect.lease.isCurrent} AS "isCurrent" FROM leases`
  }

  /** Under which this storage takes leases. */
  get owner(): string {
    return this.#self.owner
  }

  readonly fence: Fence = function* (this: LeaseTable, id: string): Work<void> {
    const row = yield* first<{ token: number; pid: number }>(
      `SELECT token, pid FROM leases WHERE thread_id = $1 OR run_id = $1 LIMIT 1 ${this.#options.dialect.forShare}`,
      [id],
    )
    if (row ? this.#held.has(row.token) : this.#heldFor(id).length === 0) return
    throw leaseLost(id, row)
  }.bind(this)

  acquire(threadId: string, runId: string): Promise<void> {
    return this.take(threadId, runId, function* () {})
  }

  /** Takes the thread for the run and does the work, in one transaction. Throws `ThreadBusy`, also for queued runs. */
  async take<T>(threadId: string, runId: string, work: () => Work<T>): Promise<T> {
    checkIdentifier('run', runId)
    return this.holding((begin, hold) =>
      this.#onceFree(threadId, function* () {
        begin()
        if (!(yield* hold({ threadId, runId }))) return null
        yield* refuseQueued(threadId)
        return { result: yield* work() }
      }),
    )
  }

  /** Does the work in one transaction while the thread is free and none of its runs is queued. Throws `ThreadBusy`. */
  whileFree<T>(threadId: string, work: () => Work<T>): Promise<T> {
    const lockFree = () => this.#lockFree(threadId)
    return this.#onceFree(threadId, function* () {
      if (!(yield* lockFree())) return null
      yield* refuseQueued(threadId)
      return { result: yield* work() }
    })
  }

  /**
   * Does what takes leases. They are this owner's once it has resolved; `begin` is called where a transaction begins, and
   * forgets those of one that was undone.
   */
  protected async holding<T>(take: (begin: () => void, hold: Hold) => Promise<T>): Promise<T> {
    const taken = new Set<number>()
    const begin = () => {
      for (const token of taken) this.#held.delete(token)
      taken.clear()
    }
    try {
      const result = await take(begin, (lease) => this.#hold(lease, taken))
      if (taken.size > 0) this.#timer ??= setInterval(() => this.#renew(), this.#options.renewEveryMs).unref()
      return result
    } catch (error) {
      begin()
      throw error
    }
  }

  async holder(threadId: string) {
    const row = await this.#place.read(() => this.#leaseOf(threadId))
    return row && this.#isHeld(row) ? { runId: row.run_id, holder: holderOf(row) } : null
  }

  /** Who works on which of these runs now. */
  async ownersOf(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = idsIn(this.#options.dialect, '$1')
    const rows = await this.#place.read(() =>
      all<TimedLease>(`${this.#find} WHERE run_id IN ${wanted}`, [idList(runIds)]),
    )
    return new Map(rows.filter((row) => this.#isHeld(row)).map((row) => [row.run_id, row.owner]))
  }

  async heldOf(runIds: readonly string[]) {
    return (await this.ownersOf(runIds)).keys()
  }

  async release(threadId: string, runId: string): Promise<void> {
    const own = this.#heldFor(threadId).filter(([_, lease]) => lease.runId === runId)
    for (const [token] of own) {
      // A row that is left where this fails is no longer renewed, and does not block this owner.
      await this.remove(token, { threadId, runId }).finally(() => this.#held.delete(token))
    }
  }

  /** Leases expire from now on. */
  stopRenewing(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  protected async remove(token: number, _lease: { threadId: string; runId: string }): Promise<void> {
    await this.#place.write(() => all('DELETE FROM leases WHERE token = $1', [token]))
  }

  /** `attempt` is one transaction; null from it: look again later. */
  async #onceFree<T>(threadId: string, attempt: () => Work<{ readonly result: T } | null>): Promise<T> {
    checkIdentifier('thread', threadId)
    const { pause = () => wait(lookEveryMs) } = this.#options
    for (;;) {
      // Without a lock first: a transaction of the holder may be open, and all writes here would wait for its end.
      const row = await this.#place.read(() => this.#leaseOf(threadId))
      const done = this.#isOver(row) ? await this.#place.write(attempt, { durable: true }) : null
      if (done) return done.result
      await pause()
    }
  }

  *#leaseOf(threadId: string, lock = ''): Work<TimedLease | undefined> {
    return yield* first<TimedLease>(`${this.#find} WHERE thread_id = $1 ${lock}`, [threadId])
  }

  /** Locks the thread until the end of the transaction; false if it cannot be known yet whether it is free. */
  *#lockFree(threadId: string): Work<boolean> {
    const { lockThread, forUpdate } = this.#options.dialect
    yield* lockThread(threadId)
    return this.#isOver(yield* this.#leaseOf(threadId, forUpdate))
  }

  *#hold({ threadId, runId, job }: Parameters<Hold>[0], taken: Set<number>): Work<boolean> {
    if (!(yield* this.#lockFree(threadId))) return false
    this.#refuseLost(threadId)
    const token = yield* this.#put(threadId, runId, job ?? null)
    taken.add(token)
    // Before anyone else can see the row.
    this.#held.set(token, { threadId, runId })
    return true
  }

  *#put(threadId: string, runId: string, job: string | null): Work<number> {
    const { owner, system, pid, startedAt } = this.#self
    const { column, value } = this.#options.dialect.lease.expiry
    yield* all('DELETE FROM leases WHERE thread_id = $1', [threadId])
    const row = yield* first<{ token: number }>(
      `INSERT INTO leases (thread_id, run_id, owner, system, pid, process_start, acquired_at, job, ${column})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${value}) RETURNING token`,
      [threadId, runId, owner, system, pid, startedAt, new Date().toISOString(), job],
    )
    // RETURNING always gives back the row that was inserted.
    return row?.token ?? 0
  }

  /** A renewal that fails is followed by another; the run reports a storage failure itself. */
  #renew(): void {
    if (this.#held.size === 0) this.stopRenewing()
    const { rows, lease } = this.#options.dialect
    const held = rows('$1', 'held', { token: 'bigint' })
    const list = JSON.stringify([...this.#held.keys()].map((token) => ({ token })))
    const set = `${lease.expiry.column} = ${lease.expiry.value}, ${lease.renewed}`
    void this.#place
      .write(() => all(`UPDATE leases SET ${set} WHERE token IN (SELECT token FROM ${held})`, [list]))
      .catch(() => {})
  }

  /** A run whose lease was taken away may still be at work here; under a new lease, the fence would let its writes pass. */
  #refuseLost(threadId: string): void {
    const [lost] = this.#heldFor(threadId)
    if (!lost) return
    const [_, { runId }] = lost
    throw new ThreadBusy(`Thread "${threadId}" is busy: run "${runId}" lost its lease, and has not ended here yet.`)
  }

  #heldFor(id: string) {
    return [...this.#held].filter(([_, { threadId, runId }]) => threadId === id || runId === id)
  }

  /** False if it cannot be known yet. Throws `ThreadBusy` for a lease that holds. */
  #isOver(row: TimedLease | undefined): boolean {
    const standing = row ? this.#standing(row) : 'over'
    if (row && standing === 'held') throw threadBusy(row, this.#self)
    return standing === 'over'
  }

  #isHeld(row: TimedLease): boolean {
    const standing = this.#standing(row)
    return standing === 'held' || (standing === 'unknown' && Boolean(row.isCurrent))
  }

  /** A process of this system holds its leases while it lives; of one of another system the storage decides. */
  #standing(row: TimedLease): Standing {
    if (row.owner === this.#self.owner) return this.#held.has(row.token) ? 'held' : 'over'
    if (row.system !== this.#self.system) return this.#options.elsewhere(row)
    return isAlive(holderOf(row)) ? 'held' : 'over'
  }
}

/** This process, as an owner of leases. */
export function newOwner(): LeaseHolder & { readonly owner: string } {
  return { owner: randomUUID(), ...currentProcess() }
}

function* refuseQueued(threadId: string): Work<void> {
  const queued = yield* first<{ run_id: string }>(
    'SELECT run_id FROM runs WHERE thread_id = $1 AND queue_place IS NOT NULL ORDER BY turn LIMIT 1',
    [threadId],
  )
  if (!queued) return
  throw new ThreadBusy(
    `Thread "${threadId}" is busy: run "${queued.run_id}" is in the queue of the workers. ` +
      `Nothing was stored. Wait until it ends, stop it with "quaero runs cancel ${queued.run_id}", or ask on another thread.`,
  )
}

function holderOf({ system, pid, process_start }: LeaseRow): LeaseHolder {
  return { system, pid, startedAt: process_start }
}

/** What a run is told that wants a thread of another. */
function threadBusy({ thread_id, run_id, system, pid, acquired_at }: LeaseRow, self: LeaseHolder): ThreadBusy {
  const where = system === self.system ? '' : ' of another host or container'
  return new ThreadBusy(
    `Thread "${thread_id}" is busy: process ${pid}${where} has been working on run "${run_id}" since ${acquired_at}. ` +
      `Nothing was stored. Wait until it ends, stop it with "quaero runs cancel ${run_id}", or ask on another thread.`,
  )
}

/** What a run is told that writes under a lease which is over; `row` is that of the present holder. */
function leaseLost(runOrThreadId: string, row: Pick<LeaseRow, 'pid'> | undefined): LeaseLost {
  const holder = row ? `Process ${row.pid} works` : 'Another process has worked'
  return new LeaseLost(
    `${holder} on "${runOrThreadId}" in place of this one, whose lease had expired. Nothing more is stored.`,
  )
}
