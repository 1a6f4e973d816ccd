export {
  type AddedMessage,
  type Citation,
  citation,
  type Ending,
  type EventType,
  type InterruptionReason,
  type Payloads,
  type PendingToolCall,
  spanKinds,
  type Usage,
  usage,
} from './catalogue.ts'
export { type Event, event, parseEvent, type StoredEvent } from './event.ts'
export {
  type Context,
  callSignal,
  describeError,
  fact,
  type Hook,
  type Hooks,
  type Request,
  type Result,
  silentContext,
  span,
} from './span.ts'
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
export { type TraceEntry, traceOf } from './trace.ts'
