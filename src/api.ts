import type { Citation, Event, RunStatus, ThreadRecord } from './events/index.ts'
import type { Library } from './library/library.ts'
import type { RunResult } from './runs/result.ts'
import type { StorageReport } from './storage/storage.ts'

/** Upper bounds of one run, checked before each next call. Absent or null means the setting in the configuration. */
export interface Limits {
  readonly modelCalls?: number | null
  readonly rounds?: number | null
  readonly toolCalls?: number | null
  /** Input and output tokens together. */
  readonly tokens?: number | null
  readonly costUsd?: number | null
  readonly wallClockMs?: number | null
}

export interface AskOptions {
  /** `[A-Za-z0-9_-]{1,128}`; a new one is made if absent. */
  readonly threadId?: string
  /** The same as `threadId`; given both, they must agree. */
  readonly sessionId?: string
  readonly userId?: string
  /** Stops the run when aborted; the run can be resumed. */
  readonly signal?: AbortSignal
  readonly limits?: Limits
  /** Files or folders to add if they are new or changed; this run, and follow-ups that name none, search no others. */
  readonly documents?: readonly string[]
  /** Asks about tools that the trust level is careful with: run them, refuse them, or wait for an answer. */
  readonly approve?: 'all' | 'none' | 'ask'
}

/** A person's answer to an approval. */
export interface ApprovalAnswer {
  readonly approved: boolean
  /** Why not; the model is told. */
  readonly reason?: string
  /** Arguments to use instead of those the model chose. */
  readonly args?: Readonly<Record<string, unknown>>
}

/** One line of a run's stream: an event of the catalogue, or a derived `status.changed`. */
export type StreamEvent = (Event & { readonly position?: number }) | StatusChanged

export interface StatusChanged {
  readonly id: string
  readonly type: 'status.changed'
  readonly timestamp: string
  readonly correlationId: string
  readonly payload: { readonly from: RunStatus['state']; readonly to: RunStatus['state']; readonly trigger: string }
}

export interface ThreadMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly runId: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly citations?: readonly Citation[]
}

/** A run as `quaero runs list --json` prints it. */
export interface RunSummary {
  readonly runId: string
  readonly threadId: string
  readonly status: RunStatus['state']
  readonly question: string
  readonly startedAt: string | null
  readonly endedAt: string | null
}

/** Conversations. Every method that names a thread throws `ThreadNotFound` or `InvalidId`. */
export interface Threads {
  list(): Promise<readonly ThreadRecord[]>
  exists(threadId: string): Promise<boolean>
  /** The whole transcript, from the log. */
  messages(threadId: string): Promise<readonly ThreadMessage[]>
  /** The graph's state as the last checkpoint holds it. */
  state(threadId: string): Promise<Record<string, unknown>>
  /** Starts afresh under the same id, keeping the log. */
  reset(threadId: string): Promise<void>
  delete(threadId: string): Promise<void>
}

/** What happened. Methods that name a run throw `RunNotFound`. */
export interface Runs {
  list(filter?: { readonly threadId?: string }): Promise<readonly RunSummary[]>
  /** The result of a run that has ended or waits. */
  show(runId: string): Promise<RunResult>
  events(runId: string, afterPosition?: number): AsyncIterable<Event & { readonly position: number }>
  status(runId: string): Promise<RunStatus>
}

/** The workflow: ask, stream, continue, watch. Made by `createQuaero`. */
export interface Quaero {
  /** Answers a question. Rejects only before the run exists (bad input, busy thread); later failures are in the result. */
  ask(question: string, options?: AskOptions): Promise<RunResult>
  /** The same run as a stream of events, from `run.created` to the run's ending. */
  stream(question: string, options?: AskOptions): AsyncIterable<StreamEvent>
  /** Goes on with a run that waits for approval or was interrupted. */
  resume(
    runId: string,
    answers?: Readonly<Record<string, ApprovalAnswer>>,
    options?: Pick<AskOptions, 'signal' | 'limits' | 'approve'>,
  ): Promise<RunResult>
  resumeStream(
    runId: string,
    answers?: Readonly<Record<string, ApprovalAnswer>>,
    options?: Pick<AskOptions, 'signal' | 'limits' | 'approve'>,
  ): AsyncIterable<StreamEvent>
  /** Ends a run for good. */
  cancel(runId: string): Promise<void>
  status(runId: string): Promise<RunStatus>
  readonly library: Library
  readonly threads: Threads
  readonly runs: Runs
  /** For `quaero doctor`. */
  report(): Promise<StorageReport>
  /** Waits for running runs to stop at a resumable point, then closes everything. */
  close(): Promise<void>
}
