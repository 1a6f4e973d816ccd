import type { EventStore } from '../../events/index.ts'
import type { LiveRuns, Storage } from '../../storage/storage.ts'

/** How often the storage is looked at: where it tells of news, in case it does not. */
const everyMs = { untold: 50, told: 1000 }
/** After this many looks at a storage that did not change, the processes at work are checked. */
const looksPerCheck = 10

interface Sources extends Pick<Storage, 'marks'> {
  readonly events: Pick<EventStore, 'version'>
  readonly live?: Pick<LiveRuns, 'watch'>
}

interface WatchedRun {
  readonly runId: string
  /** Set once this process works on it. */
  readonly feed: () => unknown
}

/** Wakes those who follow runs of other processes: one look at the storage, now and then, serves all of them. */
export class NewsOfRuns {
  readonly #sources: Sources
  readonly #everyMs: number
  readonly #waiting = new Set<RunNews>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #version: number | null = null
  #looks = 0

  constructor(sources: Sources) {
    this.#sources = sources
    this.#everyMs = sources.live?.watch ? everyMs.told : everyMs.untold
  }

  /** Nobody waits for news now. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#timer === undefined
  }

  /** News of a run from now on, until `signal` is aborted. */
  of(run: WatchedRun, signal: AbortSignal): RunNews {
    return new RunNews(run, signal, {
      watch: (wake) => this.#sources.live?.watch?.(run.runId, wake),
      enter: (news) => {
        this.#waiting.add(news)
        this.#lookLater()
      },
      leave: (news) => {
        this.#waiting.delete(news)
        if (this.#waiting.size > 0) return
        clearTimeout(this.#timer)
        this.#timer = undefined
      },
    })
  }

  #lookLater(): void {
    if (this.#isLooking || this.#waiting.size === 0) return
    this.#timer ??= setTimeout(() => void this.#look(), this.#everyMs)
  }

  async #look(): Promise<void> {
    this.#timer = undefined
    this.#isLooking = true
    const waiting = [...this.#waiting]
    try {
      for (const news of waiting) if (news.run.feed()) news.tell()
      const version = await this.#sources.events.version()
      this.#looks += 1
      if (version === this.#version && this.#looks % looksPerCheck > 0) return
      this.#version = version
      const marks = await this.#sources.marks([...new Set(waiting.map(({ run }) => run.runId))])
      for (const news of waiting) news.compare(marks.get(news.run.runId) ?? '')
    } catch (error) {
      for (const news of waiting) news.fail(error)
    } finally {
      this.#isLooking = false
      this.#lookLater()
    }
  }
}

interface Board {
  readonly watch: (wake: () => void) => (() => void) | undefined
  readonly enter: (news: RunNews) => void
  readonly leave: (news: RunNews) => void
}

/** What one follower waits for. */
export class RunNews {
  readonly run: WatchedRun
  readonly #board: Board
  readonly #signal: AbortSignal
  readonly #stop: (() => void) | undefined
  #mark: string | null = null
  #isTold = false
  #failure: { readonly error: unknown } | null = null
  #wake = () => {}

  constructor(run: WatchedRun, signal: AbortSignal, board: Board) {
    this.run = run
    this.#signal = signal
    this.#board = board
    this.#stop = signal.aborted ? undefined : board.watch(() => this.tell())
    signal.addEventListener('abort', this.close, { once: true })
  }

  /** Until there may be news since the last wait, or nobody waits any more. Throws what the storage does. */
  async wait(): Promise<void> {
    if (!this.#isTold && !this.#signal.aborted) {
      this.#board.enter(this)
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#board.leave(this)
    }
    this.#isTold = false
    const failure = this.#failure
    this.#failure = null
    if (failure) throw failure.error
  }

  tell(): void {
    this.#isTold = true
    this.#wake()
  }

  /** A mark that has changed, or is the first, is news: it was not known when the log was read. */
  compare(mark: string): void {
    if (mark === this.#mark) return
    this.#mark = mark
    this.tell()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#wake()
  }

  /** Waits no more, and is told no more. Harmless when closed already. */
  readonly close = (): void => {
    this.#signal.removeEventListener('abort', this.close)
    this.#stop?.()
    this.#wake()
  }
}
