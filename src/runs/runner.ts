import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { AgentState } from '../agents/state.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { RunEnded, ThreadBusy } from '../errors.ts'
import {
  type Context,
  type Event,
  event,
  type Hooks,
  hasEnded,
  type StoredEvent,
  type Subscribers,
} from '../events/index.ts'
import type { Graph } from '../graph/graph.ts'
import type { Storage } from '../storage/storage.ts'
import { type Answers, type CheckArgs, checkAnswers, resolutionsOf } from './approval-answers.ts'
import {
  Attempt,
  type AttemptParts,
  type AttemptRequest,
  type RunInProgress,
  type RunOutcome,
} from './attempt/attempt.ts'
import { firstEvents } from './attempt/first-events.ts'
import { addTo, collect, resumeGraph } from './attempt/graph-calls.ts'
import type { DirectRun } from './attempt/plain-invocation.ts'
import { workedMs } from './attempt/worked.ts'
import { cancelElsewhere } from './cancel-elsewhere.ts'
import { CancelWatch } from './cancel-watch.ts'
import { conversationBefore } from './conversation-before.ts'
import type { RunFeed } from './follow/feed.ts'
import { type ApprovalOptions, approval } from './hooks/approval.ts'
import { limits, type RunLimits } from './hooks/limits.ts'
import { KeyedQueue } from './keyed-queue.ts'
import { checkpointThread, restore } from './park.ts'
import type { AttemptOptions, RunRequest, WorkOptions } from './run-request.ts'

export interface RunnerOptions {
  readonly storage: Storage
  readonly graph: () => Graph
  /** A person's hooks, in the order given; limits and approval come before them, retry after. */
  readonly hooks: readonly Hooks[]
  readonly retry: Hooks
  /** Makes the model calls that hooks ask for. */
  readonly callModel?: NonNullable<Context['callModel']>
  /** Told of every run. */
  readonly audience: Subscribers
  /** What must not be kept, or told in an error. */
  readonly credentials: Credentials
  /** For the log and the result. */
  readonly modelName: string
  /** For runs whose log says nothing of limits. */
  readonly limits: RunLimits
  readonly needsApproval: ApprovalOptions['needsApproval']
  /** For arguments that a person gives in place of the model's. */
  readonly checkArgs: CheckArgs
  /** How long to wait for a busy thread before refusing; 0 refuses at once. */
  readonly waitWhenBusyMs: number
  /** How long a run that is stopped may take to end by itself, before it is no longer waited for. */
  readonly gracePeriodMs: number
  /** How many messages a thread's state keeps. */
  readonly messageWindow: number
}

