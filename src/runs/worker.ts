import { setTimeout as wait } from 'node:timers/promises'
import type { ClaimedRun, QueueMember } from '../storage/run-queue.ts'

interface WorkerParts {
  readonly member: QueueMember
  /** Works on a run, and releases its thread in the end. */
  readonly workOn: (run: ClaimedRun) => Promise<void>
  /** How many runs it works on at the same time. */
  readonly concurrency: number
  /** Told of what no run reports, for instance that the storage cannot be reached. */
  readonly onError: (error: unknown) => void
}

/** How often workers that are gone are looked for. Milliseconds. */
const recoverEveryMs = 1000

/** Takes runs from the queue and works on them, until it is stopped. */
export class Worker {
  readonly #parts: WorkerParts
  readonly #atWork = new Set<Promise<void>>()
  readonly #stopped = new AbortController()
  readonly #loop: Promise<void>
  /** Aborted when a run has ended, so that the next one is taken at once. */
  #free = new AbortController()
  #recoveredAt = Number.NEGATIVE_INFINITY

  /** Begins at once. */
  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#loop = this.#takeRuns()
  }

  /** Takes no more runs. */
  stop(): void {
    this.#stopped.abort()
    this.#free.abort()
  }

  /** Takes no more runs; resolves when all have ended, or after this time. */
  async drain(withinMs: number): Promise<void> {
    this.stop()
    const over = new AbortController()
    const overdue = wait(withinMs, undefined, { signal: over.signal }).catch(() => {})
    await Promise.race([overdue, this.#ended()])
    over.abort()
  }

  /** Leaves the queue once all runs have ended. */
  async close(): Promise<void> {
    this.stop()
    await this.#ended()
    await this.#parts.member.leave()
  }

  async #ended(): Promise<void> {
    await this.#loop
    await Promise.all(this.#atWork)
  }

  async #takeRuns(): Promise<void> {
    const { member, onError } = this.#parts
    const { signal } = this.#stopped
    while (!signal.aborted) {
      this.#free = new AbortController()
      try {
        await this.#recover()
        await this.#fill()
      } catch (error) {
        onError(error)
      }
      if (!signal.aborted) await member.changed(this.#free.signal)
    }
  }

  async #recover(): Promise<void> {
    if (performance.now() - this.#recoveredAt < recoverEveryMs) return
    this.#recoveredAt = performance.now()
    await this.#parts.member.recover()
  }

  async #fill(): Promise<void> {
    const { member, concurrency } = this.#parts
    while (this.#atWork.size < concurrency && !this.#stopped.signal.aborted) {
      const run = await member.claim()
      if (!run) return
      this.#begin(run)
    }
  }

  #begin(run: ClaimedRun): void {
    const { workOn, onError } = this.#parts
    const work = workOn(run)
      .catch(onError)
      .finally(() => {
        this.#atWork.delete(work)
        this.#free.abort()
      })
    this.#atWork.add(work)
  }
}
