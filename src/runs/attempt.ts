import { randomUUID } from 'node:crypto'
import { isGraphInterrupt } from '@langchain/langgraph'
import { LimitReached } from '../errors.ts'
import {
  type Context,
  type Event,
  type Hooks,
  type InterruptionReason,
  type Payloads,
  type RunStatus,
  reduceStatus,
  span,
  statusOf,
} from '../events/index.ts'
import type { Storage } from '../storage/storage.ts'
import type { StreamEvent, Subscriber } from './stream-event.ts'

/** What stays the same for every attempt of an engine. */
export interface AttemptParts {
  readonly storage: Storage
  /** From the outermost to the innermost. */
  readonly hooks: (run: RunInProgress) => readonly Hooks[]
  readonly subscribers: readonly Subscriber[]
  /** Told once for each subscriber that fails. */
  readonly onSubscriberError: (error: unknown) => void
  /** How long a run that is stopped may take to end by itself. Milliseconds. */
  readonly patienceMs?: number
}

/** Which run is worked on, and what is known of it. */
export interface AttemptRequest {
  readonly runId: string
  /** null for a run that is not saved. */
  readonly threadId: string | null
  readonly question: string
  readonly model: string
  readonly documents: readonly string[] | null
  /** The run's log so far; empty for a run that is not saved. */
  readonly log: readonly Event[]
  /** How long this attempt may take, before it must make do with what it has; null is no limit. */
  readonly wallClockMs?: number | null
  readonly signal?: AbortSignal
  readonly subscriber?: Subscriber
  /** Puts messages behind the answer of a finished turn; absent where that cannot be done. */
  readonly addToThread?: NonNullable<Context['addToThread']>
}

/** A run while this process works on it. */
export interface RunInProgress {
  readonly runId: string
  readonly threadId: string | null
  /** Folded from the log as it grows. */
  readonly status: () => RunStatus
  /** Ends the attempt at the next possible moment; calls that are under way are abandoned. */
  readonly stop: (reason: Extract<InterruptionReason, 'cancelled' | 'shutdown'>) => void
  /** Settles when the attempt has ended, whatever came of it. */
  readonly ended: Promise<void>
}

export type RunOutcome = Payloads['run.completed']

/**
 * Works on a run once, inside its `run` span: every event is stored, folded into the status and handed to the
 * subscribers, in this order. A pause or a stop is not an error; anything else is thrown after it is logged.
 */
export class Attempt implements RunInProgress {
  readonly runId: string
  readonly threadId: string | null
  readonly ended: Promise<void>
  readonly #parts: AttemptParts
  readonly #request: AttemptRequest
  readonly #controller = new AbortController()
  readonly #deadline = new AbortController()
  readonly #failed = new Set<Subscriber>()
  readonly #log: Event[]
  #stopReason: 'cancelled' | 'shutdown' | null = null
  #status: RunStatus
  #markEnded: () => void = () => {}

  constructor(parts: AttemptParts, request: AttemptRequest) {
    this.#parts = parts
    this.#request = request
    this.runId = request.runId
    this.threadId = request.threadId
    this.#log = [...request.log]
    this.#status = statusOf(request.log)
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
  }

  status(): RunStatus {
    return this.#status
  }

  stop(reason: 'cancelled' | 'shutdown'): void {
    this.#stopReason ??= reason
    this.#controller.abort(new Error(`The run was ${reason === 'cancelled' ? 'cancelled' : 'stopped'}.`))
  }

  /** Hands events that are already stored to the subscribers, for instance those that began the run. */
  announce(events: readonly Event[]): void {
    for (const event of events) this.#publish({ ...event, runId: this.runId, threadId: this.threadId })
  }

