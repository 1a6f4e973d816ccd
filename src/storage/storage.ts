import type { BaseCheckpointSaver } from '@langchain/langgraph'
import type {
  Delivery,
  Event,
  EventStore,
  KeptScore,
  Score,
  StoredEvent,
  ThreadFilter,
  ThreadRecord,
} from '../events/index.ts'
import type { PassageIndex, PassageVectors } from '../library/index.ts'
import type { Mailbox } from './mailbox.ts'
import type { FileQueue, RunQueue } from './queues.ts'
import type { Channel, SignalSource } from './run-signals.ts'

/** A process that works on a thread. */
export interface LeaseHolder {
  /** Where process numbers are unique: a host, on Linux a process namespace of it. */
  readonly system: string
  readonly pid: number
  /** When the process started, as the operating system writes it; empty if unknown. */
  readonly startedAt: string
}

/**
 * One run at a time on a thread, across processes, containers and hosts. A process of the same system holds its leases
 * while it lives; one of another system while it renews them. Writes of a run that lost its lease throw `LeaseLost`.
 */
export interface Leases {
  /** Who holds the thread; the expiry decides for another system's process that was not watched yet. */
  holder(threadId: string): Promise<{ readonly runId: string; readonly holder: LeaseHolder } | null>
  /** Which of these runs a process works on now. */
  heldOf(runIds: readonly string[]): Promise<Iterable<string>>
  /**
   * Gives the thread to a run that continues; throws `ThreadBusy`. A lease of another system that seems to have expired
   * is watched for its whole duration first, since clocks differ.
   */
  acquire(threadId: string, runId: string): Promise<void>
  /** Ends the run's lease, if it has one. */
  release(threadId: string, runId: string): Promise<void>
}

/** What may be stated of a thread. */
export interface ThreadChange {
  /** null: its first question. */
  readonly title?: string | null
  /** Takes the place of what was kept before. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Threads: those that were asked, and those that were made to be asked later. */
export interface ThreadStore {
  /** Latest activity first, in the order of storage, not of the clock. */
  list(filter?: ThreadFilter): Promise<readonly ThreadRecord[]>
  /** The ids of all threads, oldest first; behind them those that have no run. */
  ids(): Promise<readonly string[]>
  /** Of each of these threads a mark that changes when a run of it begins, waits, goes on or ends. */
  marks(threadIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Makes a thread without a run. Throws `AlreadyExists`. */
  create(threadId: string, stated: ThreadChange & { readonly userId: string | null }): Promise<void>
  /** Changes what is stated of a thread that is there. */
  change(threadId: string, change: ThreadChange): Promise<void>
}

/** What people say of runs: scores and notes. Removed with the run. */
export interface Scores {
  /** Stores a score, or replaces the one of the same run and name. The run must be in the log. */
  put(score: KeptScore): Promise<void>
  /** Removes the one of this name, if there is one. */
  remove(runId: string, name: string): Promise<void>
  /** Those of a run, in the order in which their names first came up. */
  of(runId: string): Promise<readonly KeptScore[]>
  /** The oldest that must still be sent. */
  waiting(most: number): Promise<readonly KeptScore[]>
  /** Stores a score's delivery; false if another has replaced it. */
  settle(score: Score, delivery: Delivery): Promise<boolean>
}

/**
 * Signals of runs for followers in other processes, with the deltas that no log has. Nothing depends on them: what does not
 * come, or comes too late, is read in the log.
 */
export interface LiveRuns {
  /** Offers a run that this process works on, until the function that is returned is called. Never throws. */
  offer(runId: string, source: SignalSource): () => void
  /** Passes the signals of a run that another process works on into the mailbox, as far as they come. Never throws. */
  join(runId: string, mailbox: Mailbox): Channel
  /**
   * Calls `wake` when there may be news of the run that another process stored: it begins, is released, or shall be
   * cancelled. Now and then the log must be read all the same. Absent where only the log tells.
   */
  watch?(runId: string, wake: () => void): () => void
  /** The same when a run of the thread is stored, or put into the queue again. */
  watchThread?(threadId: string, wake: () => void): () => void
}

/** Findings of a health check, for `quaero doctor`. */
export interface StorageReport {
  readonly path: string
  readonly bytes: number
  readonly schemaVersion: number
  readonly integrity: string
  readonly rows: Readonly<Record<string, number>>
  /** Pages whose text has changed since it was stored; absent where the storage does not check it. */
  readonly damagedPages?: readonly { readonly documentId: string; readonly page: number }[]
}

/** The tables whose rows a report counts. */
export const countedTables = [
  'runs',
  'events',
  'checkpoints',
  'writes',
  'leases',
  'documents',
  'sources',
  'pages',
  'passages',
  'scores',
] as const

/** Where in its thread a run begins. */
export interface RunBeginning {
  /** Counts from 1 within the thread. */
  readonly turn: number
  /** The thread was reset after its last turn. */
  readonly afterReset: boolean
}

export interface BegunRun extends RunBeginning {
  /** Its first events, as they were stored. */
  readonly log: readonly StoredEvent[]
}

/**
 * All stored data. Events and checkpoints of one turn of the event loop are stored in one transaction: the end of a call
 * in the log, and its result.
 */
export interface Storage {
  readonly checkpointer: BaseCheckpointSaver
  readonly events: EventStore
  readonly library: PassageIndex
  readonly vectors: PassageVectors
  readonly leases: Leases
  readonly scores: Scores
  readonly threads: ThreadStore
  /** Absent where runs reach other processes by the log alone. */
  readonly live?: LiveRuns
  /** Absent where each process works on what it is asked itself. */
  readonly queue?: RunQueue
  /** Absent where each process reads the files that it is given itself. */
  readonly files?: FileQueue
  /**
   * Of each of these runs a mark that changes when another process stores an event of it, takes care of it, or is gone.
   * Followers compare it; it says nothing else.
   */
  marks(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Takes the thread's lease and stores the run's first events (`run.created` and the question) in one transaction that
   * is on disk before this returns. Throws `ThreadBusy`, also while runs of the thread are queued, or `AlreadyExists` for
   * a run that is in the log. The checkpoints of an unfinished run before it are parked, with that run's id as their thread, so that it can resume.
   */
  beginRun(threadId: string, runId: string, events: (begun: RunBeginning) => readonly Event[]): Promise<BegunRun>
  /**
   * Stores whole runs of other threads or databases, and what was said of them, all or none. Throws `AlreadyExists` for
   * a run that is here, or a turn that its thread has.
   */
  importRuns(runs: readonly (readonly Event[])[], scores?: readonly KeptScore[]): Promise<void>
  /** Removes the parked checkpoints of a run. */
  dropParked(runId: string): Promise<void>
  /** Removes a finished thread's older checkpoints, keeping the last. */
  pruneThread(threadId: string): Promise<void>
  /** Removes a thread's checkpoints, so that the next question starts a new conversation; the log stays. */
  resetThread(threadId: string): Promise<void>
  /** Removes a thread with its runs, events and checkpoints. */
  deleteThread(threadId: string): Promise<void>
  /** Writes what changes nothing. Throws `StorageUnavailable` while nothing can be written. */
  checkWrites(): Promise<void>
  report(): Promise<StorageReport>
  close(): Promise<void>
}
