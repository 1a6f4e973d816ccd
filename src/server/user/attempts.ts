import type { StreamEvent } from '../../index.ts'

/** Reports attempts at runs, those that begin in this process and those of which the storage tells, to who watches a thread. */
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

  /** Watches a thread, from now until `left`; `elsewhere` calls back at news of other processes until its signal is aborted. */
  watch(threadId: string, left: AbortSignal, elsewhere: Elsewhere): Watch {
    const ended = new AbortController()
    const signal = AbortSignal.any([left, ended.signal, ...(this.#stopping ? [this.#stopping] : [])])
    let isNews = false
    let wake = () => {}
    const onNews = () => {
      isNews = true
      wake()
    }
    const watches = this.#watches.get(threadId) ?? new Set()
    this.#watches.set(threadId, watches.add(onNews))
    signal.addEventListener('abort', () => wake(), { once: true })
    // Without it, those that begin here are reported all the same.
    void elsewhere(threadId, onNews, signal).catch(() => {})
    return {
      async next() {
        while (!isNews && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve))
        isNews = false
        return !signal.aborted
      },
      end: () => {
        ended.abort()
        watches.delete(onNews)
        if (watches.size === 0) this.#watches.delete(threadId)
      },
    }
  }
}

type Elsewhere = (threadId: string, onNews: () => void, signal: AbortSignal) => Promise<void>

interface Watch {
  /** True once something was reported since the last call; false once the watch is aborted. */
  next(): Promise<boolean>
  end(): void
}
