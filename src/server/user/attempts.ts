import type { StreamEvent } from '../../index.ts'

/** Reports attempts at runs that begin in this process, to those that watch their thread. */
export class Attempts {
  readonly #watches = new Map<string, Set<() => void>>()
  readonly #stopping: AbortSignal | undefined

  /** All watches end with `stopping`. */
  constructor(stopping?: AbortSignal) {
    this.#stopping = stopping
  }

  /** An event of a run that is worked on here. */
  observe({ type, threadId }: StreamEvent): void {
    if ((type === 'run.created' || type === 'run.started') && threadId !== null) this.report(threadId)
  }

  /** Something has happened to the thread's runs that its watchers should look at. */
  report(threadId: string): void {
    for (const wake of this.#watches.get(threadId) ?? []) wake()
  }

  /** Watches a thread, from now until `left`. */
  watch(threadId: string, left: AbortSignal): Watch {
    const signal = this.#stopping ? AbortSignal.any([left, this.#stopping]) : left
    let isNews = false
    let wake = () => {}
    const onNews = () => {
      isNews = true
      wake()
    }
    const watches = this.#watches.get(threadId) ?? new Set()
    this.#watches.set(threadId, watches.add(onNews))
    signal.addEventListener('abort', () => wake(), { once: true })
    return {
      async next() {
        while (!isNews && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve))
        isNews = false
        return !signal.aborted
      },
      end: () => {
        watches.delete(onNews)
        if (watches.size === 0) this.#watches.delete(threadId)
      },
    }
  }
}

interface Watch {
  /** True once something was reported since the last call; false once the watch is aborted. */
  next(): Promise<boolean>
  end(): void
}
