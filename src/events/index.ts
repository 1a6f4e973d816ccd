export {
  type Citation,
  type Ending,
  type EventType,
  facts,
  type InterruptionReason,
  type Payloads,
  type PendingToolCall,
  payloads,
  type SpanKind,
  spans,
  type Usage,
} from './catalogue.ts'
export { type Event, event, type Origin, parseEvent, type StoredEvent } from './event.ts'
export {
  type Context,
  describeError,
  fact,
  type Hook,
  type Hooks,
  type Next,
  type Request,
  type Result,
  silentContext,
  span,
} from './span.ts'
export {
  hasEnded,
  initialStatus,
  type OpenSpan,
  type RunState,
  type RunStatus,
  reduceStatus,
  statusOf,
} from './status.ts'
export { type EventStore, memoryEventStore, type RunRecord, type ThreadRecord, threadsOf } from './store.ts'
