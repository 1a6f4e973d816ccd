import { type Attributes, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { PlannedIds } from '../tracing/otel/trace-ids.ts'

/** A span that marks its trace as an item of an experiment. */
export interface ItemSpan {
  readonly traceId: string
  readonly spanId: string
  /** null if the trace has no other span. */
  readonly parentSpanId: string | null
  readonly threadId: string | null
  readonly startedAt: Date
  readonly endedAt: Date
  readonly input: string
  readonly output: string
  readonly error: string | null
  /** Attributes below `langfuse.`. */
  readonly experiment: Readonly<Record<`experiment.${string}`, string>>
}

/** Exports the spans in one batch. */
export async function sendItemSpans(items: readonly ItemSpan[], exporter: SpanExporter): Promise<void> {
  const spans: ReadableSpan[] = []
  const ids = new PlannedIds()
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': 'quaero' }),
    spanProcessors: [
      {
        onStart: () => {},
        onEnd: (span) => void spans.push(span),
        forceFlush: async () => {},
        shutdown: async () => {},
      },
    ],
  })
  const tracer = provider.getTracer('quaero')
  for (const item of items) {
    const { traceId, spanId, parentSpanId, startedAt, endedAt, error } = item
    ids.plan(traceId, spanId)
    const parent = parentSpanId && { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED }
    const span = tracer.startSpan(
      'experiment-item-run',
      { startTime: startedAt, attributes: attributesOf(item) },
      parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
    )
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    span.end(endedAt)
  }
  await new Promise<void>((resolve, reject) => {
    exporter.export(spans, ({ code, error }) => (code === ExportResultCode.SUCCESS ? resolve() : reject(error)))
  })
}

function attributesOf({ input, output, error, threadId, experiment }: ItemSpan): Attributes {
  const named = Object.entries(experiment).map(([name, value]) => [`langfuse.${name}`, value])
  return {
    'langfuse.trace.name': 'quaero',
    ...(threadId !== null && { 'session.id': threadId }),
    'langfuse.observation.type': 'span',
    'langfuse.observation.input': input,
    'langfuse.observation.output': output,
    ...(error !== null && { 'langfuse.observation.level': 'ERROR', 'langfuse.observation.status_message': error }),
    ...Object.fromEntries(named),
  }
}
