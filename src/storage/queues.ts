import type { Event, Payloads, StoredEvent } from '../events/index.ts'
import type { AddedDocument, OpenedFile } from '../library/index.ts'
import type { RunBeginning } from './storage.ts'

/** What the next attempt at a queued run is given; what is absent is that of the run. */
export interface QueuedChoices {
  readonly limits?: Partial<NonNullable<Payloads['run.created']['limits']>>
  readonly approve?: 'all' | 'none' | 'ask'
}

/** Bounds over all workers of a queue; null is none. */
export interface QueueLimits {
  /** Runs at work at the same time. */
  readonly runs: number | null
  readonly runsPerUser: number | null
  /** Runs, resumed ones among them, that workers take within 60 seconds. */
  readonly runsPerMinute: number | null
  readonly runsPerMinutePerUser: number | null
}

/** A run that a worker has taken from the queue, whose thread it holds until the lease is released. */
export interface ClaimedRun {
  readonly runId: string
  readonly threadId: string
  readonly choices: QueuedChoices
}

export interface QueueFigures {
  readonly isPaused: boolean
  /** Runs that wait for a worker. */
  readonly waiting: number
  /** Runs that workers work on. */
  readonly working: number
  /** How long the oldest one that waits has waited. Seconds; null if none waits. */
  readonly oldestSeconds: number | null
  /** Runs that have not ended and are not in the queue, by status; `interrupted` as soon as a lease has expired. */
  readonly outside: Readonly<Record<'running' | 'requires_action' | 'interrupted', number>>
  /** Workers that are connected: without one, runs and files wait. */
  readonly workers: number
  /** Files on their way into the library: those that wait for a worker, and those that workers read. */
  readonly files: { readonly waiting: number; readonly working: number }
}

/**
 * Runs that workers of this process or others take. Those of one thread are worked on one after the other, in the order
 * of turns; users take turns. A run leaves the queue in the transaction of the event that ends it, or with which it waits
 * for approvals; if its worker releases the thread's lease before, or dies, it is offered to the others again.
 */
export interface RunQueue {
  /**
   * Stores a new run's first events and puts it into the queue, in one transaction that is on disk before this returns.
   * The thread's lease is not taken. Throws `AlreadyExists` for a run that is in the log, and `TooManyWaiting` where so many
   * runs of its user wait already; null is any number.
   */
  submit(
    threadId: string,
    runId: string,
    events: (begun: RunBeginning) => readonly Event[],
    waitingPerUser?: number | null,
  ): Promise<void>
  /**
   * Appends events to a run that waits or was interrupted, and puts it into the queue unless approvals are still missing,
   * in one transaction. False if they are. Nobody else changes the run while `events` looks at its log; what that throws
   * is thrown, and nothing is stored.
   */
  resubmit(
    runId: string,
    events: (log: readonly StoredEvent[]) => readonly Event[],
    choices: QueuedChoices,
  ): Promise<boolean>
  /** True while a run waits for a worker, or one works on it. */
  has(runId: string): Promise<boolean>
  /** Of which of these runs that is true. */
  queuedOf(runIds: readonly string[]): Promise<Iterable<string>>
  figures(): Promise<QueueFigures>
  /** Workers take no more runs and files until this is undone; what they work on is finished. */
  pause(isPaused: boolean): Promise<void>
  /** Takes part as a worker, whose runs and files are offered to the others once it is gone or does not answer for some seconds. */
  join(limits: QueueLimits): Promise<QueueMember>
}

/** A worker's part of the queue. */
export interface QueueMember {
  /** Takes a run, and its thread's lease. Null if none can be worked on now. */
  claim(): Promise<ClaimedRun | null>
  /** Offers the runs and files of workers that are gone to the others. */
  recover(): Promise<void>
  /** Resolves once there may be a run or a file to claim, after a second at the latest, or when `signal` is aborted. */
  changed(signal: AbortSignal): Promise<void>
  /** Call it once all claimed runs and files are released. */
  leave(): Promise<void>
}

/** How far a file is. */
export interface QueuedFile {
  readonly state: 'waiting' | 'reading' | 'ended'
  /** What the worker that reads it has stored so far. */
  readonly pages: number
  readonly passages: number
  /** What became of it; null until it has ended. */
  readonly document: AddedDocument | null
}

/** A file that a worker has taken. */
export interface ClaimedFile {
  readonly source: string
  /** Workers that ended while they read it, since one got further with it than all before, and for how long now. */
  readonly lost: { readonly workers: number; readonly forMs: number }
  /** How often a worker could not read it for another reason than the file, and lived. */
  readonly failures: number
  open(): Promise<OpenedFile>
  /** Tells how much of it is stored. Throws `LeaseLost` once others may have taken it. */
  progress(done: Pick<QueuedFile, 'pages' | 'passages'>): Promise<void>
  /** Offers it to the workers again; `hasFailed` counts among the failures. */
  release(options: { readonly hasFailed: boolean }): Promise<void>
  /** Ends it, and removes its bytes. What others have taken meanwhile is left to them, as with `release`. */
  end(document: AddedDocument): Promise<void>
}

/**
 * Files that workers of this process or others read into the library, users in turns. One whose worker dies, or does not
 * answer for some seconds, is offered to the others again (`QueueMember.recover`).
 */
export interface FileQueue {
  /**
   * Stores a file with its bytes, in one transaction that is on disk before this returns its id. A file from the same
   * source that has not ended yet is the same one.
   */
  submit(file: OpenedFile, userId: string | null): Promise<string>
  /** Ends the file from this source, if there is one that has not ended: it is not added, and who reads it stores nothing. */
  withdraw(source: string, document: AddedDocument): Promise<void>
  /** null some time after it has ended. */
  find(fileId: string): Promise<QueuedFile | null>
  /** Calls `wake` when the file has ended, until what is returned is called. Now and then look all the same. */
  watch(fileId: string, wake: () => void): () => void
  /** Takes the next file for this process, which is a member of the queue and reads no other; null if none can be taken. */
  claim(): Promise<ClaimedFile | null>
}
