export { BaseAgent } from './agents/base-agent.ts'
export { type CheckReaderOptions, checkReader } from './agents/check-reader.ts'
export { Clarification } from './agents/clarification.ts'
export { Orchestrator } from './agents/orchestrator.ts'
export { Research } from './agents/research.ts'
export { AgentState, type AgentUpdate, createInitialState } from './agents/state.ts'
export { Synthesis } from './agents/synthesis.ts'
export type {
  ApprovalAnswer,
  AskOptions,
  AttemptChoices,
  Limits,
  Quaero,
  StartingQuaero,
  StreamOptions,
} from './api.ts'
export { copyStore } from './assembly/assemble-storage.ts'
export { type Config, loadConfig, packageRoot, type Settings, type SettingsOverrides } from './config.ts'
export * from './errors.ts'
export {
  type AddedMessage,
  type AnswerSentence,
  type Ask,
  type Calculation,
  type Citation,
  type Context,
  calculation,
  citation,
  type EngineState,
  type EngineStatus,
  type EngineStep,
  type Event,
  type EventStore,
  type EventType,
  engineStates,
  engineStatusOf,
  event,
  formatTrace,
  type Hook,
  type Hooks,
  type KeptScore,
  keptScore,
  type Observation,
  type OneShotOptions,
  observation,
  parseEvent,
  type RunFilter,
  type RunState,
  type RunStatus,
  reduceStatus,
  runStates,
  type ScoreValue,
  type StatusChanged,
  type StoredEvent,
  type StreamEvent,
  type Subscriber,
  span,
  statusOf,
  type ThreadFilter,
  type ThreadRecord,
  type ToolResult,
  type TraceEntry,
  traceOf,
  type Unsupported,
} from './events/index.ts'
export { type Agents, buildGraph, type GraphOptions } from './graph/graph.ts'
export { LangfuseKeyRejected, LangfuseUnavailable } from './langfuse/failure.ts'
export type { ComparedPrompt, NamedPrompt, PushedPrompt } from './langfuse/prompt-sync.ts'
export {
  type ListedPrompt,
  type Prompts,
  type PromptsOptions,
  type PushOptions,
  promptsOf,
} from './langfuse/prompts.ts'
export { type CheckTracingOptions, checkTracing } from './langfuse/traces/check-tracing.ts'
export {
  type DocumentFormat,
  type DocumentMetadata,
  type DocumentRecord,
  hasPages,
  type MetadataChange,
  type PageTable,
  type PageText,
  type Passage,
  type PrintedPage,
  type Provenance,
  type Stretch,
  type TableCell,
  type TableColumn,
  type TableRow,
} from './library/port/document.ts'
export type {
  AddedDocument,
  AddOptions,
  AddProgress,
  AddReport,
  AlsoFound,
  DocumentDetails,
  EmbedOptions,
  EmbedProgress,
  EmbedReport,
  Library,
  LibrarySearchOptions,
  RemovedDocument,
  SearchHit,
  SemanticStatus,
  ShownCell,
  ShownRow,
  ShownTable,
  TablePlace,
} from './library/port/library.ts'
export { type CheckEndpointOptions, checkEndpoint } from './models/endpoint-check/check-endpoint.ts'
export type { EndpointFinding } from './models/endpoint-check/endpoint-finding.ts'
export { type FoundServer, findServers, listModels } from './models/endpoint-check/find-servers.ts'
export type { ChatModel } from './models/port/model.ts'
export { type ScriptedModel, scriptedModel } from './models/scripted.ts'
export { createQuaero, type QuaeroOptions, startQuaero } from './quaero.ts'
export { longestQuestion } from './runs/check-options.ts'
export type { FollowOptions, OnLeave } from './runs/follow/follower.ts'
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
} from './runs/hooks/lifecycle.ts'
export { type SummariseOptions, summarise } from './runs/hooks/summarise.ts'
export { type RunResult, runResult } from './runs/log/result.ts'
export type { Replay, RunSummary, Runs } from './runs/log/run-log.ts'
export type { NewScore } from './runs/log/scores.ts'
export type { NewThread, RebuiltLogs, SessionLogFormat, ThreadMessage, Threads } from './runs/log/threads.ts'
export type { ForkOptions } from './runs/log/transfer.ts'
export type { Discrepancy, Verification } from './runs/log/verify.ts'
export type { Queue } from './runs/queue/queued-runs.ts'
export type { ToolRunOptions, ToolSummary, Tools } from './runs/tools.ts'
export type { CopyOptions, CopyProgress, CopyReport } from './storage/copy/copy-storage.ts'
export type { StorageReport } from './storage/storage.ts'
export { defineTool, type Tool, type ToolContext } from './tools/tool.ts'
export { type ConsoleLogOptions, consoleLog } from './tracing/console-log.ts'
