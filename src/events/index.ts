export {
  type AddedMessage,
  type AskedBy,
  type Citation,
  citation,
  type Ending,
  type EventType,
  type InterruptionReason,
  type Payloads,
  type PendingToolCall,
  type SpanKind,
  spanKinds,
  streamedOnly,
  toolCall,
  type Usage,
} from './catalogue.ts'
export { cleanEvent } from './clean-event.ts'
export {
  type EngineState,
  type EngineStatus,
  type EngineStep,
  engineStates,
  engineStatusOf,
  initialEngineStatus,
  reduceEngineStatus,
} from './engine-status.ts'
export { type Event, event, parseEvent, type StoredEvent } from './event.ts'
export { type Evidence, type EvidencePassage, type Observation, observation } from './observation.ts'
export {
  confidenceScore,
  type Delivery,
  type KeptScore,
  keptScore,
  type Score,
  type ScoreSender,
  type ScoreValue,
  score,
} from './score.ts'
export { slices } from './slices.ts'
export {
  type Ask,
  type Context,
  callSignal,
  describeError,
  fact,
  type Hook,
  type Hooks,
  type Next,
  type OneShot,
  type OneShotOptions,
  type Request,
  type Result,
  silentContext,
  span,
} from './span.ts'
export type { Replacement } from './span-types.ts'
export {
  hasEnded,
  initialStatus,
  type RunState,
  type RunStatus,
  reduceStatus,
  runStates,
  stateAfterInterruption,
  statusOf,
} from './status.ts'
export {
  type EventStore,
  memoryEventStore,
  type RunFilter,
  type RunRecord,
  type ThreadRecord,
  threadsOf,
} from './store.ts'
export type { StatusChanged, StreamEvent, Subscriber } from './stream-event.ts'
export { Subscribers } from './subscriber.ts'
export { type ToolResult, toolResult } from './tool-result.ts'
export { endedAt, formatTrace, type TraceEntry, traceOf } from './trace.ts'
export { describeValue } from './validate-hook.ts'
