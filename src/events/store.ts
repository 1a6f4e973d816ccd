import { z } from 'zod'
import type { Event, StoredEvent } from './event.ts'
import type { RunStatus } from './status.ts'

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
  /** As it was given; else the first question, empty before there is one. */
  readonly title: string
  readonly turns: number
  /** Who made it, or asked its first question; null where nobody was named. */
  readonly userId: string | null
  /** What programs keep with it. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly createdAt: string
  readonly updatedAt: string
}

/** Where runs' events are kept, in order and append-only. */
export interface EventStore {
  /** Adds one event to the end of its run's log, in one transaction. */
  append(event: Event): Promise<StoredEvent>
  /** A run's events after one position and up to another, in order. */
  read(runId: string, afterPosition?: number, upTo?: number): AsyncIterable<StoredEvent>
  /** The whole logs of these runs, in this order, with few of them in memory at once; empty for a run that is not there. */
  logs(runIds: readonly string[]): AsyncIterable<readonly StoredEvent[]>
  /** A run's record; throws `RunNotFound`. */
  run(runId: string): Promise<RunRecord>
  /** Runs, oldest first. */
  runs(filter?: RunFilter): Promise<readonly RunRecord[]>
  /**
   * The newest run of a thread, however many there are before it; null for a new thread. `begun`: the newest of those
   * that have had the thread, which a run has not while it waits in a queue for the first time.
   */
  latestRun(threadId: string, filter?: { readonly begun: true }): Promise<RunRecord | null>
  /** The newest runs of a thread, at most `count`, oldest first; with `beforeTurn`, only runs of earlier turns. */
  recentRuns(threadId: string, count: number, beforeTurn?: number): Promise<readonly RunRecord[]>
  /** The ids of the runs whose answers cite one of these documents, oldest first; no other log is read. */
  citing(documentIds: readonly string[]): Promise<readonly string[]>
  /** The ids of all runs, oldest first. */
  ids(): Promise<readonly string[]>
  /** Changes whenever this process or another may have written. Cheap to read. */
  version(): Promise<number>
}

/** Selects runs; an empty filter selects all. */
export interface RunFilter {
  readonly threadId?: string
  /** Only those that have not ended for good. */
  readonly unfinished?: boolean
  /** Only those of threads whose ids begin so. */
  readonly threadPrefix?: string
  /** At most so many, the newest, before which `offset` newer ones are left out. */
  readonly limit?: number
  readonly offset?: number
}

/** Selects threads; an empty filter selects all. */
export interface ThreadFilter {
  readonly threadId?: string
  readonly userId?: string
  /** Only those whose ids begin so. */
  readonly prefix?: string
  /** Only those whose ids do not begin so. */
  readonly except?: string
  /** Only those that have no run yet. */
  readonly unasked?: true
  /** At most so many, after the first `offset`. */
  readonly limit?: number
  readonly offset?: number
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
  /** The author. */
  userId: z.string().nullable(),
  scoredAt: z.iso.datetime(),
})
export type Score = z.output<typeof score>

/** Delivery of a score to Langfuse; `refused` is not sent again, `local` is that of a copied run without a trace, or of a note. */
export const delivery = z.enum(['waiting', 'delivered', 'refused', 'local'])
export type Delivery = z.output<typeof delivery>

/** Attaches scores to traces. Never rejects; a score that is aborted by `signal` waits. */
export interface ScoreSender {
  /** `traceParent`: of its run, if it has one. */
  send(score: Score, signal?: AbortSignal, traceParent?: string): Promise<Exclude<Delivery, 'local'>>
}

export const keptScore = score.extend({ delivery })
export type KeptScore = z.output<typeof keptScore>

/** The confidence of a run's answer, as a score of its trace. Nobody else may give a score of this name. */
export const confidenceScore = 'confidence_score'
