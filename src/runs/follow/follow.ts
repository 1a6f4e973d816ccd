import { z } from 'zod'
import type { EventStore, StreamEvent } from '../../events/index.ts'
import { abortSignal, checkOptions, count } from '../../options.ts'
import { checkIdentifier } from '../../storage/identifier.ts'
import type { LiveReader, Storage } from '../../storage/storage.ts'
import { isTakenCareOf } from '../log/read-log.ts'
import type { RunFeed } from './feed.ts'
import { Lines } from './lines.ts'
import { NewsOfRuns, type RunNews } from './news-of-runs.ts'

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

/** A run that others work on, and how it is followed. */
interface RunElsewhere extends FollowOptions {
  readonly runId: string
}

/** Starts or resumes a run, and reports when it begins; resolves to a run that others have begun, or will. */
type RunWork = (left: AbortSignal, onBegin: (run: BegunRun) => void) => Promise<RunElsewhere | null>

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
    const news = this.#newsOfThreads.of({ runId: checkIdentifier('thread', threadId), feed: () => null }, signal)
    while (!signal.aborted) {
      // What cannot be read now is looked at later.
      await news.wait().catch(() => {})
      if (!signal.aborted) onNews()
    }
  }

  async *#follow(runId: string, options: FollowOptions, left: AbortSignal): AsyncGenerator<StreamEvent> {
    checkOptions('The options of the following', followOptions, options)
    const { after = 0, signal = left } = options
    const { threadId } = await this.#parts.storage.events.run(checkIdentifier('run', runId))
    yield* follow(this.#followed(runId, threadId), { after, signal: AbortSignal.any([left, signal]) })
  }

  async *#stream(work: RunWork, onLeave: OnLeave, gone: AbortSignal): AsyncGenerator<StreamEvent> {
    const left = new AbortController()
    let begin: (run: BegunRun) => void = () => {}
    const begun = new Promise<{ readonly run: BegunRun; readonly reader: LiveReader }>((resolve) => {
      // Joins at once, before the run's first line.
      begin = (run) => resolve({ run, reader: run.feed.join() })
    })
    const done = (async () => work(left.signal, begin))()
    // Thrown below, unless the reader has left.
    done.catch(() => {})
    let isRead = false
    try {
      const joined = await Promise.race([begun, done.then(() => null)])
      if (joined) {
        const { run, reader } = joined
        const followed = this.#followed(run.runId, run.threadId ?? '')
        yield* follow(followed, { after: reader.position, signal: gone }, reader)
        if (gone.aborted) return
      }
      const elsewhere = await done
      if (!joined && elsewhere) {
        const { runId, ...options } = elsewhere
        yield* this.#follow(runId, options, gone)
        if (gone.aborted) return
      }
      isRead = true
    } finally {
      if (!isRead && onLeave === 'stop') {
        left.abort()
        await done
      }
    }
  }

  #followed(runId: string, threadId: string): FollowedRun {
    const { storage, runner } = this.#parts
    return {
      runId,
      threadId,
      events: storage.events,
      feed: () => runner.attemptAt(runId)?.feed,
      elsewhere: async (signal) => (await storage.live?.join(runId, signal)) ?? null,
      news: this.#news,
      isAtWork: () => isTakenCareOf({ runId, threadId }, storage),
    }
  }
}

/** A run, and where its events are read. */
interface FollowedRun {
  readonly runId: string
  readonly threadId: string
  readonly events: Pick<EventStore, 'read'>
  /** Its lines as they come, while this process works on it. */
  readonly feed: () => RunFeed | null | undefined
  /** The same while another process does; null where they do not come, `late` where it has not answered in time. */
  readonly elsewhere: (signal?: AbortSignal) => Promise<LiveReader | 'late' | null>
  /** Tells when another process may have stored something of it. */
  readonly news: Pick<NewsOfRuns, 'of'>
  /** True while a living process, this or another, works on it, or it is queued. */
  readonly isAtWork: () => Promise<boolean>
}

/**
 * A run's lines after a position, without gap or repeat, until the run ends or waits. Where the lines of another process do
 * not come, its run has no deltas. If the process of the run is gone, the last line says that the run was interrupted.
 */
export async function* follow(
  run: FollowedRun,
  { after = 0, signal }: UntilLeft,
  joined?: LiveReader,
): AsyncGenerator<StreamEvent> {
  const lines = new Lines(run, after)
  let news: RunNews | undefined
  try {
    let found: Joined = joined ? { reader: joined } : await join(run, signal)
    while (!signal.aborted) {
      const { reader } = found
      // Before the log is read, so that nothing is missed between.
      if (!reader) news ??= run.news.of(run, signal)
      const isOver = yield* reader ? live(run, lines, reader, signal) : logged(run, lines, signal)
      if (isOver) return
      if (!reader) await newsWithin(found.joinsAgainMs, news)
      found = await join(run, signal)
    }
    found.reader?.close()
  } finally {
    news?.close()
  }
}

/** How a run is followed: nobody follows what nobody reads. */
interface UntilLeft {
  readonly after?: number
  readonly signal: AbortSignal
}

interface Joined {
  readonly reader: LiveReader | null
  /** When a process that was too busy to answer is asked again: the words of an answer come from it alone. */
  readonly joinsAgainMs?: number
}

async function join(run: FollowedRun, signal: AbortSignal): Promise<Joined> {
  const found = run.feed()?.join() ?? (await run.elsewhere(signal))
  return found === 'late' ? { reader: null, joinsAgainMs: 2000 } : { reader: found }
}

/** Until there may be news, at most so long. */
async function newsWithin(mostMs: number | undefined, news: RunNews | undefined): Promise<void> {
  const timer = mostMs === undefined ? undefined : setTimeout(() => news?.tell(), mostMs)
  await news?.wait().finally(() => clearTimeout(timer))
}

/** New events in the log; true if they end the run, or no process works on it any more. */
async function* logged(run: FollowedRun, lines: Lines, signal: AbortSignal): AsyncGenerator<StreamEvent, boolean> {
  yield* stored(run, lines, signal)
  if (lines.hasEnded || signal.aborted) return true
  // A process that resumes the run first stores the ends of what had crashed, after which the run seems to be over.
  if (await run.isAtWork()) return false
  // A run releases its thread after its end is logged, which may have happened since the log was read.
  yield* stored(run, lines, signal)
  if (!lines.isOver) yield lines.crashed()
  return true
}

/** The lines of a reader that has joined; false if it fell behind and must join again. */
async function* live(
  run: FollowedRun,
  lines: Lines,
  reader: LiveReader,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, boolean> {
  const leave = () => reader.close()
  signal.addEventListener('abort', leave, { once: true })
  try {
    yield* stored(run, lines, signal, reader.position)
    lines.join()
    for (const delta of reader.soFar) yield* lines.ofLive(delta)
    for (;;) {
      const next = await reader.take()
      if (next === 'behind') return false
      if (next === 'over') return true
      for (const line of next) {
        if (signal.aborted) return true
        yield* lines.ofLive(line)
      }
    }
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

async function* stored(
  run: FollowedRun,
  lines: Lines,
  signal: AbortSignal,
  upTo?: number,
): AsyncGenerator<StreamEvent> {
  if (upTo !== undefined && upTo <= lines.position) return
  for await (const event of run.events.read(run.runId, lines.position, upTo)) {
    if (signal.aborted) return
    yield* lines.ofStored(event)
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
