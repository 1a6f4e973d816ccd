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
  /** By the clock of whoever holds it. */
  readonly expires_at_ms: number
}

/**
 * Tells whether leases of other systems still hold. Two clocks of the day may differ by years, and steps of either must
 * not end a lease that is renewed, nor keep one for ever that is not. So a lease is over once its renewals have stood
 * still for its whole duration, as measured here. Its own expiry only saves that wait where it lies within a duration
 * from now, as that of a lease that is renewed does.
 */
export class RenewalWatch {
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
