import { setTimeout as wait } from 'node:timers/promises'
import type { Dialect } from '../sql/dialect.ts'
import { LeaseTable, newOwner, type Standing } from '../sql/leases.ts'
import type { Workplace } from '../sql/work.ts'
import { leaseMs } from './database/dialect.ts'

/** A process may stand still for the rest of a lease's duration without losing it. */
const renewEveryMs = 4_000
const lookEveryMs = 250

export function sqliteLeases(place: Workplace, dialect: Dialect, clock: LeaseClock = systemClock): LeaseTable {
  const watch = new RenewalWatch(leaseMs, clock)
  return new LeaseTable(place, newOwner(), {
    dialect,
    // Rows of this database have these columns, too.
    elsewhere: (lease) => watch.look(lease as typeof lease & Renewed),
    renewEveryMs,
    pause: () => clock.wait(lookEveryMs),
  })
}

const systemClock: LeaseClock = { now: () => performance.now(), wait: (ms) => wait(ms) }

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
  look(lease: Renewed): Standing {
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
