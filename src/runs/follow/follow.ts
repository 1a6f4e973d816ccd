import type { EventStore, StreamEvent } from '../../events/index.ts'
import { type Channel, type LiveRuns, type Mail, Mailbox, type RunSignal } from '../../storage/index.ts'
import type { RunFeed } from './feed.ts'
import { Lines } from './lines.ts'
import type { NewsOfRuns, RunNews } from './news-of-runs.ts'

/** A run, and where its events are read. */
export interface FollowedRun {
  readonly runId: string
  readonly threadId: string
  readonly events: Pick<EventStore, 'read'>
  /** Its signals, while this process works on it. */
  readonly feed: () => RunFeed | null | undefined
  /** The same while another process does. */
  readonly live?: Pick<LiveRuns, 'join'> | undefined
  /** Tells when another process may have stored something of it. */
  readonly news: Pick<NewsOfRuns, 'of'>
  /** True while a living process, this or another, works on it, or it is queued. */
  readonly isAtWork: () => Promise<boolean>
}

/** How a run is followed: nobody follows what nobody reads. */
interface UntilLeft {
  readonly after?: number
  readonly signal: AbortSignal
  readonly mailbox?: Mailbox
}

/**
 * A run's lines after a position, without gap or repeat, until the run ends or waits. Its events are read in the log, up to
 * where a signal says that there are more; deltas continue what was read. Where no signals of another process come, its run
 * has no deltas. If the process of the run is gone, the last line says that the run was interrupted.
 */
export async function* follow(run: FollowedRun, until: UntilLeft): AsyncGenerator<StreamEvent> {
  const reading = new Reading(run, until)
  try {
    while (yield* reading.next());
  } finally {
    reading.close()
  }
}

/** What one reader has of a run, and what brings it more. */
class Reading {
  readonly #run: FollowedRun
  readonly #signal: AbortSignal
  readonly #lines: Lines
  readonly #mailbox: Mailbox
  readonly #news: RunNews
  #channel: Channel | null = null
  /** This process works on the run. */
  #isHere = false

  constructor(run: FollowedRun, { after = 0, signal, mailbox = new Mailbox() }: UntilLeft) {
    this.#run = run
    this.#signal = signal
    this.#lines = new Lines(run, after)
    this.#mailbox = mailbox
    this.#news = run.news.of({
      runId: run.runId,
      needsLook: () => this.#channel?.state !== 'open',
      isHere: () => Boolean(run.feed()),
      tell: () => mailbox.tell(),
      fail: (error) => mailbox.fail(error),
    })
    mailbox.tell()
    if (signal.aborted) mailbox.end()
    signal.addEventListener('abort', this.#leave, { once: true })
  }

  /** The lines that come next; false after the last. */
  async *next(): AsyncGenerator<StreamEvent, boolean> {
    const { signals, hasNews, isBehind, isOver } = await this.#mail()
    for (const each of signals) {
      if (this.#signal.aborted) return false
      yield* this.#linesUntil(each)
    }
    if (isOver || this.#lines.hasEnded) return false
    if (isBehind) this.#join()
    return hasNews ? yield* this.#look() : true
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#leave)
    this.#channel?.close()
    this.#news.close()
  }

  async #mail(): Promise<Mail> {
    if (this.#mailbox.isEmpty && !this.#isHere) this.#news.look()
    try {
      return await this.#mailbox.take()
    } finally {
      this.#news.rest()
    }
  }

  /** The events up to the signal, the last of which may have come with it; then its delta. */
  async *#linesUntil(signal: RunSignal): AsyncGenerator<StreamEvent> {
    if (signal.kind === 'delta') {
      yield* this.#stored(signal.after)
      yield* this.#lines.ofDelta(signal)
    } else {
      if (signal.event?.position === this.#lines.position + 1) yield* this.#lines.ofEvent(signal.event)
      yield* this.#stored(signal.seq)
    }
  }

  /** New events in the log; false if they end the run, or no process works on it any more. */
  async *#look(): AsyncGenerator<StreamEvent, boolean> {
    if (this.#isHere || this.#run.feed()) return this.#join()
    yield* this.#stored()
    if (this.#lines.hasEnded || this.#signal.aborted) return false
    // A process that resumes the run first stores the ends of what had crashed, after which the run seems to be over.
    if (await this.#run.isAtWork()) return this.#channel && this.#channel.state !== 'lost' ? true : this.#join()
    // A run releases its thread after its end is logged, which may have happened since the log was read.
    yield* this.#stored()
    if (!this.#lines.isOver) yield this.#lines.crashed()
    return false
  }

  /** Gets the first signals, which say what was missed, and then all that come. */
  #join(): true {
    const feed = this.#run.feed()
    this.#isHere = Boolean(feed)
    this.#channel?.close()
    this.#channel = (feed ? feed.join(this.#mailbox) : this.#run.live?.join(this.#run.runId, this.#mailbox)) ?? null
    return true
  }

  async *#stored(upTo?: number): AsyncGenerator<StreamEvent> {
    if (upTo !== undefined && upTo <= this.#lines.position) return
    for await (const event of this.#run.events.read(this.#run.runId, this.#lines.position, upTo)) {
      if (this.#signal.aborted) return
      yield* this.#lines.ofEvent(event)
    }
  }

  readonly #leave = (): void => this.#mailbox.end()
}
