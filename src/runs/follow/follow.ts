import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { EventStore, StreamEvent } from '../../events/index.ts'
import { abortSignal, checkOptions, count } from '../../options.ts'
import { checkIdentifier } from '../../storage/identifier.ts'
import type { LiveReader, Storage } from '../../storage/storage.ts'
import type { RunFeed } from './feed.ts'
import { Lines } from './lines.ts'

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

/** Starts or resumes a run, and reports when it begins. Resolves to the id of a run that another process has begun. */
type RunWork = (left: AbortSignal, onBegin: (run: BegunRun) => void) => Promise<string | null>

interface FollowerParts {
  readonly storage: Storage
  readonly runner: { readonly attemptAt: (runId: string) => BegunRun | undefined }
}

/** Follows runs as they happen. */
export class Follower {
  readonly #parts: FollowerParts

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  /** A run after any position, in any process. Throws `RunNotFound`, `InvalidId`, `UsageError`. */
  async *follow(runId: string, options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    checkOptions('The options of the following', followOptions, options)
    const { threadId } = await this.#parts.storage.events.run(checkIdentifier('run', runId))
    yield* follow(this.#followed(runId, threadId), options)
  }

  /** Does the work, and yields the lines of its run; a run that another process began is read from its beginning. */
  async *stream(work: RunWork, onLeave: OnLeave = 'stop'): AsyncGenerator<StreamEvent> {
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
        yield* follow(followed, { after: reader.position }, reader)
      }
      const runId = await done
      if (!joined && runId !== null) yield* this.follow(runId)
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
      isAtWork: async () => (await storage.leases.holder(threadId))?.runId === runId,
    }
  }
}

/** A run, and where its events are read. */
interface FollowedRun {
  readonly runId: string
  readonly threadId: string
  readonly events: Pick<EventStore, 'read' | 'version'>
  /** Its lines as they come, while this process works on it. */
  readonly feed: () => RunFeed | null | undefined
  /** The same while another process does; null where they do not come. */
  readonly elsewhere: (signal?: AbortSignal) => Promise<LiveReader | null>
  /** True while a living process, this or another, works on it. */
  readonly isAtWork: () => Promise<boolean>
}

/** How often the log of another process's run is checked. Milliseconds. */
const checkEveryMs = 50
/** After this many checks without news, the process itself is checked. */
const checksPerProcess = 10

/**
 * A run's lines after a position, without gap or repeat, until the run ends or waits. Where the lines of another process do
 * not come, its run has no deltas. If the process of the run is gone, the last line says that the run was interrupted.
 */
export async function* follow(
  run: FollowedRun,
  { after = 0, signal }: FollowOptions = {},
  joined?: LiveReader,
): AsyncGenerator<StreamEvent> {
  const lines = new Lines(run, after)
  let version = await run.events.version()
  let reader = joined ?? (await join(run, signal))
  while (!signal?.aborted) {
    const isOver = yield* reader ? live(run, lines, reader, signal) : logged(run, lines, signal)
    if (isOver) return
    if (!reader) version = await changed(run, version, signal)
    reader = await join(run, signal)
  }
  reader?.close()
}

async function join(run: FollowedRun, signal: AbortSignal | undefined): Promise<LiveReader | null> {
  return run.feed()?.join() ?? (await run.elsewhere(signal))
}

/** New events in the log; true if they end the run, or no process works on it any more. */
async function* logged(run: FollowedRun, lines: Lines, signal?: AbortSignal): AsyncGenerator<StreamEvent, boolean> {
  yield* stored(run, lines, signal)
  if (lines.hasEnded || signal?.aborted) return true
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
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, boolean> {
  const leave = () => reader.close()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    yield* stored(run, lines, signal, reader.position)
    lines.join()
    for (const delta of reader.soFar) yield* lines.ofLive(delta)
    for (;;) {
      const next = await reader.take()
      if (next === 'behind') return false
      if (next === 'over') return true
      for (const line of next) {
        if (signal?.aborted) return true
        yield* lines.ofLive(line)
      }
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

async function* stored(
  run: FollowedRun,
  lines: Lines,
  signal?: AbortSignal,
  upTo?: number,
): AsyncGenerator<StreamEvent> {
  if (upTo !== undefined && upTo <= lines.position) return
  for await (const event of run.events.read(run.runId, lines.position, upTo)) {
    if (signal?.aborted) return
    yield* lines.ofStored(event)
  }
}

/** Waits until there may be new events, and returns the store's version. */
async function changed(run: FollowedRun, known: number, signal: AbortSignal | undefined): Promise<number> {
  for (let check = 0; check < checksPerProcess; check += 1) {
    // The caller checks the signal.
    await wait(checkEveryMs, undefined, signal && { signal }).catch(() => {})
    const version = await run.events.version()
    if (version !== known || run.feed() || signal?.aborted) return version
  }
  return known
}
