import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { isGraphInterrupt } from '@langchain/langgraph'
import type { Credentials } from '../credentials/index.ts'
import { asError, EventInvalid, LimitReached, QuaeroError, StorageUnavailable } from '../errors.ts'
import {
  type Context,
  cleanEvent,
  createdIn,
  describeError,
  type Event,
  type EventType,
  forTraces,
  frozenCopy,
  type Hooks,
  type InterruptionReason,
  type Payloads,
  parseEvent,
  type RunStatus,
  type StatusChanged,
  type StoredEvent,
  type StreamEvent,
  type Subscribers,
  span,
  streamedOnly,
  workedMs,
} from '../events/index.ts'
import type { Storage } from '../storage/index.ts'
import { RunFeed, type RunReader } from './follow/feed.ts'
import { RunState } from './follow/run-state.ts'
import { closeWhatCrashed } from './log/read-log.ts'

/** Shared by all attempts of an engine. */
export interface AttemptParts {
  readonly storage: Storage
  /** From the outermost to the innermost. */
  readonly hooks: (run: Attempt) => readonly Hooks[]
  readonly audience: Subscribers
  /** How long a run that is stopped may take to end by itself. Milliseconds. */
  readonly gracePeriodMs?: number
  /** Removes credentials from events and errors. */
  readonly credentials?: Credentials
  /** Makes the model calls that hooks ask for. */
  readonly callModel?: Context['callModel']
}

/** The run to work on. */
export interface AttemptRequest {
  /** The run's log so far. A run without a thread id is not saved. */
  readonly log: readonly Event[]
  readonly model: string
  /** How long all attempts together may take before the run must answer with what it has; null is no limit. */
  readonly wallClockMs?: number | null
  readonly signal?: AbortSignal | undefined
  /** Who reads the run's lines; leaving stops the attempt. */
  readonly reader?: RunReader | undefined
  /** Adds messages to a finished turn; absent where that is not possible. */
  readonly addToThread?: Context['addToThread'] | undefined
}

export type RunOutcome = Payloads['run.completed']

/** Works on a run once, inside its `run` span: events are stored, folded into the status and published, in this order. */
export class Attempt {
  readonly runId: string
  /** null for a run that is not saved. */
  readonly threadId: string | null
  /** Settles when the attempt has ended, in any way. */
  readonly ended: Promise<void>
  /** Its first attempt: nobody was told of the run so far. */
  readonly isNew: boolean
  /** Its lines as they come, for followers. */
  readonly feed: RunFeed
  readonly #parts: AttemptParts
  readonly #request: AttemptRequest
  readonly #controller = new AbortController()
  readonly #deadline = new AbortController()
  readonly #log: Event[]
  readonly #state: RunState
  #stopReason: 'cancelled' | 'shutdown' | null = null
  /** The run has its result, which is stored or is being stored: it is too late to cancel it. */
  #hasResult = false
  /** Why an event could not be stored. */
  #storeError: QuaeroError | null = null
  /** Ends of spans that the log refused after their span was over, with the reason. */
  readonly #refused: { readonly end: Event; readonly reason: QuaeroError }[] = []
  /** Settles when all events that are stored in the background are published. */
  #publishing: Promise<void> | null = null
  #markEnded: () => void = () => {}

