import type { FollowOptions, Quaero, StreamEvent } from '../../index.ts'
import { TooManyRuns } from '../access/refusals.ts'
import { SharedPlaces, type SlotLimits, Slots } from '../access/slots.ts'
import type { User } from '../access/users.ts'
import type { Library } from './libraries.ts'

export interface RunsAtWorkOptions {
  readonly places: SlotLimits
  /** How long a question waits in line where all places are taken. Milliseconds. */
  readonly lineMs: number
  /** True where workers take runs from a queue, which has limits of its own: a run goes on there when its client leaves. */
  readonly isQueued?: boolean
  /** Sees each event of the runs that are worked on here. */
  readonly observe?: (event: StreamEvent) => void
  /** Aborted once the server stops: all watches end with it. */
  readonly stopping?: AbortSignal | undefined
}

/** Whose run it is, and on which engine. */
export interface Asker {
  readonly quaero: Quaero
  /** Keeps the engine open. */
  readonly hold: Library['hold']
  readonly user: User
  /** Aborted once nobody reads any more: what is followed ends with it, and no run does. */
  readonly left: AbortSignal
}

/** How long a stream that is begun is followed; to its end, if absent. */
type Until = Pick<FollowOptions, 'signal'>

/** The runs of all users that this process works on. It limits how many there are, and tells readers of a thread of each attempt. */
export class RunsAtWork {
  readonly #options: RunsAtWorkOptions
  readonly #slots: Slots
  readonly #repeats = new SharedPlaces()
  readonly #watches = new Map<string, Set<() => void>>()

  constructor(options: RunsAtWorkOptions) {
    this.#options = options
    this.#slots = new Slots(options.places, () => new TooManyRuns(noPlace))
  }

  /**
   * Begins a run, and follows it. The run does not wait for its reader, and gives its place back when it ends or waits: a
   * reader that takes nothing keeps no place. Repeats of a request with one key share a place. Throws `TooManyRuns`.
   */
  async *follow(
    { quaero, hold, user, left: signal }: Asker,
    begin: (until: Until) => AsyncIterable<StreamEvent>,
    key?: string,
  ): AsyncIterable<StreamEvent> {
    if (this.#options.isQueued) {
      for await (const event of begin({ signal })) {
        this.#observe(event)
        yield event
      }
      return
    }
    const take = async () => {
      const leave = await this.#place(user, signal)
      const release = hold()
      return () => {
        leave()
        release()
      }
    }
    const release = await (key === undefined ? take() : this.#repeats.share(key, take))
    let onFirst: (event: StreamEvent) => void = () => {}
    const begun = new Promise<StreamEvent>((resolve) => {
      onFirst = resolve
    })
    const done = this.#work(() => begin({}), onFirst).finally(release)
    // Thrown below if the run did not begin; later, its log tells how it ended.
    done.catch(() => {})
    const first = await Promise.race([begun, done])
    if (!first) return
    yield* quaero.follow(first.runId, { after: 'position' in first ? first.position - 1 : 0, signal })
    // The thread is free again once the work has ended, which is after the last event.
    if (!signal.aborted) await done.catch(() => {})
  }

  /** How many cells of a table a user is asked at once: a place is left for a question. */
  get mostCells(): number {
    return Math.max(1, this.#options.places.perUser - 1)
  }

  /** Something has happened to the runs of a thread that its watchers should look at. */
  report(threadId: string): void {
    for (const wake of this.#watches.get(threadId) ?? []) wake()
  }

  /** Watches a thread, from now on until the reader leaves, for attempts at its runs in this process and in others. */
  watch(threadId: string, { quaero, left }: Pick<Asker, 'quaero' | 'left'>): Watch {
    const { stopping } = this.#options
    const ended = new AbortController()
    const signal = AbortSignal.any([left, ended.signal, ...(stopping ? [stopping] : [])])
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
    void quaero.watchThread(threadId, onNews, signal).catch(() => {})
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

  async #place(user: User, left: AbortSignal): Promise<() => void> {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), this.#options.lineMs)
    return this.#slots.wait(user, AbortSignal.any([left, patience.signal])).finally(() => clearTimeout(timer))
  }

  async #work(begin: () => AsyncIterable<StreamEvent>, onEvent: (event: StreamEvent) => void): Promise<null> {
    for await (const event of begin()) {
      this.#observe(event)
      onEvent(event)
    }
    return null
  }

  #observe(event: StreamEvent): void {
    this.#options.observe?.(event)
    const { type, threadId } = event
    if ((type === 'run.created' || type === 'run.started') && threadId !== null) this.report(threadId)
  }
}

interface Watch {
  /** True once something was reported since the last call; false once the watch is aborted. */
  next(): Promise<boolean>
  end(): void
}

const noPlace = 'As many questions are being answered as the server allows at once. Ask again in a few seconds.'
