/** One after the other: work of the same name begins in the order in which it was asked for. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work once everything that was asked for before, under this name, is over, whatever came of it. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work)
    this.#last.set(name, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name)
    }
  }
}
