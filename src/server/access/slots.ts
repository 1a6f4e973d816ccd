import type { User } from './users.ts'

export interface SlotLimits {
  readonly perUser: number
  readonly inAll: number
}

interface Waiting {
  readonly key: string
  readonly enter: () => void
}

/**
 * Counts what users do at once, so that one of them cannot keep the others waiting. Where all places are taken, users may
 * wait a short time in line: the next place is for the one who has the fewest, and of several for the one who has waited
 * the longest since they had one.
 */
export class Slots {
  readonly #limits: SlotLimits
  readonly #refuse: () => Error
  readonly #taken = new Map<string, number>()
  #inAll = 0
  #line: readonly Waiting[] = []
  /** Users who had places, the latest last. */
  readonly #served = new Set<string>()

  /** `refuse` makes the error that is thrown where no place is free. */
  constructor(limits: SlotLimits, refuse: () => Error) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Takes a place; the function that is returned gives it back, once. */
  take({ name }: User): () => void {
    const key = name ?? ''
    if (!this.#mayEnter(key)) throw this.#refuse()
    return this.#enter(key)
  }

  /** The same, but waits in line until `signal` is aborted. A user has no more places in line than they may take. */
  async wait({ name }: User, signal: AbortSignal): Promise<() => void> {
    const key = name ?? ''
    const isFirst = this.#line.every((each) => each.key !== key)
    if (this.#mayEnter(key) && isFirst) return this.#enter(key)
    const own = this.#of(key) + this.#line.filter((each) => each.key === key).length
    if (own >= this.#limits.perUser || signal.aborted) throw this.#refuse()
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line = this.#line.filter((each) => each !== waiting)
        reject(this.#refuse())
      }
      const waiting: Waiting = {
        key,
        enter: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#enter(key))
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#line = [...this.#line, waiting]
    })
  }

  #of(key: string): number {
    return this.#taken.get(key) ?? 0
  }

  #mayEnter(key: string): boolean {
    return this.#of(key) < this.#limits.perUser && this.#inAll < this.#limits.inAll
  }

  #enter(key: string): () => void {
    this.#taken.set(key, this.#of(key) + 1)
    this.#inAll += 1
    this.#served.delete(key)
    this.#served.add(key)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#inAll -= 1
      const left = this.#of(key) - 1
      if (left > 0) this.#taken.set(key, left)
      else this.#taken.delete(key)
      this.#next()
    }
  }

  /** Gives a free place to the next in line. */
  #next(): void {
    const turns = [...this.#served]
    const [next] = this.#line
      .filter(({ key }) => this.#mayEnter(key))
      .toSorted((a, b) => this.#of(a.key) - this.#of(b.key) || turns.indexOf(a.key) - turns.indexOf(b.key))
    if (!next) {
      if (this.#inAll === 0) this.#served.clear()
      return
    }
    this.#line = this.#line.filter((each) => each !== next)
    next.enter()
  }
}

/** Places that several hold together, as the repeats of one request do: the last who leaves gives it back. */
export class SharedPlaces {
  readonly #held = new Map<string, { readonly place: Promise<() => void>; sharers: number }>()

  /** The place that is held under this key, or the one that `take` takes. */
  async share(key: string, take: () => Promise<() => void>): Promise<() => void> {
    const held = this.#held.get(key) ?? { place: take(), sharers: 0 }
    this.#held.set(key, held)
    held.sharers += 1
    const isLast = () => {
      held.sharers -= 1
      if (held.sharers === 0) this.#held.delete(key)
      return held.sharers === 0
    }
    try {
      const giveBack = await held.place
      return () => {
        if (isLast()) giveBack()
      }
    } catch (error) {
      isLast()
      throw error
    }
  }
}

/** Does work of the same key one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#last.set(key, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key)
    }
  }
}
