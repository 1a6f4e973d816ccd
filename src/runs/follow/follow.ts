import { setTimeout as wait } from 'node:timers/promises'
import { type EventStore, hasEnded, type StoredEvent, type StreamEvent } from '../../events/index.ts'
import type { FeedReader, RunFeed } from './feed.ts'
import { RunState } from './run-state.ts'

export interface FollowOptions {
  /** Only what comes after this position in the run's log; from the beginning, if absent. */
  readonly after?: number
  /** Ends the following, not the run. */
  readonly signal?: AbortSignal
}

/** A run, and where to read of it. */
export interface FollowedRun {
  readonly runId: string
  readonly threadId: string
  readonly events: Pick<EventStore, 'read' | 'version'>
  /** Its lines as they come, while this process works on it. */
  readonly feed: () => RunFeed | null
  /** True while a living process, this or another, works on it. */
  readonly isAtWork: () => Promise<boolean>
}

/** How often another process's run is looked at. Milliseconds. */
const lookEveryMs = 50
/** After so many looks in vain, whether that process is still there. */
const looksPerProcess = 10

/**
 * A run's lines after a position: what is in its log, then what comes, without gap or repeat, until the run ends or
 * waits. Where this process works on it, with the deltas of messages; else the log alone. If the process that worked on
 * it is gone, it ends with the line that the run was interrupted.
 */
export async function* follow(
  run: FollowedRun,
  { after = 0, signal }: FollowOptions = {},
  joined?: FeedReader,
): AsyncGenerator<StreamEvent> {
  const lines = new Lines(run, after)
  let version = await run.events.version()
  let reader = joined ?? run.feed()?.join()
  while (!signal?.aborted) {
    const isOver = yield* reader ? live(run, lines, reader, signal) : logged(run, lines, signal)
    if (isOver) return
    if (!reader) version = await changed(run, version, signal)
    reader = run.feed()?.join()
  }
}

/** What is new in the log; true if it ends there, also because nobody works on the run any more. */
async function* logged(
  run: FollowedRun,
  lines: Lines,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, boolean> {
  yield* stored(run, lines, signal)
  if (lines.isOver || signal?.aborted) return true
  if (await run.isAtWork()) return false
  // A run lets go of its thread when its ending is in the log, and may have done so since the log was read.
  yield* stored(run, lines, signal)
  if (!lines.isOver) yield lines.crashed()
  return true
}

/** The lines of a reader who has joined; false if there were more than it could be kept, and it must join again. */
async function* live(
  run: FollowedRun,
  lines: Lines,
  reader: FeedReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, boolean> {
  const leave = () => reader.close()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    yield* stored(run, lines, signal, reader.position)
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

/** Waits until there may be something new, and returns the store's version then. */
async function changed(run: FollowedRun, known: number, signal: AbortSignal | undefined): Promise<number> {
  for (let look = 0; look < looksPerProcess; look += 1) {
    // An aborted wait is no error: whoever follows looks at the signal.
    await wait(lookEveryMs, undefined, signal && { signal }).catch(() => {})
    const version = await run.events.version()
    if (version !== known || run.feed() || signal?.aborted) return version
  }
  return known
}

/** What one reader has been told, and so what is new to it. */
class Lines {
  readonly #run: FollowedRun
  /** Up to here the reader was told before. */
  readonly #after: number
  /** Messages of which the reader may have seen a part. */
  readonly #begun = new Set<string>()
  #position = 0
  readonly #state = new RunState()

  constructor(run: FollowedRun, after: number) {
    this.#run = run
    this.#after = after
  }

  /** Of the last event that the reader knows. */
  get position(): number {
    return this.#position
  }

  /** True if the last event ended the run, or paused it. */
  get isOver(): boolean {
    const { activity, attempt, state } = this.#state.status
    return hasEnded(state) || (attempt > 0 && activity.length === 0)
  }

  *ofStored(event: StoredEvent): Iterable<StreamEvent> {
    if (event.position <= this.#after) return this.#skip(event)
    yield* this.#missedText(event)
    this.#position = event.position
    for (const line of this.#state.take(event)) yield this.#lineOf(line)
  }

  *ofLive(line: StreamEvent): Iterable<StreamEvent> {
    if (line.type === 'message.delta') this.#begun.add(line.payload.messageId)
    if (line.type === 'message.completed') this.#begun.delete(line.payload.messageId)
    if ('position' in line) {
      if (line.position <= this.#after) return this.#skip(line)
      this.#position = line.position
      this.#state.see(line)
    }
    yield line
  }

  /** That the process is gone is in no log; it follows from nobody holding the run's thread. */
  crashed(): StreamEvent {
    const { runId } = this.#run
    const payload = { from: this.#state.status.state, to: 'interrupted', trigger: 'crashed' } as const
    const [id, timestamp] = [`${runId}:crashed`, new Date().toISOString()]
    return this.#lineOf({ id, type: 'status.changed', timestamp, correlationId: runId, payload })
  }

  /** The reader knows this event, and what was streamed before it. */
  #skip(event: StoredEvent): void {
    this.#position = event.position
    this.#state.see(event)
    if (event.type === 'message.created') this.#begun.add(event.payload.messageId)
    if (event.type === 'message.completed') this.#begun.delete(event.payload.messageId)
  }

  /** The text of a message that was completed while the reader, who may know its beginning, was away or behind. */
  *#missedText(event: StoredEvent): Iterable<StreamEvent> {
    if (event.type !== 'message.completed' || !this.#begun.delete(event.payload.messageId)) return
    const { messageId, scope, text, superseded } = event.payload
    if (superseded) return
    const { position: _, ...rest } = event
    const payload = { messageId, scope, text, soFar: true }
    yield this.#lineOf({ ...rest, id: `${event.id}:so-far`, type: 'message.delta', payload })
  }

  #lineOf<L extends object>(line: L): L & { readonly runId: string; readonly threadId: string } {
    const { runId, threadId } = this.#run
    return { ...line, runId, threadId }
  }
}
