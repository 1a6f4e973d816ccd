import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { isGraphInterrupt } from '@langchain/langgraph'
import type { Credentials } from '../../credentials/credentials.ts'
import { asError, EventInvalid, LimitReached, QuaeroError, StorageUnavailable } from '../../errors.ts'
import {
  type Context,
  cleanEvent,
  describeError,
  type Event,
  type EventType,
  type Hooks,
  type InterruptionReason,
  type Payloads,
  type RunStatus,
  type StatusChanged,
  type StoredEvent,
  type Subscribers,
  span,
  statusOf,
  streamedOnly,
} from '../../events/index.ts'
import type { Storage } from '../../storage/storage.ts'
import { RunFeed } from '../follow/feed.ts'
import { RunState } from '../follow/run-state.ts'
import { workedMs } from './worked.ts'

/** What stays the same for every attempt of an engine. */
export interface AttemptParts {
  readonly storage: Storage
  /** From the outermost to the innermost. */
  readonly hooks: (run: RunInProgress) => readonly Hooks[]
  readonly audience: Subscribers
  /** How long a run that is stopped may take to end by itself. Milliseconds. */
  readonly gracePeriodMs?: number
  /** What must not be kept, or told in an error. */
  readonly credentials?: Credentials
  /** Makes the model calls that hooks ask for. */
  readonly callModel?: NonNullable<Context['callModel']>
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
  /** Nobody has been told of the log yet. */
  readonly isNew?: boolean
  /** How long all attempts together may take, before the run must make do with what it has; null is no limit. */
  readonly wallClockMs?: number | null
  readonly signal?: AbortSignal
  /** Given the run just before the first line of this attempt. */
  readonly onBegin?: (run: RunInProgress) => void
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
  /** Its lines as they come, for whoever wants to follow. */
  readonly feed: RunFeed
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
  readonly feed: RunFeed
  readonly #parts: AttemptParts
  readonly #request: AttemptRequest
  readonly #controller = new AbortController()
  readonly #deadline = new AbortController()
  readonly #audience: Subscribers
  readonly #log: Event[]
  readonly #state: RunState
  #stopReason: 'cancelled' | 'shutdown' | null = null
  /** Why an event could not be stored. */
  #lost: QuaeroError | null = null
  /** Ends of spans that the log refused although nobody waited for them, with the reason. */
  readonly #refused: { readonly end: Event; readonly reason: QuaeroError }[] = []
  /** Settles when every event that nobody waits for is told. */
  #told: Promise<void> | null = null
  #markEnded: () => void = () => {}

