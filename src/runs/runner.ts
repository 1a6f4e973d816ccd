import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Credentials } from '../credentials/index.ts'
import { NotReady, RunEnded } from '../errors.ts'
import {
  type Context,
  createdIn,
  type Event,
  event,
  type Hooks,
  hasEnded,
  type Subscribers,
  workedMs,
} from '../events/index.ts'
import { Attempt, type AttemptRequest, type RunOutcome } from './attempt.ts'
import { CancelWatch, cancelElsewhere } from './cancel.ts'
import { checkpointThread, restore } from './conversation.ts'
import { addTo, resumeGraph } from './graph-calls.ts'
import {
  type Answers,
  type ApprovalOptions,
  approval,
  type CheckArgs,
  checkAnswers,
  resolutionsOf,
} from './hooks/approval.ts'
import { limits, type RunLimits } from './hooks/limits.ts'
import { logOf, type TransferParts } from './log/read-log.ts'
import { type StoredRequest, Submissions } from './submit.ts'

/** A run to work on. */
export interface RunToWork {
  readonly runId: string
  /** null: nothing of the run is saved. */
  readonly threadId: string | null
  /** Absent: it is read once the run holds its thread. */
  readonly log?: readonly Event[]
  /** The run holds its thread already. */
  readonly isHeld?: boolean
}

/** Options of one attempt; limits and approval mode that are absent are those of the run. */
export interface WorkOptions {
  readonly signal?: AbortSignal | undefined
  readonly answers?: Answers
  readonly limits?: Partial<RunLimits>
  readonly approve?: ApprovalOptions['mode'] | undefined
  /** Who reads the lines of the attempt. */
  readonly reader?: AttemptRequest['reader']
  /** Looks at the run's log before the work; what it throws fails the run. */
  readonly check?: (log: readonly Event[]) => void
  /** Does the work in place of the graph's; its errors are thrown, and not only logged. */
  readonly perform?: Work
}

export interface RunnerOptions extends TransferParts {
  /** A person's hooks, in the order given; limits and approval come before them, retry after. */
  readonly hooks: readonly Hooks[]
  readonly retry: Hooks
  /** Makes the model calls that hooks ask for. */
  readonly callModel?: Context['callModel']
  /** Receives the events of every run. */
  readonly audience: Subscribers
  /** Removes credentials from events and errors. */
  readonly credentials: Credentials
  /** For the log and the result. */
  readonly modelName: string
  /** For runs whose log has no limits. */
  readonly limits: RunLimits
  readonly needsApproval: ApprovalOptions['needsApproval']
  /** For arguments that a person gives in place of the model's. */
  readonly checkArgs: CheckArgs
  /** How long to wait for a busy thread before refusing; 0 refuses at once. */
  readonly waitWhenBusyMs: number
  /** How long a run that is stopped may take to end by itself. */
  readonly gracePeriodMs: number
}

