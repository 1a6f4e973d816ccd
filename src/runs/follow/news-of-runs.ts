import type { EventStore } from '../../events/index.ts'
import type { LiveRuns, Storage } from '../../storage/index.ts'

/** How often the storage is looked at: where it tells of news, in case it does not. */
const everyMs = { untold: 50, told: 1000 }
/** After this many looks at a storage that did not change, the processes at work are checked. */
const looksPerCheck = { untold: 10, told: 2 }

interface Sources extends Pick<Storage, 'marks'> {
  readonly events: Pick<EventStore, 'version'>
  readonly live?: Pick<LiveRuns, 'watch'>
}

/** One who is told when another process may have stored something of a run. */
export interface Watcher {
  readonly runId: string
  /** False while signals tell enough. */
  readonly needsLook?: () => boolean
  /** True once this process works on the run. */
  readonly isHere?: () => boolean
  readonly tell: () => void
  /** The storage cannot be looked at. */
  readonly fail: (error: unknown) => void
}

interface Waiting {
  readonly watcher: Watcher
  mark: string | null
}

/** News of one run for one watcher. */
export interface RunNews {
  /** From now on the storage is looked at, too. Without it, only what the storage itself tells is passed on. */
  look(): void
  rest(): void
  close(): void
}

/** Tells those who follow runs of other processes: one look at the storage, now and then, serves all of them. */
export class NewsOfRuns {
  readonly #sources: Sources
  readonly #kind: keyof typeof everyMs
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #version: number | null = null
  #looks = 0

  constructor(sources: Sources) {
    this.#sources = sources
    this.#kind = sources.live?.watch ? 'told' : 'untold'
  }

  /** News of a run from now on. */
  of(watcher: Watcher): RunNews {
    const waiting: Waiting = { watcher, mark: null }
    const stop = this.#sources.live?.watch?.(watcher.runId, watcher.tell)
    const rest = () => {
      this.#waiting.delete(waiting)
      if (this.#waiting.size > 0) return
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
    return {
      look: () => {
        this.#waiting.add(waiting)
        this.#lookLater()
      },
      rest,
      close: () => {
        rest()
        stop?.()
      },
    }
  }

  #lookLater(): void {
    if (this.#isLooking || this.#waiting.size === 0) return
    this.#timer ??= setTimeout(() => void this.#look(), everyMs[this.#kind])
  }

  async #look(): Promise<void> {
    this.#timer = undefined
    this.#isLooking = true
    const waiting = [...this.#waiting].filter(({ watcher }) => watcher.needsLook?.() ?? true)
    try {
      for (const { watcher } of waiting) if (watcher.isHere?.()) watcher.tell()
      if (waiting.length > 0) await this.#compare(waiting)
    } catch (error) {
      for (const { watcher } of this.#stillOf(waiting)) watcher.fail(error)
    } finally {
      this.#isLooking = false
      this.#lookLater()
    }
  }

  async #compare(waiting: readonly Waiting[]): Promise<void> {
    const version = await this.#sources.events.version()
    this.#looks += 1
    if (version === this.#version && this.#looks % looksPerCheck[this.#kind] > 0) return
    this.#version = version
    const marks = await this.#sources.marks([...new Set(waiting.map(({ watcher }) => watcher.runId))])
    for (const each of this.#stillOf(waiting)) compare(each, marks.get(each.watcher.runId) ?? '')
  }

  /** Those that have not left, or gone on, during the look. */
  #stillOf(waiting: readonly Waiting[]): readonly Waiting[] {
    return waiting.filter((each) => this.#waiting.has(each))
  }
}

/** A mark that has changed, or is the first, is news: it was not known when the log was read. */
function compare(waiting: Waiting, mark: string): void {
  if (mark === waiting.mark) return
  waiting.mark = mark
  waiting.watcher.tell()
}
