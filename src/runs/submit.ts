import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { IdempotencyKeyReused, RunEnded, RunNotFound, ThreadBusy } from '../errors.ts'
import { type Event, type EventStore, event, type StoredEvent } from '../events/index.ts'
import type { RunBeginning, Storage } from '../storage/index.ts'
import type { ApprovalOptions } from './hooks/approval.ts'
import type { RunLimits } from './hooks/limits.ts'
import { liveStatus } from './log/read-log.ts'

/** A question to submit as a run. */
export interface RunRequest {
  /** A new one is made if absent. */
  readonly runId?: string | undefined
  readonly question: string
  readonly threadId: string
  readonly userId?: string
  readonly messageId?: string
  readonly documents: readonly string[] | null
  readonly filter?: string
  readonly unlimited?: true
  readonly limits: RunLimits
  readonly approve: ApprovalOptions['mode']
  readonly form?: string
  readonly passages?: readonly string[]
  readonly plan?: boolean
  readonly traceAttributes?: Readonly<Record<string, string>>
  readonly traceParent?: string
}

/** A run of a graph that was invoked directly brings no limits of its own. */
export type StoredRequest = Omit<RunRequest, 'limits' | 'approve'> & Partial<RunRequest>

interface SubmissionsParts {
  readonly storage: Pick<Storage, 'beginRun'>
  readonly waitWhenBusyMs: number
}

/** Stores new runs; those that wait for the same thread are stored in the order of their requests. */
export class Submissions {
  readonly #parts: SubmissionsParts
  /** The last request for each thread that others wait for. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(parts: SubmissionsParts) {
    this.#parts = parts
  }

  /** Stores a run's first events, and takes its thread. */
  async store(request: StoredRequest): Promise<readonly StoredEvent[]> {
    const { waitWhenBusyMs } = this.#parts
    if (waitWhenBusyMs === 0) return this.#begin(request, 0)
    const deadline = performance.now() + waitWhenBusyMs
    const { threadId } = request
    const begin = () => this.#begin(request, deadline)
    const turn = (this.#last.get(threadId) ?? Promise.resolve()).then(begin, begin)
    this.#last.set(threadId, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(threadId) === turn) this.#last.delete(threadId)
    }
  }

  async #begin(request: StoredRequest, deadline: number): Promise<readonly StoredEvent[]> {
    const { runId, first } = newRun(request)
    for (let pause = 5; ; pause = Math.min(2 * pause, 200)) {
      try {
        const { log } = await this.#parts.storage.beginRun(request.threadId, runId, first)
        return log
      } catch (error) {
        if (!(error instanceof ThreadBusy) || performance.now() >= deadline) throw error
        await wait(pause)
      }
    }
  }
}

/** The id of a new run, and its first events once its turn is known. */
export function newRun({ runId = randomUUID(), threadId, documents, passages, ...asked }: StoredRequest) {
  const first = ({ turn, afterReset }: RunBeginning) => {
    const reset = afterReset && { afterReset }
    const named = { documents: documents && [...documents], ...(passages && { passages: [...passages] }) }
    return firstEvents(runId, { threadId, turn, ...reset, ...named, ...asked })
  }
  return { runId, first }
}

/** The events with which a run's log begins: the question, its thread and its user. */
export function firstEvents(runId: string, created: StoredEvent<'run.created'>['payload']): readonly Event[] {
  const begin = event('run.created', created, { correlationId: runId })
  const origin = { correlationId: runId, causationId: begin.id }
  const message = { messageId: `${runId}-question`, role: 'user', scope: 'thread' } as const
  return [
    begin,
    event('message.created', message, origin),
    event('message.completed', { ...message, text: created.question, superseded: false }, origin),
  ]
}

/**
 * The run id of an idempotency key. It follows from the key alone, so that a repeated request names the same run in any
 * process, and the log refuses to begin it twice. A UUID of version 8 (RFC 9562), made of the key's SHA-256.
 */
export function runIdOf(key: string): string {
  const bytes = createHash('sha256').update(`quaero idempotency key\n${key}`).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * True if the run is in the log, so that the request repeats an earlier one. Throws `IdempotencyKeyReused` if that one
 * had another question or thread.
 */
export async function isRepeated(
  runId: string,
  { question, threadId }: { readonly question: string; readonly threadId: string | undefined },
  events: Pick<EventStore, 'run'>,
): Promise<boolean> {
  const known = await events.run(runId).catch((error: unknown) => {
    if (error instanceof RunNotFound) return null
    throw error
  })
  if (!known) return false
  if (known.question === question && (threadId ?? known.threadId) === known.threadId) return true
  throw new IdempotencyKeyReused(
    `This idempotency key stands for run ${runId}, which asks "${known.question}" on thread "${known.threadId}". Give another question a key of its own.`,
  )
}

/** How long to wait until another process that resumes the run has written its first event. Milliseconds. */
const headStartMs = 20

/**
 * Resumes the run of a repeated request if it was interrupted, unless another process does so. Throws `ThreadBusy` if
 * another run holds the thread, and what `resume` throws.
 */
export async function resumeIfInterrupted(
  runId: string,
  resume: () => Promise<unknown>,
  storage: Storage,
): Promise<void> {
  for (;;) {
    const { threadId, status } = await liveStatus(await storage.events.run(runId), storage)
    if (status.state !== 'interrupted') return
    try {
      await resume()
      return
    } catch (error) {
      if (!(await isResumedElsewhere(error, runId, threadId, storage))) throw error
    }
    await wait(headStartMs)
  }
}

async function isResumedElsewhere(error: unknown, runId: string, threadId: string, { leases }: Storage) {
  if (!(error instanceof ThreadBusy)) return error instanceof RunEnded
  const holder = await leases.holder(threadId)
  return holder === null || holder.runId === runId
}
