/** Hands values from whoever pushes to whoever iterates, in order; a slow reader never slows the writer. */
export class EventQueue<T> {
  readonly #values: T[] = []
  #wake: () => void = () => {}
  #closed = false
  #error: unknown

  push(value: T): void {
    this.#values.push(value)
    this.#wake()
  }

  /** Ends the iteration after what was pushed; with an error, the iteration throws it. */
  close(error?: unknown): void {
    this.#closed = true
    this.#error = error
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const values = this.#values.splice(0)
      yield* values
      if (values.length > 0) continue
      if (this.#closed) break
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#error !== undefined) throw this.#error
  }
}