  /** Runs the work. Resolves when it is done, pauses or is stopped; rejects when it fails. */
  async run(work: (context: Context) => Promise<RunOutcome>): Promise<void> {
    const { signal, log, question, model } = this.#request
    const stopped = () => this.stop('shutdown')
    if (signal?.aborted) stopped()
    signal?.addEventListener('abort', stopped, { once: true })
    const attempt = this.#status.attempt + 1
    const timer = this.#startClock()
    try {
      for (const closing of closeWhatCrashed(log)) await this.emit(closing)
      await span(this.#context(), 'run', { attempt, question, model }, (_, inRun) => work(inRun))
    } catch (error) {
      if (!this.#interruption(error)) throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stopped)
      this.#markEnded()
    }
  }

  /** Stores an event of this run, folds it and hands it to the subscribers. */
  readonly emit = async (event: Event): Promise<void> => {
    const isStored = this.threadId !== null && event.type !== 'message.delta'
    const line = isStored ? await this.#parts.storage.events.append(event) : event
    const before = this.#status.state
    if (event.type !== 'message.delta') {
      this.#log.push(event)
      this.#status = reduceStatus(this.#status, event)
    }
    const lines: StreamEvent[] = [{ ...line, runId: this.runId, threadId: this.threadId }]
    if (this.#status.state !== before) lines.push(this.#changed(before, event))
    // A stream ends with the event that ends the run, so what is derived from that one comes before it.
    if (this.#status.activity.length === 0) lines.reverse()
    for (const each of lines) this.#publish(each)
  }

  #startClock(): NodeJS.Timeout | undefined {
    const { wallClockMs } = this.#request
    if (wallClockMs === undefined || wallClockMs === null || wallClockMs > longestTimerMs) return undefined
    const limit = `The run may use ${wallClockMs} milliseconds, and they have passed.`
    return setTimeout(() => this.#deadline.abort(new LimitReached('wallClockMs', wallClockMs, limit)), wallClockMs)
  }

  #context(): Context {
    const { patienceMs } = this.#parts
    const { runId, threadId, documents, log, addToThread } = this.#request
    const created = log.find((event) => event.type === 'run.created')
    return {
      correlationId: runId,
      ...(created && { causationId: created.id }),
      threadId,
      documents,
      callsBefore: new Set(
        log.flatMap((event) => (event.type === 'round.started' ? event.payload.calls : [])).map(({ id }) => id),
      ),
      hooks: this.#parts.hooks(this),
      signal: this.#controller.signal,
      deadline: this.#deadline.signal,
      ...(patienceMs !== undefined && { patienceMs }),
      log: () => this.#log,
      ...(addToThread && { addToThread }),
      emit: this.emit,
      interruption: (error) => this.#interruption(error),
    }
  }

  #interruption(error: unknown): InterruptionReason | undefined {
    // LangGraph's own test fails for `null`, which can be thrown too.
    if (error instanceof Error && isGraphInterrupt(error)) return 'approval'
    return this.#stopReason ?? undefined
  }

  #changed(from: RunStatus['state'], { type, timestamp }: Event): StreamEvent {
    const payload = { from, to: this.#status.state, trigger: type }
    const line = { id: randomUUID(), type: 'status.changed' as const, timestamp, correlationId: this.runId, payload }
    return { ...line, runId: this.runId, threadId: this.threadId }
  }

  /** Everyone is told of the same copy, which nobody can change: not for the others, and not for the run. */
  #publish(event: StreamEvent): void {
    const { subscriber } = this.#request
    const subscribers = [...this.#parts.subscribers, ...(subscriber ? [subscriber] : [])]
    if (subscribers.length === 0) return
    const line = frozenCopy(event)
    for (const each of subscribers) this.#tell(each, line)
  }

  /** A subscriber that fails is told no more in this attempt. */
  #tell(subscriber: Subscriber, line: StreamEvent): void {
    if (this.#failed.has(subscriber)) return
    const drop = (error: unknown) => {
      if (this.#failed.has(subscriber)) return
      this.#failed.add(subscriber)
      this.#parts.onSubscriberError(error)
    }
    try {
      Promise.resolve(subscriber(line)).catch(drop)
    } catch (error) {
      drop(error)
    }
  }
}

/** The longest that a timer of Node.js can wait; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1

function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, frozenCopy(each)]))
  return Object.freeze(copy) as T
}

/** The endings of spans that a dead process left open in a run's log, innermost first, so that each has one. */
export function closeWhatCrashed(log: readonly Event[]): readonly Event[] {
  return [...statusOf(log).activity].reverse().map(({ id, kind }) => {
    const opened = log.find((event) => event.id === id)
    return {
      id: randomUUID(),
      type: `${kind}.interrupted`,
      timestamp: new Date().toISOString(),
      ...(opened?.agent && { agent: opened.agent }),
      correlationId: opened?.correlationId ?? '',
      causationId: id,
      payload: { reason: 'crashed' },
      // The type is built from the kind, which the union of event types cannot follow.
    } as Event
  })
}
