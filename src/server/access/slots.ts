import { TooManyRuns } from './refusals.ts'
import type { User } from './users.ts'

export interface SlotLimits {
  readonly perUser: number
  readonly inAll: number
}

/** Counts the runs at work, so that one user cannot keep the others waiting. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #taken = new Map<string, number>()
  #inAll = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Takes a place; the function that is returned gives it back, once. Throws `TooManyRuns`. */
  take({ name }: User): () => void {
    const key = name ?? ''
    const own = this.#taken.get(key) ?? 0
    if (own >= this.#limits.perUser || this.#inAll >= this.#limits.inAll) {
      throw new TooManyRuns('The server is answering as many questions as it may at once. Ask again in a few seconds.')
    }
    this.#taken.set(key, own + 1)
    this.#inAll += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#inAll -= 1
      this.#taken.set(key, (this.#taken.get(key) ?? 1) - 1)
    }
  }
}