/** Stores, works on and stops runs. The only place that knows both the graph and the event log. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #inProgress = new Map<string, RunInProgress>()
  /** Questions that wait for a busy thread. */
  readonly #line = new KeyedQueue()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Runs that this process works on at the moment. */
  get inProgress(): readonly RunInProgress[] {
    return [...this.#inProgress.values()]
  }

  /** The lines of a run as they come, while this process works on it. */
  feedOf(runId: string): RunFeed | null {
    return this.#inProgress.get(runId)?.feed ?? null
  }

  /**
   * Stores a run for whoever works on it, and returns its id. Throws `ThreadBusy`, or `AlreadyExists` for one that was
   * stored before.
   */
  async submit(request: RunRequest): Promise<string> {
    const { correlationId: runId, payload } = createdIn(await this.#store(request))
    await this.#options.storage.leases.release(payload.threadId, runId)
    return runId
  }

  /** Both `submit` and `work`: nobody else can take the thread in between. Rejects only if the run cannot be stored. */
  async ask(request: RunRequest, options: WorkOptions): Promise<string> {
    const log = await this.#store(request)
    const { correlationId: runId, payload } = createdIn(log)
    await this.#holding(payload.threadId, runId, () => this.#attemptRun(log, {}, options))
    return runId
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
    await this.#holding(threadId, runId, async () => this.#attemptRun(await this.#logOf(runId), answers, options))
  }

  /** The next attempt of a run whose thread is held, with the answers in its log. */
  async #attemptRun(log: readonly Event[], answers: Answers, options: AttemptOptions): Promise<void> {
    const { storage, graph, checkArgs } = this.#options
    const created = createdIn(log)
    const { correlationId: runId, payload } = created
    const { threadId, question, documents } = payload
    const place = await checkpointThread(runId, threadId, storage)
    const isNew = !log.some(({ type }) => type === 'run.started')
    const addToThread = addTo(graph, place)
    const attempt = this.#attempt({ runId, threadId, question, documents, log, isNew, addToThread }, options)
    // Another may have answered while the thread was still taken.
    checkAnswers(runId, attempt.status(), answers, checkArgs)
    for (const resolution of resolutionsOf(runId, log, answers)) await attempt.emit(resolution)
    if (attempt.status().pendingApprovals.length > 0) return
    const conversation = (found: Partial<AgentState>) => conversationBefore(created, found, this.#options)
    const work = (context: Context) => resumeGraph(context, { graph: graph(), storage, created, place, conversation })
    const restoreThread = async () => {
      await restore(threadId, this.#options)
      await storage.dropParked(runId)
    }
    try {
      await this.#track(attempt, work, isNew && place === threadId ? undefined : restoreThread)
    } catch (error) {
      // It stands in the log and so in the result; it is not thrown twice.
      if (attempt.status().state !== 'failed') throw error
    }
  }

  /** Ends a run for good: at once if it runs here or nowhere, else when its process sees the request. */
  async cancel(runId: string, by: string): Promise<void> {
    const { storage } = this.#options
    const { status, threadId } = await storage.events.run(runId)
    if (hasEnded(status.state))
      throw new RunEnded(`Run ${runId} has ended (${status.state}); there is nothing to cancel.`)
    const running = this.#inProgress.get(runId)
    const requested = event('cancel.requested', { by }, { correlationId: runId }) as Event
    if (running instanceof Attempt) {
      await running.emit(requested)
      running.stop('cancelled')
      await running.ended
      const { state } = running.status()
      if (state !== 'cancelled') throw new RunEnded(`Run ${runId} ended (${state}) before it could be cancelled.`)
    } else {
      const { audience, modelName: model } = this.#options
      await cancelElsewhere(requested, threadId, { storage, audience, model })
    }
  }

  /** Works on the run of a graph that was invoked directly. */
  async workOnPlainRun(given: DirectRun, work: Work): Promise<void> {
    const { storage, credentials } = this.#options
    const { runId, threadId, resumed, signal } = given
    const asked = { question: credentials.mask(given.question), documents: null }
    const attempt = (log: readonly Event[]) =>
      this.#track(this.#attempt({ runId, threadId, ...asked, log, isNew: !resumed }, { signal }), work)
    if (threadId === null) return attempt(firstEvents(runId, { ...asked, threadId: '', turn: 1 }))
    if (!resumed) {
      const log = await this.#store({ ...asked, runId, threadId })
      return this.#holding(threadId, runId, () => attempt(log))
    }
    await storage.leases.acquire(threadId, runId)
    await this.#holding(threadId, runId, async () => attempt(await this.#logOf(runId)))
  }

  /** Does the work on a thread that the run holds, which is free afterwards. */
  async #holding(threadId: string, runId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } finally {
      // A lease that cannot be given back is no longer renewed.
      await this.#options.storage.leases.release(threadId, runId).catch(() => {})
    }
  }

  /** Works on an attempt while it is listed as in progress; the thread of a run that has ended is tidied. */
  async #track(attempt: Attempt, work: Work, restore?: () => Promise<void>): Promise<void> {
    const { storage } = this.#options
    this.#inProgress.set(attempt.runId, attempt)
    const watch = new CancelWatch(attempt, storage)
    watch.begin()
    try {
      await attempt.run(async (context) => {
        // It may have been cancelled while it was begun.
        await watch.look()
        context.signal.throwIfAborted()
        return work(context)
      })
    } finally {
      watch.end()
      this.#inProgress.delete(attempt.runId)
      if (hasEnded(attempt.status().state)) await this.#tidy(attempt, restore)
    }
  }

  /** What cannot be tidied now is tidied after the next turn. */
  async #tidy({ threadId }: Attempt, restore?: () => Promise<void>): Promise<void> {
    if (threadId === null) return
    await restore?.().catch(() => {})
    // Not waited for: the end of the lease is asked for next, and both are one commit.
    void this.#options.storage.pruneThread(threadId).catch(() => {})
  }

  /** Stores a run's first events, and takes its thread. */
  async #store({
    runId = randomUUID(),
    threadId,
    documents,
    ...asked
  }: StoredRequest): Promise<readonly StoredEvent[]> {
    const { storage, waitWhenBusyMs } = this.#options
    const deadline = performance.now() + waitWhenBusyMs
    const store = async () => {
      for (let pause = 5; ; pause = Math.min(2 * pause, 200)) {
        try {
          const { log } = await storage.beginRun(threadId, runId, ({ turn, afterReset }) =>
            firstEvents(runId, {
              threadId,
              turn,
              ...(afterReset && { afresh: true }),
              documents: documents && [...documents],
              ...asked,
            }),
          )
          return log
        } catch (error) {
          if (!(error instanceof ThreadBusy) || performance.now() >= deadline) throw error
          await wait(pause)
        }
      }
    }
    return waitWhenBusyMs > 0 ? this.#line.run(threadId, store) : store()
  }

  #logOf(runId: string): Promise<readonly StoredEvent[]> {
    return collect(this.#options.storage.events.read(runId))
  }

  #attempt(request: Omit<AttemptRequest, 'model'>, { limits: bounds, approve, ...options }: AttemptOptions): Attempt {
    const { storage, hooks, retry, audience, modelName, needsApproval, gracePeriodMs, callModel, credentials } =
      this.#options
    const asked = createdIn(request.log).payload
    const inForce = { ...this.#options.limits, ...asked.limits, ...bounds }
    const parts: AttemptParts = {
      storage,
      hooks: (run) => [
        limits({ limits: inForce, status: () => run.status(), workedMs: workedMs(request.log) }),
        approval({ mode: approve ?? asked.approve ?? 'ask', needsApproval }),
        ...hooks,
        retry,
      ],
      audience,
      gracePeriodMs,
      credentials,
      ...(callModel && { callModel }),
    }
    return new Attempt(parts, { ...request, ...options, model: modelName, wallClockMs: inForce.wallClockMs })
  }
}

type Work = (context: Context) => Promise<RunOutcome>

type StoredRequest = Omit<RunRequest, 'limits' | 'approve'> & Partial<RunRequest>

/** Every log begins with it: nothing of a run is stored before. */
function createdIn(log: readonly Event[]): Event<'run.created'> {
  return log[0] as Event<'run.created'>
}
