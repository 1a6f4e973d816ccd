import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { RunEnded, StaleApproval, ThreadBusy } from '../errors.ts'
import {
  type Context,
  type Event,
  event,
  type Hooks,
  hasEnded,
  type RunStatus,
  type StoredEvent,
} from '../events/index.ts'
import type { Graph } from '../graph/graph.ts'
import type { RunBeginning, Storage } from '../storage/storage.ts'
import {
  Attempt,
  type AttemptParts,
  type AttemptRequest,
  closeWhatCrashed,
  type RunInProgress,
  type RunOutcome,
} from './attempt.ts'
import { watchForCancel } from './cancel-watch.ts'
import { asked, firstEvents } from './first-events.ts'
import { addTo, collect, goOn, invoke } from './graph-calls.ts'
import { additionsIn } from './hooks/added-to-thread.ts'
import { type ApprovalOptions, approval, type Decision } from './hooks/approval.ts'
import { limits, type RunLimits } from './hooks/limits.ts'
import type { PlainRun } from './plain-invocation.ts'
import type { Subscriber } from './stream-event.ts'

export interface RunnerOptions {
  readonly storage: Storage
  readonly graph: () => Graph
  /** A person's hooks, in the order given; limits and approval come before them, retry after. */
  readonly hooks: readonly Hooks[]
  readonly retry: Hooks
  readonly subscribers: readonly Subscriber[]
  readonly onSubscriberError: (error: unknown) => void
  /** For the log and the result. */
  readonly modelName: string
  readonly needsApproval: ApprovalOptions['needsApproval']
  /** How long to wait for a busy thread before refusing; 0 refuses at once. */
  readonly waitWhenBusyMs: number
  /** How long a run that is stopped may take to end by itself, before it is no longer waited for. */
  readonly patienceMs: number
}

export interface StartRequest extends AttemptOptions {
  readonly question: string
  readonly threadId: string
  readonly userId?: string
  readonly documents: readonly string[] | null
}

/** What may differ from one attempt to the next. */
export interface AttemptOptions {
  readonly limits: RunLimits
  readonly approve: ApprovalOptions['mode']
  readonly signal?: AbortSignal
  readonly subscriber?: Subscriber
}

