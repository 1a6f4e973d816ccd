import type {
  AnswerWithout,
  Audit,
  AuditRequest,
  CellAskerFrom,
  Claims,
  ReportAskerFrom,
  ReportRequest,
  ReportWork,
  TableRequest,
  TableWork,
} from './claims/index.ts'
import type { Tools } from './engine-tools.ts'
import type { EngineStatus, RunStatus, StreamEvent } from './events/index.ts'
import type { Graph } from './graph/index.ts'
import type { Library } from './library/index.ts'
import type {
  Answers,
  ApprovalAnswer,
  AskOptions,
  AttemptChoices,
  FollowOptions,
  Limits,
  Queue,
  RunResult,
  Runs,
  StreamOptions,
  Threads,
  Verification,
} from './runs/index.ts'
import type { StorageReport } from './storage/index.ts'

export type { ApprovalAnswer, AskOptions, AttemptChoices, Limits, StreamOptions }

/** The workflow: ask, stream, continue, watch. Made by `createQuaero`. */
export interface Quaero {
  /** Answers a question. Rejects only before the run exists (bad input, busy thread); later failures are in the result. */
  ask(question: string, options?: AskOptions): Promise<RunResult>
  /** The same run as a stream of events, from `run.created` to the run's ending. */
  stream(question: string, options?: StreamOptions): AsyncIterable<StreamEvent>
  /**
   * A run's events after a position of its log, then those that come, without gap or repeat, until it ends or waits; for
   * any number of readers, whichever process works on it. Deltas come from any process of this machine and user: the
   * first of a message that was begun before is marked `soFar`. Throws `RunNotFound`.
   */
  follow(runId: string, options?: FollowOptions): AsyncIterable<StreamEvent>
  /**
   * Resumes a run that waits for approval or was interrupted. Throws `RunNotFound`, `RunEnded`, `ThreadBusy`,
   * `StaleApproval`, and `InvalidToolInput` for arguments that do not fit the tool: the approval then stays open.
   */
  resume(runId: string, answers?: Answers, options?: AttemptChoices): Promise<RunResult>
  /** The same as a stream, which begins with the attempt's `run.started`; empty while approvals are missing. */
  resumeStream(
    runId: string,
    answers?: Answers,
    options?: AttemptChoices & Pick<StreamOptions, 'onLeave'>,
  ): AsyncIterable<StreamEvent>
  /** Ends a run for good. */
  cancel(runId: string): Promise<void>
  /** The status of the engine itself: how its start went, and whether it takes questions. */
  status(): EngineStatus
  status(runId: string): Promise<RunStatus>
  /** The result of a run again, from its log alone: no model, no tool, no network. Up to the event at `to`, if given. */
  replay(runId: string, to?: number): Promise<RunResult>
  /**
   * What of a run's answer rests on a document, and what is answered where the document is not searched: asked again only if a
   * search had found it, and only once. Throws `UsageError`, `RunNotFound`, `DocumentNotFound`.
   */
  replayWithout(runId: string, documentId: string, options?: AttemptChoices): Promise<AnswerWithout>
  /**
   * A table: questions by documents, each cell an ordinary run that searches one document alone. What was asked before is read
   * from the log. `asker` reads and asks the runs of cells in place of `ask`, as a server does for its users. Throws `UsageError`.
   */
  table(request: TableRequest, asker?: CellAskerFrom): TableWork
  /**
   * A report: an outline, a run for each of its questions, a run for each section that writes from what was found. What was asked
   * or written before is read from the log. Without a language model, a digest of quotes. `asker` makes its runs, as for tables.
   * Throws `UsageError`.
   */
  writeReport(request: ReportRequest, asker?: ReportAskerFrom): ReportWork
  /**
   * Reads a text that others wrote over the documents, sentence by sentence, as the sentences of answers are read again. What was
   * read before is found in the log. Throws `UsageError`, `NoDocuments`.
   */
  audit(request: AuditRequest): Promise<Audit>
  readonly library: Library
  readonly claims: Claims
  readonly threads: Threads
  readonly runs: Runs
  readonly tools: Tools
  /** The runs that wait for workers; null where the storage has no queue. */
  readonly queue: Queue | null
  /** The compiled LangGraph graph; invoked directly, it opens runs of its own. */
  readonly graph: Graph
  /** Calls back when a run of the thread may have begun or gone on, in any process, until `signal` is aborted. */
  watchThread(threadId: string, onNews: () => void, signal: AbortSignal): Promise<void>
  /** Checks every log against its rules, and every thread against its log. Changes nothing. */
  verify(): Promise<Verification>
  /** For `quaero doctor`. */
  report(): Promise<StorageReport>
  /** Throws `StorageUnavailable` while nothing can be stored; stores nothing. */
  checkWrites(): Promise<void>
  /**
   * Takes no more questions, lets running runs stop at a resumable point, flushes the subscribers, each within
   * `shutdown.deadlineSeconds`, then closes everything.
   */
  close(): Promise<void>
}

/** An engine on its way, made by `startQuaero`: questions may be asked at once, and wait until it is ready. */
export interface StartingQuaero extends Pick<Quaero, 'ask' | 'stream' | 'close'> {
  status(): EngineStatus
  /** The engine once it is ready. Rejects with what its start failed of; questions are then refused with `NotReady`. */
  ready(): Promise<Quaero>
}
