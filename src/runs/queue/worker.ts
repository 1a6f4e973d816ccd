import { setTimeout as wait } from 'node:timers/promises'
import type { QueueMember } from '../../storage/index.ts'

/** Work of one kind. What is taken is released when it is done. */
export interface KindOfWork {
  /** Takes the next piece, and returns what does it; null if there is none. */
  readonly take: () => Promise<(() => Promise<void>) | null>
  /** How many pieces are worked on at the same time, whatever else is. */
  readonly atOnce: number
}

/**
 * What this many workers in a row were lost with for at least this time, without progress, would go on taking workers with
 * it. Where workers end for other reasons, one of them gets further before the time is over.
 */
const mostLost = 20
const leastLostMs = 5 * 60_000

/** True for work that no worker survives. */
export function isHopeless({ workers, forMs }: { readonly workers: number; readonly forMs: number }): boolean {
  return workers >= mostLost && forMs >= leastLostMs
}

interface WorkerParts {
  readonly member: QueueMember
  readonly kinds: readonly KindOfWork[]
  /** Told of what no run reports, for instance that the storage cannot be reached. */
  readonly onError: (error: unknown) => void
}

/** How often workers that are gone are looked for. Milliseconds. */
const recoverEveryMs = 1000

/** Takes work from the queue and does it, until it is stopped. */
export class Worker {
  readonly #parts: WorkerParts
  readonly #atWork: ReadonlyMap<KindOfWork, Set<Promise<void>>>
  readonly #stopped = new AbortController()
  readonly #loop: Promise<void>
  /** Aborted when work has ended, so that the next is taken at once. */
  #free = new AbortController()
  #recoveredAt = Number.NEGATIVE_INFINITY

  /** Begins at once. */
  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#atWork = new Map(parts.kinds.map((kind) => [kind, new Set()]))
    this.#loop = this.#takeWork()
  }

  /** Takes no more work. */
  stop(): void {
    this.#stopped.abort()
    this.#free.abort()
  }

  /** Takes no more work; resolves when all has ended, or after this time. */
  async drain(withinMs: number): Promise<void> {
    this.stop()
    const over = new AbortController()
    const overdue = wait(withinMs, undefined, { signal: over.signal }).catch(() => {})
    await Promise.race([overdue, this.#ended()])
    over.abort()
  }

  /** Leaves the queue once all work has ended. */
  async close(): Promise<void> {
    this.stop()
    await this.#ended()
    await this.#parts.member.leave()
  }

  async #ended(): Promise<void> {
    await this.#loop
    await Promise.all([...this.#atWork.values()].flatMap((pieces) => [...pieces]))
  }

  async #takeWork(): Promise<void> {
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
    for (const [{ take, atOnce }, atWork] of this.#atWork) {
      while (atWork.size < atOnce && !this.#stopped.signal.aborted) {
        const work = await take()
        if (!work) break
        this.#begin(work, atWork)
      }
    }
  }

  #begin(work: () => Promise<void>, atWork: Set<Promise<void>>): void {
    const done = work()
      .catch(this.#parts.onError)
      .finally(() => {
        atWork.delete(done)
        this.#free.abort()
      })
    atWork.add(done)
  }
}