/** Stores, works on and cancels runs. Connects the graph with the event log. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #inProgress = new Map<string, Attempt>()
  /** What is stored or worked on, from its first moment to the release of its thread. */
  readonly #held = new Set<Promise<void>>()
  #isStopping = false
  readonly #submissions: Submissions

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#submissions = new Submissions(options)
  }

  /** Runs that this process works on at the moment. */
  get inProgress(): readonly Attempt[] {
    return [...this.#inProgress.values()]
  }

  /** Stops all runs where they can be resumed, those too that are just beginning; no more begin. */
  stop(): void {
    this.#isStopping = true
    for (const run of this.inProgress) run.stop('shutdown')
  }

  /** Resolves when the runs that this process works on have ended, and their threads are released. */
  async ended(): Promise<void> {
    do {
      await Promise.allSettled([...this.inProgress.map(({ ended }) => ended), ...this.#held])
      // One that was stored meanwhile is worked on, and stops, before its thread is released.
      await turnOfTheLoop()
    } while (this.#held.size > 0)
  }

  /** The attempt at a run, while this process works on it. */
  attemptAt(runId: string): Attempt | undefined {
    return this.#inProgress.get(runId)
  }

  /** Stores a run, which then holds its thread until it was worked on. Throws `ThreadBusy`, `AlreadyExists`. */
  async submit(request: StoredRequest): Promise<RunToWork> {
    if (this.#isStopping) throw new NotReady('This Quaero is closing, and begins no run any more.')
    const log = await this.#holding(this.#submissions.store(request))
    return { runId: createdIn(log).correlationId, threadId: request.threadId, log, isHeld: true }
  }

  /**
   * Works on a run in a new attempt, and releases its thread. Returns the run's log if it has a result, null for a log that
   * must be read. Throws as `checkAnswers` does, and `ThreadBusy`.
   */
  async work(run: RunToWork, options: WorkOptions): Promise<readonly Event[] | null> {
    const { storage } = this.#options
    const { runId, threadId, isHeld = false, log: known } = run
    if (threadId === null) return this.#attempt(known ?? [], null, options)
    if (!isHeld) await this.#holding(storage.leases.acquire(threadId, runId))
    const work = async () => {
      // A run that was just stored is the newest of its thread.
      const place = known ? threadId : await checkpointThread(runId, threadId, storage)
      return this.#attempt(known ?? (await logOf(runId, storage)), place, options)
    }
    // A lease that cannot be released expires, since it is no longer renewed.
    return this.#holding(work().finally(() => storage.leases.release(threadId, runId).catch(nothing)))
  }

  async #holding<T>(work: Promise<T>): Promise<T> {
    const over = work.then(nothing, nothing)
    this.#held.add(over)
    try {
      return await work
    } finally {
      this.#held.delete(over)
    }
  }

  /** One attempt. `place`: the LangGraph thread of the run's checkpoints; null for a run that is not saved. */
  async #attempt(log: readonly Event[], place: string | null, options: WorkOptions): Promise<readonly Event[] | null> {
    const { storage, graph, checkArgs } = this.#options
    const { answers = {}, check, perform } = options
    const created = createdIn(log)
    const { correlationId: runId, payload } = created
    if (perform || place === null) {
      if (perform) await this.#track(this.#newAttempt(log, options), perform)
      return null
    }
    const attempt = this.#newAttempt(log, options, addTo(graph, place))
    // Another process may have answered while it held the thread.
    checkAnswers(runId, attempt.status(), answers, checkArgs)
    for (const resolution of resolutionsOf(runId, log, answers)) await attempt.emit(resolution)
    if (attempt.status().pendingApprovals.length > 0) return null
    const work = async (context: Context) => {
      check?.(log)
      return resumeGraph(context, { ...this.#options, created, place })
    }
    const restoreThread = async () => {
      await restore(payload.threadId, this.#options)
      await storage.dropParked(runId)
    }
    try {
      await this.#track(attempt, work, attempt.isNew && place === payload.threadId ? undefined : restoreThread)
    } catch (error) {
      // The log, and so the result, has the error; it is not thrown as well.
      if (attempt.status().state !== 'failed') throw error
    }
    return attempt.endedLog()
  }

  /** Lists the attempt as in progress while it works; tidies the thread of a run that has ended. */
  async #track(attempt: Attempt, work: Work, restoreThread?: () => Promise<void>): Promise<void> {
    const { storage } = this.#options
    const { runId, threadId } = attempt
    this.#inProgress.set(runId, attempt)
    if (this.#isStopping) attempt.stop('shutdown')
    const withdraw = threadId === null ? undefined : storage.live?.offer(runId, attempt.feed)
    const watch = new CancelWatch(attempt, storage)
    watch.begin()
    const withWatch: Work = async (context) => {
      // It may have been cancelled while it began.
      await watch.look()
      context.signal.throwIfAborted()
      return work(context)
    }
    try {
      await attempt.run(withWatch)
    } finally {
      watch.end()
      withdraw?.()
      this.#inProgress.delete(runId)
      if (threadId !== null && hasEnded(attempt.status().state)) {
        // What cannot be tidied now is tidied after the next turn.
        await restoreThread?.().catch(nothing)
        // Not awaited: the release of the lease follows, and shares one commit with it.
        void storage.pruneThread(threadId).catch(nothing)
      }
    }
  }

  #newAttempt(
    log: readonly Event[],
    { limits: bounds, approve, signal, reader }: WorkOptions,
    addToThread?: AttemptRequest['addToThread'],
  ): Attempt {
    const { hooks, retry, modelName: model, needsApproval } = this.#options
    const asked = createdIn(log).payload
    const inForce = { ...this.#options.limits, ...asked.limits, ...bounds }
    const hooksFor = (run: Attempt) => [
      limits({ limits: inForce, status: () => run.status(), workedMs: workedMs(log) }),
      approval({ mode: approve ?? asked.approve ?? 'ask', needsApproval }),
      ...hooks,
      retry,
    ]
    const { wallClockMs } = inForce
    const request = { log, signal, reader, model, wallClockMs, addToThread }
    return new Attempt({ ...this.#options, hooks: hooksFor }, request)
  }

  /** Cancels a run: at once if it runs here or nowhere, else when its process sees the request. */
  async cancel(runId: string, by: string): Promise<void> {
    const { storage, audience, modelName: model } = this.#options
    const { status, threadId } = await storage.events.run(runId)
    if (hasEnded(status.state)) {
      throw new RunEnded(`Run ${runId} has ended (${status.state}); there is nothing to cancel.`)
    }
    const running = this.#inProgress.get(runId)
    const requested = event('cancel.requested', { by }, { correlationId: runId })
    if (!running) return cancelElsewhere(requested, threadId, { storage, audience, model })
    if (!running.hasResult) {
      await running.emit(requested)
      running.stop('cancelled')
    }
    await running.ended
    const { state } = running.status()
    if (state !== 'cancelled') throw new RunEnded(`Run ${runId} ended (${state}) before it could be cancelled.`)
  }
}

const nothing = () => {}

type Work = (context: Context) => Promise<RunOutcome>
