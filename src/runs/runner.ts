import type { Credentials } from '../credentials/credentials.ts'
import { RunEnded } from '../errors.ts'
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
import type { Graph } from '../graph/graph.ts'
import type { ClaimedRun } from '../storage/run-queue.ts'
import type { Storage } from '../storage/storage.ts'
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
import { logOf } from './log/read-log.ts'
import type { DirectRun } from './plain-invocation.ts'
import { firstEvents, type RunRequest, Submissions } from './submit.ts'

/** Options of one attempt; limits and approval mode that are absent are those of the run. */
export interface AttemptOptions extends Pick<AttemptRequest, 'signal' | 'onBegin'> {
  readonly limits?: Partial<RunLimits>
  readonly approve?: ApprovalOptions['mode'] | undefined
  /** Looks at the run's log before the work; what it throws fails the run. */
  readonly check?: (log: readonly Event[]) => void
}

export interface RunnerOptions {
  readonly storage: Storage
  readonly graph: () => Graph
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
  /** How many messages a thread's state keeps. */
  readonly messageWindow: number
}

/** A run that was worked on, and its log where that is known without reading it. */
export interface WorkedRun {
  readonly runId: string
  readonly ended: readonly Event[] | null
}

/** Stores, works on and cancels runs. Connects the graph with the event log. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #inProgress = new Map<string, Attempt>()
  readonly #held = new Set<Promise<void>>()
  readonly #submissions: Submissions

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#submissions = new Submissions(options)
  }

  /** Runs that this process works on at the moment. */
  get inProgress(): readonly Attempt[] {
    return [...this.#inProgress.values()]
  }

  /** Resolves when the runs that this process works on have ended, and their threads are released. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.inProgress.map(({ ended }) => ended), ...this.#held])
  }

  /** The attempt at a run, while this process works on it. */
  attemptAt(runId: string): Attempt | undefined {
    return this.#inProgress.get(runId)
  }

  /** Stores a run and works on it. Rejects only if the run cannot be stored. */
  async ask(request: RunRequest, options: AttemptOptions): Promise<WorkedRun> {
    const log = await this.#submissions.store(request)
    const { correlationId: runId, payload } = createdIn(log)
    const ended = await this.#holding(payload.threadId, runId, () => this.#attemptRun(log, {}, options))
    return { runId, ended }
  }

  /**
   * Works on a stored run that waits to begin, waits for answers or was interrupted. Throws as `checkAnswers` does, and
   * `ThreadBusy`.
   */
  async work(runId: string, answers: Answers, options: AttemptOptions): Promise<void> {
    const { storage, checkArgs } = this.#options
    const { threadId, status } = await storage.events.run(runId)
    checkAnswers(runId, status, answers, checkArgs)
    await storage.leases.acquire(threadId, runId)
    await this.#holding(threadId, runId, async () => this.#attemptRun(await logOf(runId, storage), answers, options))
  }

  /** Works on a run whose thread a worker of this process has taken with it. */
  async workOnClaimed({ runId, threadId }: Omit<ClaimedRun, 'choices'>, options: AttemptOptions): Promise<void> {
    const { storage } = this.#options
    await this.#holding(threadId, runId, async () => this.#attemptRun(await logOf(runId, storage), {}, options))
  }

  /** The next attempt of a run whose thread is held, with the answers in its log. Returns the log if that has a result. */
  async #attemptRun(log: readonly Event[], answers: Answers, options: AttemptOptions): Promise<WorkedRun['ended']> {
    const { storage, graph, checkArgs, messageWindow } = this.#options
    const created = createdIn(log)
    const { correlationId: runId, payload } = created
    const place = await checkpointThread(runId, payload.threadId, storage)
    const isNew = !log.some(({ type }) => type === 'run.started')
    const attempt = this.#attempt({ log, isNew, addToThread: addTo(graph, place) }, options)
    // Another process may have answered while it held the thread.
    checkAnswers(runId, attempt.status(), answers, checkArgs)
    for (const resolution of resolutionsOf(runId, log, answers)) await attempt.emit(resolution)
    if (attempt.status().pendingApprovals.length > 0) return null
    const work = async (context: Context) => {
      options.check?.(log)
      return resumeGraph(context, { graph: graph(), storage, created, place, messageWindow })
    }
    const restoreThread = async () => {
      await restore(payload.threadId, this.#options)
      await storage.dropParked(runId)
    }
    try {
      await this.#track(attempt, work, isNew && place === payload.threadId ? undefined : restoreThread)
    } catch (error) {
      // The log, and so the result, has the error; it is not thrown as well.
      if (attempt.status().state !== 'failed') throw error
    }
    return attempt.endedLog()
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
    await running.emit(requested)
    running.stop('cancelled')
    await running.ended
    const { state } = running.status()
    if (state !== 'cancelled') throw new RunEnded(`Run ${runId} ended (${state}) before it could be cancelled.`)
  }

  /** Works on the run of a graph that was invoked directly. */
  async workOnPlainRun(given: DirectRun, work: Work): Promise<void> {
    const { storage, credentials } = this.#options
    const { runId, threadId, resumed, signal } = given
    const asked = { question: credentials.mask(given.question), documents: null }
    const attempt = (log: readonly Event[]) => this.#track(this.#attempt({ log, isNew: !resumed }, { signal }), work)
    if (threadId === null) return attempt(firstEvents(runId, { ...asked, threadId: '', turn: 1 }))
    if (!resumed) {
      const log = await this.#submissions.store({ ...asked, runId, threadId })
      return this.#holding(threadId, runId, () => attempt(log))
    }
    await storage.leases.acquire(threadId, runId)
    await this.#holding(threadId, runId, async () => attempt(await logOf(runId, storage)))
  }

  /** Does the work on a thread that the run holds, and releases the thread. */
  async #holding<T>(threadId: string, runId: string, work: () => Promise<T>): Promise<T> {
    // A lease that cannot be released expires, since it is no longer renewed.
    const release = () => this.#options.storage.leases.release(threadId, runId).catch(() => {})
    const held = work().finally(release)
    const over = held.then(nothing, nothing)
    this.#held.add(over)
    try {
      return await held
    } finally {
      this.#held.delete(over)
    }
  }

  /** Lists the attempt as in progress while it works; tidies the thread of a run that has ended. */
  async #track(attempt: Attempt, work: Work, restoreThread?: () => Promise<void>): Promise<void> {
    const { storage } = this.#options
    const { runId, threadId } = attempt
    this.#inProgress.set(runId, attempt)
    const withdraw = threadId === null ? undefined : storage.live?.offer(runId, () => attempt.feed.join())
    const watch = new CancelWatch(attempt, storage)
    watch.begin()
    try {
      await attempt.run(async (context) => {
        // It may have been cancelled while it began.
        await watch.look()
        context.signal.throwIfAborted()
        return work(context)
      })
    } finally {
      watch.end()
      withdraw?.()
      this.#inProgress.delete(runId)
      if (threadId !== null && hasEnded(attempt.status().state)) {
        // What cannot be tidied now is tidied after the next turn.
        await restoreThread?.().catch(() => {})
        // Not awaited: the release of the lease follows, and shares one commit with it.
        void storage.pruneThread(threadId).catch(() => {})
      }
    }
  }

  #attempt(
    request: Omit<AttemptRequest, 'model'>,
    { limits: bounds, approve, signal, onBegin }: AttemptOptions,
  ): Attempt {
    const { hooks, retry, modelName: model, needsApproval } = this.#options
    const asked = createdIn(request.log).payload
    const inForce = { ...this.#options.limits, ...asked.limits, ...bounds }
    const hooksFor = (run: Attempt) => [
      limits({ limits: inForce, status: () => run.status(), workedMs: workedMs(request.log) }),
      approval({ mode: approve ?? asked.approve ?? 'ask', needsApproval }),
      ...hooks,
      retry,
    ]
    const { wallClockMs } = inForce
    return new Attempt({ ...this.#options, hooks: hooksFor }, { ...request, signal, onBegin, model, wallClockMs })
  }
}

const nothing = () => {}

type Work = (context: Context) => Promise<RunOutcome>
