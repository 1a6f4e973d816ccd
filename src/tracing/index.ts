// Traces, session logs, the console log.

export { type ConsoleLogOptions, consoleLog } from './console-log.ts'
export { openTracing, type SpanBackend } from './otel/open-tracing.ts'
export type { OtlpBackend, RunLine, TraceLabels, Tracing } from './otel/run-tracer.ts'
export { rootSpanIdOf, traceIdOf, traceParentOf, tracePlaceOf } from './otel/trace-ids.ts'
export { traceSubscriber } from './otel/trace-subscriber.ts'
export { sessionText } from './session-file.ts'
export { sessionFormats, textFormat, yamlFormat } from './session-format.ts'
export { type SessionLogOptions, type SessionLogs, sessionLogs } from './session-logs.ts'
export { unredirected } from './unredirected.ts'
export { withinTime } from './within-time.ts'