  constructor(parts: AttemptParts, request: AttemptRequest) {
    this.#parts = parts
    this.#request = request
    const { correlationId, payload } = createdIn(request.log)
    this.runId = correlationId
    this.threadId = payload.threadId || null
    // Every open span listens, and specialists nest spans without a bound.
    setMaxListeners(0, this.#controller.signal, this.#deadline.signal)
    this.#log = [...request.log]
    this.#state = new RunState(request.log)
    this.isNew = request.log.every(({ type }) => type !== 'run.started')
    this.feed = new RunFeed(this.isNew ? 0 : request.log.length)
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
  }

  status(): RunStatus {
    return this.#state.status
  }

  get hasResult(): boolean {
    return this.#hasResult
  }

  /** The log of a run that has ended with a result, as it is stored; null for any other, which must be read. */
  endedLog(): readonly Event[] | null {
    return this.threadId !== null && withResult.has(this.#state.status.state) ? [...this.#log] : null
  }

  /** Ends the attempt as soon as possible; open calls are abandoned. */
  stop(reason: 'cancelled' | 'shutdown'): void {
    this.#stopReason ??= reason
    this.#controller.abort(new Error(`The run was ${reason === 'cancelled' ? 'cancelled' : 'stopped'}.`))
  }

  /**
   * Resolves when the work is done, pauses or is stopped; rejects when it fails, after that is logged. If the storage
   * fails, it rejects with `StorageUnavailable`, and the run can be resumed.
   */
  async run(work: (context: Context) => Promise<RunOutcome>): Promise<void> {
    const { signal, reader, log, model } = this.#request
    const ends = [signal, reader?.left].filter((each) => each !== undefined)
    const stopped = () => this.stop('shutdown')
    if (ends.some(({ aborted }) => aborted)) stopped()
    for (const end of ends) end.addEventListener('abort', stopped, { once: true })
    const attempt = this.#state.status.attempt + 1
    const { question } = createdIn(log).payload
    const timer = this.#startClock()
    try {
      for (const closing of closeWhatCrashed(log)) await this.emit(closing)
      reader?.onBegin(this)
      if (this.isNew) for (const event of log) this.#publish(event)
      await span(this.#context(), 'run', { attempt, question, model }, (_, inRun) => work(inRun))
    } catch (error) {
      if (error instanceof StorageUnavailable || !this.#interruption(error)) throw error
    } finally {
      clearTimeout(timer)
      for (const end of ends) end.removeEventListener('abort', stopped)
      this.feed.close()
      this.#markEnded()
    }
  }

  /** Stores, folds and publishes an event. Ends of spans share a commit with the next event that is waited for. */
  readonly emit = async (given: Event): Promise<void> => {
    const { credentials, audience } = this.#parts
    const isForTraces = forTraces.has(given.type)
    if (isForTraces && audience.isEmpty) return
    if (given.type === 'run.completed' || given.type === 'run.failed') this.#hasResult = true
    const event = credentials ? cleanEvent(given, credentials) : given
    // To wait for ends that are being stored would cost a commit of their own.
    if (isForTraces) return this.#publish(event)
    const isStreamedOnly = streamedOnly.has(event.type)
    if (this.#publishing && (isStreamedOnly || event.type.startsWith('run.'))) await this.#publishing
    if (isStreamedOnly) return this.#publish(event)
    if (this.threadId === null) return this.#take(event)
    return storedLater.has(event.type) ? this.#storeMeanwhile(event) : this.#store(event)
  }

  async #store(event: Event): Promise<void> {
    try {
      this.#take(await this.#append(event))
    } catch (error) {
      this.#throwIfRefused()
      throw error
    }
    // An end that shared this commit may have been refused.
    this.#throwIfRefused()
  }

  /** An event that a working storage refuses fails the run, and that can still be logged. */
  #throwIfRefused(): void {
    const error = this.#storeError
    if (!(error instanceof StorageUnavailable)) this.#storeError = null
    if (error) throw error
  }

  /** A failure is thrown by the next event that is waited for. */
  #storeMeanwhile(event: Event): void {
    const stored = this.#append(event)
    this.#log.push(event)
    this.#state.see(event)
    const publishing = stored.then(
      (line) => this.#publish(line),
      () => {},
    )
    this.#publishing = publishing
    void publishing.then(() => {
      if (this.#publishing === publishing) this.#publishing = null
    })
  }

  /** Takes an event of this run that another process has stored; false if it is known. */
  learn(event: StoredEvent): boolean {
    const isNew = this.#log.every(({ id }) => id !== event.id)
    if (isNew) this.#take(event)
    return isNew
  }

  #take(event: Event | StoredEvent): void {
    this.#log.push(event)
    for (const line of this.#state.take(event)) this.#publish(line)
  }

  #publish(event: Event | StoredEvent | StatusChanged): void {
    const line: StreamEvent = { ...event, runId: this.runId, threadId: this.threadId }
    this.#parts.audience.notify(line)
    // Followers would get the conversation again with every prompt.
    if (!forTraces.has(line.type)) this.feed.publish(this.feed.hasReaders ? frozenCopy(line) : line)
  }

  /** After an event that could not be stored, none is: the log would have a gap. */
  async #append(event: Event): Promise<StoredEvent> {
    if (this.#storeError) throw this.#storeError
    for (const { end, reason } of this.#refused.splice(0)) await this.#append(asFailure(end, reason))
    try {
      return await this.#parts.storage.events.append(event)
    } catch (cause) {
      const refused = `The log does not take ${event.type}: ${asError(cause).message}`
      const reason = cause instanceof QuaeroError ? cause : new EventInvalid(refused, { cause })
      if (endsUnwaited.has(event.type)) this.#refused.push({ end: event, reason })
      this.#storeError = reason
      throw reason
    }
  }

  #startClock(): NodeJS.Timeout | undefined {
    const { wallClockMs = null, log } = this.#request
    if (wallClockMs === null || wallClockMs > longestTimerMs) return undefined
    const end = () => this.#deadline.abort(new LimitReached('wallClockMs', wallClockMs))
    const left = wallClockMs - workedMs(log)
    if (left > 0) return setTimeout(end, left)
    end()
    return undefined
  }

  #context(): Context {
    const { hooks, gracePeriodMs, callModel, credentials } = this.#parts
    const { log, addToThread } = this.#request
    const created = createdIn(log)
    const calls = log.flatMap((event) => (event.type === 'round.started' ? event.payload.calls : []))
    return {
      correlationId: this.runId,
      causationId: created.id,
      threadId: this.threadId,
      documents: created.payload.documents,
      form: created.payload.form,
      passages: created.payload.passages,
      plan: created.payload.plan,
      callsBefore: new Set(calls.map(({ id }) => id)),
      hooks: hooks(this),
      signal: this.#controller.signal,
      deadline: this.#deadline.signal,
      gracePeriodMs,
      log: () => this.#log,
      addToThread,
      callModel,
      credentials,
      emit: this.emit,
      settled: async () => {
        await this.#publishing
        this.#throwIfRefused()
      },
      interruption: (error) => this.#interruption(error),
    }
  }

  #interruption(error: unknown): InterruptionReason | undefined {
    // LangGraph's own test fails for `null`, which can be thrown too.
    if (error instanceof Error && isGraphInterrupt(error)) return 'approval'
    return this.#stopReason ?? (error instanceof StorageUnavailable ? 'crashed' : undefined)
  }
}

/** Ends before which the log has taken every event. */
const withResult: ReadonlySet<RunStatus['state']> = new Set(['completed', 'clarification_needed', 'limit_reached'])

/** Ends that are stored while the run continues. A tool's result is not among them: the log may refuse it. */
const storedLater: ReadonlySet<EventType> = new Set<EventType>([
  'agent.completed',
  'model.completed',
  'round.completed',
  'message.completed',
])

/** Ends that are stored after their span is over; if the log refuses one, a failure of the span is logged instead. */
const endsUnwaited: ReadonlySet<string> = new Set([
  'agent.completed',
  'model.completed',
  'round.completed',
  'tool.completed',
])

function asFailure({ type, ...end }: Event, reason: QuaeroError): Event {
  const failed = type.replace('.completed', '.failed')
  return parseEvent({ ...end, id: randomUUID(), type: failed, payload: describeError(reason) })
}

/** The longest delay of a Node.js timer; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1
