import type { BaseCheckpointSaver } from '@langchain/langgraph'
import type { Delivery, Event, EventStore, KeptScore, Score, StoredEvent } from '../events/index.ts'
import type { PassageIndex } from '../library/port/passage-index.ts'
import type { PassageVectors } from '../library/port/passage-vectors.ts'

/** A process that works on a thread. */
export interface LeaseHolder {
  /** Where process numbers are unique: a host, on Linux a process namespace of it. */
  readonly system: string
  readonly pid: number
  /** When the process started, in the operating system's own words; empty where it cannot be told. */
  readonly startedAt: string
}

/**
 * One run at a time on a thread, across processes, containers and hosts. A process of the same system holds its leases
 * while it lives; one of another system while it renews them. An event or a checkpoint of a run whose lease was taken
 * over is refused with `LeaseLost`.
 */
export interface Leases {
  /** Who holds the thread; of another system's process that was not watched yet, its expiry decides. */
  holder(threadId: string): Promise<{ readonly runId: string; readonly holder: LeaseHolder } | null>
  /**
   * Gives the thread to a run that goes on; throws `ThreadBusy`. A lease of another system that seems to have expired is
   * watched for its whole duration first, since clocks differ.
   */
  acquire(threadId: string, runId: string): Promise<void>
  /** Ends the run's hold; harmless if it has none. */
  release(threadId: string, runId: string): Promise<void>
}

/** What people say of runs. It goes when its run does. */
export interface Scores {
  /** Keeps a score in place of the one of the same run and name, if there is one. The run must be in the log. */
  put(score: KeptScore): Promise<void>
  /** Those of a run, in the order in which their names first came up. */
  of(runId: string): Promise<readonly KeptScore[]>
  /** The oldest that still have to be sent, so many at most. */
  waiting(most: number): Promise<readonly KeptScore[]>
  /** Notes what became of a score; false where another has taken its place. */
  settle(score: Score, delivery: Delivery): Promise<boolean>
}

/** Findings of a health check, for `quaero doctor`. */
export interface StorageReport {
  readonly path: string
  readonly bytes: number
  readonly schemaVersion: number
  readonly integrity: string
  readonly rows: Readonly<Record<string, number>>
}

/** Where in its thread a run begins. */
export interface RunBeginning {
  /** Counts from 1 within the thread. */
  readonly turn: number
  /** The thread has earlier turns, but nothing of its conversation is kept: it was reset. */
  readonly afterReset: boolean
}

export interface BegunRun extends RunBeginning {
  /** Its first events, as they were stored. */
  readonly log: readonly StoredEvent[]
}

/**
 * Everything that is kept between runs, behind one door. Events and checkpoints that are handed over in one turn of the
 * event loop are stored in one transaction: the end of a call in the log, and its result.
 */
export interface Storage {
  readonly checkpointer: BaseCheckpointSaver
  readonly events: EventStore
  readonly passages: PassageIndex
  readonly vectors: PassageVectors
  readonly leases: Leases
  readonly scores: Scores
  /**
   * Takes the thread's lease and stores the run's first events (`run.created` and the question) in one
   * transaction that is on disk before this returns. Throws `ThreadBusy`, or `AlreadyExists` for a run that is in the
   * log, and then nothing is stored. The checkpoints of an unfinished run before it are set aside, under that run's id
   * as their thread, so that it can still go on from them.
   */
  beginRun(threadId: string, runId: string, events: (begun: RunBeginning) => readonly Event[]): Promise<BegunRun>
  /**
   * Stores whole runs of other threads or databases, and what was said of them, all or none. Throws `AlreadyExists` for
   * a run that is here, or a turn that its thread has.
   */
  importRuns(runs: readonly (readonly Event[])[], scores?: readonly KeptScore[]): Promise<void>
  /** Removes what was set aside of a run. */
  dropParked(runId: string): Promise<void>
  /** Removes a finished thread's older checkpoints, keeping the last. */
  pruneThread(threadId: string): Promise<void>
  /** Removes a thread's checkpoints, so that the next question starts afresh; the log stays. */
  resetThread(threadId: string): Promise<void>
  /** Removes a thread with its runs, events and checkpoints. */
  deleteThread(threadId: string): Promise<void>
  report(): Promise<StorageReport>
  close(): Promise<void>
}
