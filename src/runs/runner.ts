import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Credentials } from '../credentials/credentials.ts'
import { RunEnded, ThreadBusy } from '../errors.ts'
import {
  type Audience,
  type Context,
  type Event,
  event,
  type Hooks,
  hasEnded,
  type StoredEvent,
} from '../events/index.ts'
import type { Graph } from '../graph/graph.ts'
import type { RunBeginning, Storage } from '../storage/storage.ts'
import { type Answers, type CheckArgs, checkAnswers, resolutionsOf } from './answers.ts'
import {
  Attempt,
  type AttemptParts,
  type AttemptRequest,
  type RunInProgress,
  type RunOutcome,
} from './attempt/attempt.ts'
import { asked, firstEvents } from './attempt/first-events.ts'
import { addTo, collect, goOn, invoke } from './attempt/graph-calls.ts'
import type { PlainRun } from './attempt/plain-invocation.ts'
import { cancelElsewhere } from './cancelling/cancel-elsewhere.ts'
import { CancelWatch } from './cancelling/cancel-watch.ts'
import type { RunFeed } from './follow/feed.ts'
import { additionsIn } from './hooks/added-to-thread.ts'
import { type ApprovalOptions, approval } from './hooks/approval.ts'
import { limits } from './hooks/limits.ts'
import { workedMs } from './log/worked.ts'
import type { AttemptOptions, StartRequest } from './run-request.ts'
import { conversationBefore, placeOf, rejoin, withoutDraft } from './set-aside.ts'
import { WaitingLine } from './waiting-line.ts'

export interface RunnerOptions {
  readonly storage: Storage
  readonly graph: () => Graph
  /** A person's hooks, in the order given; limits and approval come before them, retry after. */
  readonly hooks: readonly Hooks[]
  readonly retry: Hooks
  /** Makes the model calls that hooks ask for. */
  readonly callModel?: NonNullable<Context['callModel']>
  /** Told of every run. */
  readonly audience: Audience
  /** What must not be kept, or told in an error. */
  readonly credentials: Credentials
  /** For the log and the result. */
  readonly modelName: string
  readonly needsApproval: ApprovalOptions['needsApproval']
  /** For arguments that a person gives in place of the model's. */
  readonly checkArgs: CheckArgs
  /** How long to wait for a busy thread before refusing; 0 refuses at once. */
  readonly waitWhenBusyMs: number
  /** How long a run that is stopped may take to end by itself, before it is no longer waited for. */
  readonly patienceMs: number
  /** How many messages a thread's state keeps. */
  readonly messageWindow: number
}

