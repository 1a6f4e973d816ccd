// Runs: submitting, working, following; their hooks, log and queue.

export {
  type AskOptions,
  type AttemptChoices,
  checkAskOptions,
  checkQuestion,
  checkResume,
  checkStreamOptions,
  checkToolOptions,
  givenLimits,
  type Limits,
  limitsFrom,
  longestQuestion,
  type StreamOptions,
  type Traced,
} from './check-options.ts'
export type { RunReader } from './follow/feed.ts'
export { Follower, type FollowOptions, type OnLeave } from './follow/follower.ts'
export { type Answers, type ApprovalAnswer, type ApprovalRules, checkAnswers } from './hooks/approval.ts'
export { type HookCallsOptions, hookCalls } from './hooks/hook-calls.ts'
export type {
  Completion,
  Failure,
  HookContext,
  Lifecycle,
  ModelReply,
  Moment,
  Plugin,
  ToolDecision,
  ToolExecution,
} from './hooks/lifecycle.ts'
export { requirePrice } from './hooks/limits.ts'
export { hooksOf, pluginsFrom, tellReady, tellShutdown, unlessOverdue } from './hooks/plugins.ts'
export { rehearsal } from './hooks/rehearsal.ts'
export { retry } from './hooks/retry.ts'
export { type SummariseOptions, summarise } from './hooks/summarise.ts'
export type { Note } from './log/note.ts'
export { creationOf, logOf, logsOf, newestLogs, type TransferParts, traceUrlOf } from './log/read-log.ts'
export { limitedToIn, type RunResult, resultOf, runResult } from './log/result.ts'
export { type Replay, type RunSummary, type Runs, runsIn } from './log/run-log.ts'
export { type NewScore, RunScores } from './log/scores.ts'
export {
  cellThreads,
  type NewThread,
  type RebuiltLogs,
  type SessionLogFormat,
  type ThreadMessage,
  type Threads,
  threadIdFrom,
  threadsIn,
} from './log/threads.ts'
export type { ForkOptions } from './log/transfer.ts'
export { type Discrepancy, type Verification, verifyAll } from './log/verify.ts'
export { directInvocation } from './plain-invocation.ts'
export { type AddOpenedFile, QueuedFiles } from './queue/queued-files.ts'
export { type Queue, type QueuedAgain, QueuedRuns } from './queue/queued-runs.ts'
export { type GroupRuns, type ReadRun, type RunGroup, runGroups, runReader, usageOf } from './run-group.ts'
export { Runner } from './runner.ts'
export { isRepeated, resumeIfInterrupted, runIdOf } from './submit.ts'
