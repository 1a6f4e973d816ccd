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
export {
  type Ask,
  type Context,
  callSignal,
  type Hook,
  type Hooks,
  type Next,
  type OneShot,
  type OneShotOptions,
  type Replacement,
  type Request,
  type Result,
  silentContext,
} from './context.ts'
export {
  type EngineState,
  type EngineStatus,
  type EngineStep,
  engineStates,
  engineStatusOf,
  initialEngineStatus,
  reduceEngineStatus,
} from './engine-status.ts'
export { cleanEvent, type Event, event, parseEvent, type StoredEvent } from './event.ts'
export {
  type Evidence,
  type EvidencePassage,
  type Observation,
  observation,
  type ToolResult,
  toolResult,
} from './observation.ts'
export { describeError, describeValue, fact, span, unnamed } from './span.ts'
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
export { slices } from './stopping.ts'
export {
  confidenceScore,
  type Delivery,
  type EventStore,
  type KeptScore,
  keptScore,
  memoryEventStore,
  type RunFilter,
  type RunRecord,
  type Score,
  type ScoreSender,
  type ScoreValue,
  score,
  type ThreadRecord,
  threadsOf,
} from './store.ts'
export { type StatusChanged, type StreamEvent, type Subscriber, Subscribers } from './subscriber.ts'
export { endedAt, formatTrace, type TraceEntry, traceOf } from './trace.ts'