/** Starts, resumes and stops runs. The only place that knows both the graph and the event log. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #inProgress = new Map<string, RunInProgress>()
  /** Threads that ended runs still hold, by run. */
  readonly #held = new Map<string, string>()
  /** Questions that wait for a busy thread. */
  readonly #line = new WaitingLine()

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
   * Stores the question, then answers it; returns the run's id. Rejects only if the run cannot begin: `ThreadBusy`, or
   * `AlreadyExists` for one that has begun before.
   */
  async start({ runId = randomUUID(), question, threadId, userId, documents, ...options }: StartRequest) {
    let unanswered: string | null = null
    const log = await this.#begin(threadId, runId, ({ turn, afresh, ...begun }) => {
      unanswered = begun.unanswered
      return firstEvents(runId, {
        threadId,
        turn,
        ...(afresh && { afresh }),
        question,
        documents: documents && [...documents],
        ...(userId && { userId }),
      })
    })
    const addToThread = addTo(this.#options.graph, threadId)
    const attempt = this.#attempt({ runId, threadId, question, documents, log, isNew: true, addToThread, ...options })
    await this.#work(attempt, async (context) => {
      const graph = this.#options.graph()
      const removed = unanswered ? await withoutDraft(unanswered, threadId, graph) : []
      const messages = [...removed, ...asked(runId, question, additionsIn(context.log?.() ?? [], 'before'))]
      return invoke(graph, context, { messages, runId, sessionId: threadId })
    })
    return runId
  }

  /** Goes on with a run that waits or was interrupted. Throws as `checkAnswers` does, and `ThreadBusy`. */
  async resume(runId: string, answers: Answers, options: AttemptOptions): Promise<void> {
    const { storage, graph, checkArgs } = this.#options
    const { threadId, status, question } = await storage.events.run(runId)
    checkAnswers(runId, status, answers, checkArgs)
    await this.#freeLeftOver(threadId)
    await storage.leases.acquire(threadId, runId)
    const place = await placeOf(runId, threadId, storage)
    const attempt = await this.#answered(runId, answers, { ...options, place }).catch(async (error: unknown) => {
      await storage.leases.release(threadId, runId)
      throw error
    })
    if (attempt.status().pendingApprovals.length > 0) return storage.leases.release(threadId, runId)
    const conversation = () => conversationBefore(runId, threadId, this.#options)
    const goingOn = (context: Context) => goOn(context, { graph: graph(), storage, question, place, conversation })
    await this.#work(attempt, goingOn, async () => {
      await rejoin(threadId, this.#options)
      await storage.dropSetAside(runId)
    })
  }

  /** The next attempt, with the answers in its log. Another may have answered while the thread was still taken. */
  async #answered(
    runId: string,
    answers: Answers,
    { place, ...options }: AttemptOptions & { readonly place: string },
  ): Promise<Attempt> {
    const log = await collect(this.#options.storage.events.read(runId))
    const { threadId, question, documents } = (log[0] as StoredEvent<'run.created'>).payload
    const addToThread = addTo(this.#options.graph, place)
    const attempt = this.#attempt({ runId, threadId, question, documents, log, addToThread, ...options })
    checkAnswers(runId, attempt.status(), answers, this.#options.checkArgs)
    for (const resolution of resolutionsOf(runId, log, answers)) await attempt.emit(resolution)
    return attempt
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
  async workOnPlainRun(given: PlainRun, options: AttemptOptions, work: Work): Promise<void> {
    const run = { ...given, question: this.#options.credentials.mask(given.question) }
    const { runId, threadId, question, resumed } = run
    const log = await this.#plainLog(run)
    const attempt = this.#attempt({ runId, threadId, question, documents: null, log, isNew: !resumed, ...options })
    await this.#track(attempt, work)
  }

  /** Works on an attempt while it is listed as in progress; afterwards the thread is free, and tidy if the run ended. */
  async #track(attempt: Attempt, work: Work, whenOver?: () => Promise<void>): Promise<void> {
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
      await this.#letGo(attempt, whenOver)
    }
  }

  /** What cannot be tidied now is tidied after the next turn, and a thread that cannot be freed now when it is next used. */
  async #letGo(attempt: Attempt, whenOver?: () => Promise<void>): Promise<void> {
    const { runId, threadId } = attempt
    if (threadId === null) return
    const tidied = hasEnded(attempt.status().state) ? this.#tidy(threadId, whenOver).catch(() => {}) : undefined
    // Whoever comes next finds the conversation in order; otherwise both are asked for together, and written at once.
    if (whenOver) await tidied
    this.#held.set(threadId, runId)
    await Promise.all([tidied, this.#freeLeftOver(threadId).catch(() => {})])
  }

  async #tidy(threadId: string, whenOver?: () => Promise<void>): Promise<void> {
    await whenOver?.()
    await this.#options.storage.pruneThread(threadId)
  }

  async #freeLeftOver(threadId: string): Promise<void> {
    const runId = this.#held.get(threadId)
    if (runId === undefined) return
    await this.#options.storage.leases.release(threadId, runId)
    this.#held.delete(threadId)
  }

  /** A failure stands in the log and so in the result; it is not thrown twice. */
  async #work(attempt: Attempt, work: Work, whenOver?: () => Promise<void>): Promise<void> {
    try {
      await this.#track(attempt, work, whenOver)
    } catch (error) {
      if (attempt.status().state !== 'failed') throw error
    }
  }

  async #plainLog({ runId, threadId, question, resumed }: PlainRun): Promise<readonly Event[]> {
    const { storage } = this.#options
    if (threadId === null) return firstEvents(runId, { threadId: '', turn: 1, question, documents: null })
    if (!resumed)
      return this.#begin(threadId, runId, ({ turn, afresh }) =>
        firstEvents(runId, { threadId, turn, ...(afresh && { afresh }), question, documents: null }),
      )
    await storage.leases.acquire(threadId, runId)
    return collect(storage.events.read(runId))
  }

  async #begin(
    threadId: string,
    runId: string,
    events: (begun: RunBeginning) => readonly Event[],
  ): Promise<readonly Event[]> {
    const { storage, waitWhenBusyMs } = this.#options
    const deadline = Date.now() + waitWhenBusyMs
    let log: readonly Event[] = []
    const firstLog = (begun: RunBeginning) => {
      log = events(begun)
      return log
    }
    const begin = async () => {
      for (let pause = 5; ; pause = Math.min(2 * pause, 200)) {
        try {
          await this.#freeLeftOver(threadId)
          await storage.beginRun(threadId, runId, firstLog)
          return log.map((event, index) => ({ ...event, position: index + 1 }))
        } catch (error) {
          if (!(error instanceof ThreadBusy) || Date.now() >= deadline) throw error
          await wait(pause)
        }
      }
    }
    return waitWhenBusyMs > 0 ? this.#line.behind(threadId, begin) : begin()
  }

  #attempt({ limits: bounds, approve, ...request }: Omit<AttemptRequest, 'model'> & AttemptOptions): Attempt {
    const { storage, hooks, retry, audience, modelName, needsApproval, patienceMs, callModel, credentials } =
      this.#options
    const parts: AttemptParts = {
      storage,
      hooks: (run) => [
        limits({ limits: bounds, status: () => run.status(), workedMs: workedMs(request.log) }),
        approval({ mode: approve, needsApproval }),
        ...hooks,
        retry,
      ],
      audience,
      patienceMs,
      credentials,
      ...(callModel && { callModel }),
    }
    return new Attempt(parts, { ...request, model: modelName, wallClockMs: bounds.wallClockMs })
  }
}

type Work = (context: Context) => Promise<RunOutcome>