  constructor(parts: AttemptParts, request: AttemptRequest) {
    this.#parts = parts
    this.#request = request
    this.runId = request.runId
    this.threadId = request.threadId
    // Every open span listens, and specialists nest them without a bound that Node.js would know.
    setMaxListeners(0, this.#controller.signal, this.#deadline.signal)
    this.#log = [...request.log]
    this.#state = new RunState(request.log)
    this.#audience = parts.audience
    this.feed = new RunFeed(request.isNew ? 0 : request.log.length)
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
  }

  status(): RunStatus {
    return this.#state.status
  }

  stop(reason: 'cancelled' | 'shutdown'): void {
    this.#stopReason ??= reason
    this.#controller.abort(new Error(`The run was ${reason === 'cancelled' ? 'cancelled' : 'stopped'}.`))
  }

  /**
   * Runs the work. Resolves when it is done, pauses or is stopped; rejects when it fails. Where the storage fails, the
   * attempt ends like that of a process that dies: it rejects with `StorageUnavailable`, and the run can be resumed.
   */
  async run(work: (context: Context) => Promise<RunOutcome>): Promise<void> {
    const { signal, log, isNew, onBegin, question, model } = this.#request
    const stopped = () => this.stop('shutdown')
    if (signal?.aborted) stopped()
    signal?.addEventListener('abort', stopped, { once: true })
    const attempt = this.#state.status.attempt + 1
    const timer = this.#startClock()
    try {
      for (const closing of closeWhatCrashed(log)) await this.emit(closing)
      onBegin?.(this)
      if (isNew) this.#announce(log)
      await span(this.#context(), 'run', { attempt, question, model }, (_, inRun) => work(inRun))
    } catch (error) {
      if (error instanceof StorageUnavailable || !this.#interruption(error)) throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stopped)
      this.feed.close()
      this.#markEnded()
    }
  }

  /**
   * Stores an event of this run without credentials, folds it and hands it to the subscribers. The run does not wait for
   * the ends of its work to be stored: they share a commit with the next beginning, which is stored before it begins.
   */
  readonly emit = async (given: Event): Promise<void> => {
    const { credentials } = this.#parts
    const event = credentials ? cleanEvent(given, credentials) : given
    if (this.#told && (streamedOnly.has(event.type) || event.type.startsWith('run.'))) await this.#told
    if (streamedOnly.has(event.type)) return this.#announce([event])
    if (this.threadId === null) return this.#take(event)
    return storedLater.has(event.type) ? this.#storeMeanwhile(event) : this.#store(event)
  }

  async #store(event: Event): Promise<void> {
    try {
      this.#take(await this.#append(event))
      // An end that shared its commit may have been refused.
      if (this.#lost) throw this.#lost
    } catch (error) {
      // Where the storage is well, and will not have an event, that ends the run, and the log can say so.
      if (!(this.#lost instanceof StorageUnavailable)) this.#lost = null
      throw error
    }
  }

  /** What cannot be stored shows with the next event that is waited for. */
  #storeMeanwhile(event: Event): void {
    const stored = this.#append(event)
    this.#log.push(event)
    this.#state.see(event)
    const told = stored.then(
      (line) => this.#publish(line),
      () => {},
    )
    this.#told = told
    void told.then(() => {
      if (this.#told === told) this.#told = null
    })
  }

  /** Takes note of an event of this run that another process has stored; false if it is known. */
  learn(event: StoredEvent): boolean {
    const isNew = this.#log.every(({ id }) => id !== event.id)
    if (isNew) this.#take(event)
    return isNew
  }

  #take(event: Event | StoredEvent): void {
    this.#log.push(event)
    for (const line of this.#state.take(event)) this.#publish(line)
  }

  /** Hands events that are stored already, or never will be, to whoever watches. */
  #announce(events: readonly Event[]): void {
    for (const event of events) this.#publish(event)
  }

  #publish(line: Event | StoredEvent | StatusChanged): void {
    const told = this.#audience.tell({ ...line, runId: this.runId, threadId: this.threadId })
    // What a model is about to read is for traces; a reader would get the conversation again at every step.
    if (told.type !== 'model.prompted') this.feed.publish(told)
  }

  /** After an event that could not be stored no other is: the log would have a hole where that one belongs. */
  async #append(event: Event): Promise<StoredEvent> {
    if (this.#lost) throw this.#lost
    for (const { end, reason } of this.#refused.splice(0)) await this.#append(asFailure(end, reason))
    try {
      return await this.#parts.storage.events.append(event)
    } catch (cause) {
      const refused = `The log does not take ${event.type}: ${asError(cause).message}`
      const reason = cause instanceof QuaeroError ? cause : new EventInvalid(refused, { cause })
      if (endsUnwaited.has(event.type)) this.#refused.push({ end: event, reason })
      this.#lost = reason
      throw reason
    }
  }

  #startClock(): NodeJS.Timeout | undefined {
    const { wallClockMs } = this.#request
    if (wallClockMs === undefined || wallClockMs === null || wallClockMs > longestTimerMs) return undefined
    const limit = `The run may take ${wallClockMs / 1000} s, and they have passed.`
    const end = () => this.#deadline.abort(new LimitReached('wallClockMs', wallClockMs, limit))
    const left = wallClockMs - workedMs(this.#request.log)
    if (left > 0) return setTimeout(end, left)
    end()
    return undefined
  }

  #context(): Context {
    const { gracePeriodMs, callModel, credentials } = this.#parts
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
      ...(gracePeriodMs !== undefined && { gracePeriodMs }),
      log: () => this.#log,
      ...(addToThread && { addToThread }),
      ...(callModel && { callModel }),
      ...(credentials && { credentials }),
      emit: this.emit,
      interruption: (error) => this.#interruption(error),
    }
  }

  #interruption(error: unknown): InterruptionReason | undefined {
    // LangGraph's own test fails for `null`, which can be thrown too.
    if (error instanceof Error && isGraphInterrupt(error)) return 'approval'
    return this.#stopReason ?? (error instanceof StorageUnavailable ? 'crashed' : undefined)
  }
}

/**
 * What has ended: the run goes on while these are stored. A tool's result is not among
 * them: it may hold what no log takes, which must show before anything else begins.
 */
const storedLater: ReadonlySet<EventType> = new Set<EventType>([
  'agent.completed',
  'model.completed',
  'round.completed',
  'message.completed',
])

/** Ends of spans whose storing their span does not wait for; a refused one is followed by a failure of that span. */
const endsUnwaited: ReadonlySet<string> = new Set([
  'agent.completed',
  'model.completed',
  'round.completed',
  'tool.completed',
])

function asFailure({ type, ...end }: Event, reason: QuaeroError): Event {
  const payload = describeError(reason)
  // The type is built from another one, which the union of event types cannot follow.
  return { ...end, id: randomUUID(), type: type.replace('.completed', '.failed'), payload } as Event
}

/** The longest that a timer of Node.js can wait; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1

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
