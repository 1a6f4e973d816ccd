import { z } from 'zod'
import { RunNotFound } from '../errors.ts'
import type { Event, StoredEvent } from './event.ts'
import { hasEnded, initialStatus, type RunStatus, reduceStatus } from './status.ts'

/** A run as the log has it: its thread and its status. */
export interface RunRecord {
  readonly runId: string
  readonly threadId: string
  /** Counts from 1 within the thread. */
  readonly turn: number
  readonly question: string
  readonly status: RunStatus
}

/** A thread as the log has it. */
export interface ThreadRecord {
  readonly threadId: string
  /** The first question. */
  readonly title: string
  readonly turns: number
  /** ISO 8601. */
  readonly createdAt: string
  readonly updatedAt: string
}

/** Where runs' events are kept, in order and append-only. Implemented once per storage. */
export interface EventStore {
  /** Adds one event to the end of its run's log, in one transaction. */
  append(event: Event): Promise<StoredEvent>
  /** A run's events after one position and up to another, in order. */
  read(runId: string, afterPosition?: number, upTo?: number): AsyncIterable<StoredEvent>
  /** A run's record; throws `RunNotFound`. */
  run(runId: string): Promise<RunRecord>
  /** Runs, oldest first. */
  runs(filter?: RunFilter): Promise<readonly RunRecord[]>
  /** The newest run of a thread, however many there are before it; null for a new thread. */
  latestRun(threadId: string): Promise<RunRecord | null>
  /** Threads, latest activity first: in the order in which it was stored, whatever the clock said. */
  threads(): Promise<readonly ThreadRecord[]>
  /** Changes whenever this process or another may have written. Cheap to read. */
  version(): Promise<number>
}

/** Selects runs; an empty filter selects all. */
export interface RunFilter {
  readonly threadId?: string
  /** Only those that have not ended for good. */
  readonly unfinished?: boolean
}

/** Keeps events in this process. For tests and one-off runs. */
export function memoryEventStore(): EventStore {
  const logs = new Map<string, StoredEvent[]>()
  /** Threads, latest activity last. */
  const active = new Set<string>()
  const records = () => [...logs.values()].flatMap(recordOf)
  return {
    async append(event) {
      const log = logs.get(event.correlationId) ?? []
      logs.set(event.correlationId, log)
      const stored = { ...event, position: log.length + 1 }
      log.push(stored)
      for (const { threadId } of recordOf(log)) {
        active.delete(threadId)
        active.add(threadId)
      }
      return stored
    },
    async *read(runId, afterPosition = 0, upTo = Number.POSITIVE_INFINITY) {
      yield* (logs.get(runId) ?? []).slice(afterPosition, upTo)
    },
    async run(runId) {
      const record = records().find((each) => each.runId === runId)
      if (!record) throw new RunNotFound(`There is no run "${runId}"`)
      return record
    },
    async runs({ threadId, unfinished = false } = {}) {
      const isMeant = (each: RunRecord) => threadId === undefined || each.threadId === threadId
      return records().filter((each) => isMeant(each) && !(unfinished && hasEnded(each.status.state)))
    },
    async latestRun(threadId) {
      return records().findLast((each) => each.threadId === threadId) ?? null
    },
    async threads() {
      return threadsOf(records(), [...active].reverse())
    },
    version: async () => 0,
  }
}

/** Groups runs, oldest first, into threads, in the order given. */
export function threadsOf(runs: readonly RunRecord[], threadIds: readonly string[]): ThreadRecord[] {
  const threads = new Map<string, ThreadRecord>()
  for (const { threadId, question, status } of runs) {
    const known = threads.get(threadId)
    const startedAt = status.startedAt ?? ''
    threads.set(threadId, {
      threadId,
      title: known?.title ?? question,
      turns: (known?.turns ?? 0) + 1,
      createdAt: known?.createdAt ?? startedAt,
      updatedAt: status.endedAt ?? startedAt,
    })
  }
  return threadIds.flatMap((id) => threads.get(id) ?? [])
}

function recordOf(log: readonly StoredEvent[]): RunRecord[] {
  const created = log.find((event) => event.type === 'run.created')
  if (!created) return []
  const { threadId, turn, question } = created.payload
  return [{ runId: created.correlationId, threadId, turn, question, status: log.reduce(reduceStatus, initialStatus) }]
}

/** A number, a yes or no, or a category. */
export type ScoreValue = number | boolean | string

/** A judgement on a run. */
export const score = z.strictObject({
  runId: z.string(),
  /** One run has one score of a name: the same name again replaces it. */
  name: z.string(),
  value: z.union([z.number(), z.boolean(), z.string()]),
  comment: z.string().nullable(),
  /** Who says it. */
  userId: z.string().nullable(),
  scoredAt: z.iso.datetime(),
})
export type Score = z.output<typeof score>

/**
 * Delivery of a score to Langfuse: waiting, delivered, refused (not sent again), or local, for a copy of a run, which has
 * no trace.
 */
export const delivery = z.enum(['waiting', 'delivered', 'refused', 'local'])
export type Delivery = z.output<typeof delivery>

/** Attaches scores to traces. Never rejects; a score that is aborted by `signal` waits. */
export interface ScoreSender {
  send(score: Score, signal?: AbortSignal): Promise<Exclude<Delivery, 'local'>>
}

export const keptScore = score.extend({ delivery })
export type KeptScore = z.output<typeof keptScore>

/** The confidence of a run's answer, as a score of its trace. Nobody else may give a score of this name. */
export const confidenceScore = 'confidence_score'
