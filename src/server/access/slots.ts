import type { User } from './users.ts'

export interface SlotLimits {
  readonly perUser: number
  readonly inAll: number
}

/** Counts what users do at once, so that one of them cannot keep the others waiting. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #refuse: () => Error
  readonly #taken = new Map<string, number>()
  #inAll = 0

  /** `refuse` makes the error that `take` throws where no place is free. */
  constructor(limits: SlotLimits, refuse: () => Error) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Takes a place; the function that is returned gives it back, once. */
  take({ name }: User): () => void {
    const key = name ?? ''
    const own = this.#taken.get(key) ?? 0
    if (own >= this.#limits.perUser || this.#inAll >= this.#limits.inAll) throw this.#refuse()
    this.#taken.set(key, own + 1)
    this.#inAll += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#inAll -= 1
      const left = (this.#taken.get(key) ?? 1) - 1
      if (left > 0) this.#taken.set(key, left)
      else this.#taken.delete(key)
    }
  }
}
