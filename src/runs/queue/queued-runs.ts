import { ThreadBusy, WorkersLost } from '../../errors.ts'
import { type Event, type Subscribers, statusOf } from '../../events/index.ts'
import type { AddReport } from '../../library/index.ts'
import type { QueuedChoices, QueueFigures, QueueLimits, QueueMember, RunQueue, Storage } from '../../storage/index.ts'
import { type Answers, type CheckArgs, checkAnswers, resolutionsOf } from '../hooks/approval.ts'
import { liveStatus } from '../log/read-log.ts'
import type { Runner } from '../runner.ts'
import { newRun, type RunRequest } from '../submit.ts'
import type { AddFileOptions, QueuedFiles } from './queued-files.ts'
import { isHopeless, type KindOfWork, Worker } from './worker.ts'

interface QueuedRunsParts {
  readonly storage: Storage
  readonly queue: RunQueue
  readonly files: QueuedFiles
  readonly runner: Runner
  readonly audience: Subscribers
  /** For arguments that a person gives in place of the model's. */
  readonly checkArgs: CheckArgs
  readonly limits: QueueLimits
  /** Runs of a user that wait, at most; null is any number. */
  readonly waitingPerUser: number | null
  /** How long a worker that is stopped may finish its runs. */
  readonly drainMs: number
  /** Told of what no run reports. */
  readonly onError: (error: unknown) => void
}

/** The queue as programs see it: how full it is, and the part that this process takes in it. */
export interface Queue {
  figures(): Promise<QueueFigures>
  /**
   * Adds a file as `library.add` does, but a worker reads it. Throws `NotReady` if this engine is closed meanwhile: the
   * file is added all the same once it is stored.
   */
  addFile(path: string, options?: AddFileOptions): Promise<AddReport>
  /** Takes a file back that has not ended, by the same path: it is not added. */
  withdrawFile(path: string): Promise<void>
  /** Workers take no more runs and files until this is undone; what they work on is finished. */
  pause(isPaused: boolean): Promise<void>
  /**
   * Works on queued runs, so many at a time, and reads files, one at a time, until it is drained or the engine is closed.
   */
  work(options: { readonly concurrency: number }): Promise<void>
  /** Takes no more runs and files; resolves when those at work have ended, or after `queue.drainSeconds`. */
  drain(): Promise<void>
}

/** Where a run that was put into the queue again goes on: after this position of its log. */
export interface QueuedAgain {
  readonly runId: string
  readonly after: number
}

/** Submits runs to the queue of the storage, and works on them. */
export class QueuedRuns implements Queue {
  readonly #parts: QueuedRunsParts
  #worker: Worker | null = null

  constructor(parts: QueuedRunsParts) {
    this.#parts = parts
  }

  /** Stores a run for the workers, and returns its id. Throws `AlreadyExists`, `TooManyWaiting`. */
  async submit(request: RunRequest): Promise<string> {
    const { runId, first } = newRun(request)
    const { queue, waitingPerUser } = this.#parts
    await queue.submit(request.threadId, runId, first, waitingPerUser)
    return runId
  }

  /**
   * Answers approvals of a run that waits, or resumes one that was interrupted, by the workers. Null while approvals are
   * missing. Throws as `checkAnswers` does, and `ThreadBusy` while a process without the queue works on the run.
   */
  async resubmit(runId: string, answers: Answers, choices: QueuedChoices): Promise<QueuedAgain | null> {
    const { storage, queue, checkArgs, audience } = this.#parts
    const { threadId, status } = await liveStatus(await storage.events.run(runId), storage)
    checkAnswers(runId, status, answers, checkArgs)
    if (status.state === 'running' && !(await queue.has(runId))) {
      throw new ThreadBusy(`Run ${runId} is at work already. Follow it, or cancel it.`)
    }
    let after = 0
    let added: readonly Event[] = []
    const isQueued = await queue.resubmit(
      runId,
      (log) => {
        checkAnswers(runId, statusOf(log), answers, checkArgs)
        after = log.length
        added = resolutionsOf(runId, log, answers)
        return added
      },
      choices,
    )
    for (const event of added) audience.notify({ ...event, runId, threadId })
    return isQueued ? { runId, after } : null
  }

  figures(): Promise<QueueFigures> {
    return this.#parts.queue.figures()
  }

  addFile(path: string, options?: AddFileOptions): Promise<AddReport> {
    return this.#parts.files.add(path, options)
  }

  withdrawFile(path: string): Promise<void> {
    return this.#parts.files.withdraw(path)
  }

  pause(isPaused: boolean): Promise<void> {
    return this.#parts.queue.pause(isPaused)
  }

  async work({ concurrency }: { readonly concurrency: number }): Promise<void> {
    const { queue, files, limits, onError } = this.#parts
    const member = await queue.join(limits)
    const runs = { atOnce: concurrency, take: () => this.#take(member) }
    this.#worker = new Worker({ member, kinds: [runs, files], onError })
  }

  async drain(): Promise<void> {
    await this.#worker?.drain(this.#parts.drainMs)
  }

  /** Takes no more runs and files; what is read goes to other workers. */
  stop(): void {
    this.#worker?.stop()
    this.#parts.files.stop()
  }

  /** Call it once the runs at work were stopped. */
  async close(): Promise<void> {
    await this.#worker?.close()
  }

  async #take(member: QueueMember): ReturnType<KindOfWork['take']> {
    const claimed = await member.claim()
    if (!claimed) return null
    const { choices, ...run } = claimed
    const { runner } = this.#parts
    return async () => void (await runner.work({ ...run, isHeld: true }, { ...choices, check: refuseHopeless }))
  }
}

/** Throws `WorkersLost` for the log of a run that no worker survives. */
export function refuseHopeless(log: readonly Event[]): void {
  const progress = log.findLastIndex(({ type }) => type === 'model.completed' || type === 'tool.completed')
  const lost = log.slice(progress + 1).filter(({ type }) => type === 'run.started')
  const since = Date.parse(lost[0]?.timestamp ?? '')
  if (!isHopeless({ workers: lost.length, forMs: Date.now() - since })) return
  throw new WorkersLost(
    `${lost.length} workers in a row ended while they worked on this run, so that it is given up. Look for the cause in their logs, then ask again.`,
  )
}
