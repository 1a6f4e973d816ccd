/**
 * Results of tasks that could not be stored, by thread. LangGraph awaits `putWrites` only at the end of the step, and until
 * then a rejection would be unhandled and end the process. So the next `put` reports the failure.
 */
export class FailedWrites {
  readonly #failures = new Map<string, unknown>()

  note(threadId: string, failure: unknown): void {
    this.#failures.set(threadId, failure)
  }

  /** Throws the thread's failure; inside a transaction that may be tried again, so that it stays. */
  report(threadId: string): void {
    if (this.#failures.has(threadId)) throw this.#failures.get(threadId)
  }

  /** Call it when the failure was reported. */
  forget(threadId: string): void {
    this.#failures.delete(threadId)
  }
}