/** Starts, resumes and stops runs. The only place that knows both the graph and the event log. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #inProgress = new Map<string, RunInProgress>()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Runs that this process works on at the moment. */
  get inProgress(): readonly RunInProgress[] {
    return [...this.#inProgress.values()]
  }

  /** Stores the question, then answers it. Rejects only if the run cannot begin; returns the run's id. */
  async start({ question, threadId, userId, documents, ...options }: StartRequest): Promise<string> {
    const runId = randomUUID()
    const log = await this.#begin(threadId, runId, ({ turn, afresh }) =>
      firstEvents(runId, {
        threadId,
        turn,
        ...(afresh && { afresh }),
        question,
        documents: documents && [...documents],
        ...(userId && { userId }),
      }),
    )
    const addToThread = addTo(this.#options.graph, threadId)
    const attempt = this.#attempt({ runId, threadId, question, documents, log, addToThread, ...options })
    attempt.announce(log)
    await this.#work(attempt, (context) => {
      const messages = asked(runId, question, additionsIn(context.log?.() ?? [], 'before'))
      return invoke(this.#options.graph(), context, { messages, runId, sessionId: threadId })
    })
    return runId
  }

  /** Goes on with a run that waits or was interrupted. Throws `RunEnded`, `StaleApproval`, `ThreadBusy`. */
  async resume(runId: string, answers: Answers, options: AttemptOptions): Promise<void> {
    const { storage } = this.#options
    const { threadId, status, question } = await storage.events.run(runId)
    refuse(runId, status, answers)
    await storage.leases.acquire(threadId, runId)
    const attempt = await this.#answered(runId, answers, options).catch(async (error: unknown) => {
      await storage.leases.release(threadId, runId)
      throw error
    })
    if (attempt.status().pendingApprovals.length > 0) return storage.leases.release(threadId, runId)
    await this.#work(attempt, (context) => goOn(this.#options, context, question))
  }

  /** The next attempt, with the answers in its log. Another may have answered while the thread was still taken. */
  async #answered(runId: string, answers: Answers, options: AttemptOptions): Promise<Attempt> {
    const log = await collect(this.#options.storage.events.read(runId))
    const { threadId, question, documents } = (log[0] as StoredEvent<'run.created'>).payload
    const addToThread = addTo(this.#options.graph, threadId)
    const attempt = this.#attempt({ runId, threadId, question, documents, log, addToThread, ...options })
    refuse(runId, attempt.status(), answers)
    for (const [approvalId, decision] of Object.entries(answers)) await resolve(attempt, log, approvalId, decision)
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
    } else {
      const holder = await storage.leases.holder(threadId)
      const crashed = holder?.runId === runId ? [] : closeWhatCrashed(await collect(storage.events.read(runId)))
      for (const each of [...crashed, requested]) await storage.events.append(each)
    }
  }

  /** Works on the run of a graph that was invoked directly. */
  async workOnPlainRun(
    run: PlainRun,
    options: AttemptOptions,
    work: (context: Context) => Promise<RunOutcome>,
  ): Promise<void> {
    const { runId, threadId, question, resumed } = run
    const log = await this.#plainLog(run)
    const attempt = this.#attempt({ runId, threadId, question, documents: null, log, ...options })
    if (!resumed) attempt.announce(log)
    await this.#track(attempt, work)
  }

  /** Works on an attempt while it is listed as in progress; afterwards the thread is free, and tidy if the run ended. */
  async #track(attempt: Attempt, work: (context: Context) => Promise<RunOutcome>): Promise<void> {
    const { storage } = this.#options
    this.#inProgress.set(attempt.runId, attempt)
    const endWatch = watchForCancel(attempt, storage)
    try {
      await attempt.run(work)
    } finally {
      endWatch()
      this.#inProgress.delete(attempt.runId)
      if (attempt.threadId !== null) {
        // Asked for together, both are written at once.
        await Promise.all([
          hasEnded(attempt.status().state) ? storage.pruneThread(attempt.threadId) : null,
          storage.leases.release(attempt.threadId, attempt.runId),
        ])
      }
    }
  }

  /** A failure stands in the log and so in the result; it is not thrown twice. */
  async #work(attempt: Attempt, work: (context: Context) => Promise<RunOutcome>): Promise<void> {
    try {
      await this.#track(attempt, work)
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
    for (let pause = 5; ; pause = Math.min(2 * pause, 200)) {
      try {
        await storage.beginRun(threadId, runId, firstLog)
        return log.map((event, index) => ({ ...event, position: index + 1 }))
      } catch (error) {
        if (!(error instanceof ThreadBusy) || Date.now() >= deadline) throw error
        await wait(pause)
      }
    }
  }

  #attempt({ limits: bounds, approve, ...request }: Omit<AttemptRequest, 'model'> & AttemptOptions): Attempt {
    const { storage, hooks, retry, subscribers, onSubscriberError, modelName, needsApproval, patienceMs } =
      this.#options
    const parts: AttemptParts = {
      storage,
      hooks: (run) => [
        limits({ limits: bounds, status: () => run.status() }),
        approval({ mode: approve, needsApproval }),
        ...hooks,
        retry,
      ],
      subscribers,
      onSubscriberError,
      patienceMs,
    }
    return new Attempt(parts, { ...request, model: modelName, wallClockMs: bounds.wallClockMs })
  }
}

type Answers = Readonly<Record<string, Decision>>

/** Throws `RunEnded` for a run that has ended, `StaleApproval` for an answer that it does not wait for. */
function refuse(runId: string, { state, pendingApprovals }: RunStatus, answers: Answers): void {
  if (hasEnded(state)) throw new RunEnded(`Run ${runId} has ended (${state}); ask again instead.`)
  const pending = pendingApprovals.map(({ id }) => id)
  const stale = Object.keys(answers).find((id) => !pending.includes(id))
  if (stale === undefined) return
  const waiting = pending.length > 0 ? `It waits for ${pending.join(', ')}.` : 'It waits for no approval.'
  throw new StaleApproval(`The run does not wait for approval "${stale}". ${waiting}`)
}

async function resolve(attempt: Attempt, log: readonly Event[], approvalId: string, decision: Decision): Promise<void> {
  const asked = log.findLast((each) => each.type === 'approval.requested')
  const { approved, reason, args } = decision
  const payload = { approvalId, approved, ...(reason !== undefined && { reason }), ...(args && { args: { ...args } }) }
  const origin = { correlationId: attempt.runId, ...(asked?.causationId && { causationId: asked.causationId }) }
  await attempt.emit(event('approval.resolved', payload, origin) as Event)
}
