import { once } from 'node:events'
import { z } from 'zod'
import type { StreamEvent } from '../../events/index.ts'
import { abortSignal, checkOptions, count } from '../../options.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'
import { isTakenCareOf } from '../log/read-log.ts'
import type { RunFeed, RunReader } from './feed.ts'
import { follow } from './follow.ts'
import { NewsOfRuns } from './news-of-runs.ts'

export interface FollowOptions {
  /** Only what comes after this position in the run's log; from the beginning, if absent. */
  readonly after?: number
  /** Ends the following, not the run. */
  readonly signal?: AbortSignal
}

const followOptions = z.strictObject({
  after: count.max(Number.MAX_SAFE_INTEGER).optional(),
  signal: abortSignal.optional(),
})

/** What happens to a run when the reader of its stream leaves before the end. */
export type OnLeave = 'stop' | 'continue'

/** An attempt that this process makes, as its stream needs it. */
interface BegunRun {
  readonly runId: string
  readonly threadId: string | null
  readonly feed: RunFeed
}

/** A run, and how it is followed. */
interface RunToFollow extends FollowOptions {
  readonly runId: string
}

/** Starts or resumes a run for a reader; resolves to a run that others have begun, or will. */
type RunWork = (reader: RunReader) => Promise<RunToFollow | null>

interface FollowerParts {
  readonly storage: Storage
  readonly runner: { readonly attemptAt: (runId: string) => BegunRun | undefined }
}

/** Follows runs as they happen. */
export class Follower {
  readonly #parts: FollowerParts
  readonly #news: NewsOfRuns
  readonly #newsOfThreads: NewsOfRuns

  constructor(parts: FollowerParts) {
    this.#parts = parts
    const { storage } = parts
    this.#news = new NewsOfRuns(storage)
    const watch = storage.live?.watchThread?.bind(storage.live)
    const marks = storage.threads.marks.bind(storage.threads)
    this.#newsOfThreads = new NewsOfRuns({ events: storage.events, marks, ...(watch && { live: { watch } }) })
  }

  /** A run after any position, in any process. Throws `RunNotFound`, `InvalidId`, `UsageError`. */
  follow(runId: string, options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    return untilLeft((left) => this.#follow(runId, options, left))
  }

  /** Does the work, and yields the lines of its run, in whichever process the run goes on. */
  stream(work: RunWork, onLeave: OnLeave = 'stop'): AsyncGenerator<StreamEvent> {
    return untilLeft((left) => this.#stream(work, onLeave, left))
  }

  /** Calls back when a run of the thread may have begun or gone on, in any process, until `signal` is aborted. */
  async watchThread(threadId: string, onNews: () => void, signal: AbortSignal): Promise<void> {
    const runId = checkIdentifier('thread', threadId)
    // What cannot be read now is looked at later.
    const news = this.#newsOfThreads.of({ runId, tell: onNews, fail: onNews })
    news.look()
    if (!signal.aborted) await once(signal, 'abort')
    news.close()
  }

  async *#follow(runId: string, options: FollowOptions, left: AbortSignal): AsyncGenerator<StreamEvent> {
    checkOptions('The options of the following', followOptions, options)
    const { after = 0, signal = left } = options
    const { storage, runner } = this.#parts
    const attempt = runner.attemptAt(checkIdentifier('run', runId))
    const threadId = attempt?.threadId ?? (await storage.events.run(runId)).threadId
    const run = {
      runId,
      threadId,
      events: storage.events,
      feed: () => runner.attemptAt(runId)?.feed,
      live: storage.live,
      news: this.#news,
      isAtWork: () => isTakenCareOf({ runId, threadId }, storage),
    }
    yield* follow(run, { after, signal: AbortSignal.any([left, signal]) })
  }

  async *#stream(work: RunWork, onLeave: OnLeave, gone: AbortSignal): AsyncGenerator<StreamEvent> {
    const left = new AbortController()
    let onBegin: RunReader['onBegin'] = () => {}
    const begun = new Promise<RunToFollow>((resolve) => {
      onBegin = ({ runId, feed }) => resolve({ runId, after: feed.position })
    })
    const done = (async () => work({ left: left.signal, onBegin }))()
    // Thrown below, unless the reader has left.
    done.catch(() => {})
    let isRead = false
    try {
      const { runId, ...options } = (await Promise.race([begun, done])) ?? {}
      if (runId !== undefined) yield* this.#follow(runId, options, gone)
      if (gone.aborted) return
      await done
      isRead = true
    } finally {
      if (!isRead && onLeave === 'stop') {
        left.abort()
        await done
      }
    }
  }
}

/** What `begin` yields. Who leaves, also while the next line is waited for, aborts what it is given. */
function untilLeft(begin: (left: AbortSignal) => AsyncGenerator<StreamEvent>): AsyncGenerator<StreamEvent> {
  const left = new AbortController()
  const lines = begin(left.signal)
  return {
    next: () => lines.next(),
    return: (value) => {
      left.abort()
      return lines.return(value)
    },
    throw: (error) => {
      left.abort()
      return lines.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
