import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ScoreSender } from '../../events/index.ts'
import type { Redact } from '../../redact.ts'
import { OtlpExporter, type OtlpExporterOptions } from './otlp-exporter.ts'
import { type RunTracer, runTracer } from './run-tracer.ts'
import { PlannedIds } from './trace-ids.ts'

/** A backend that has a processor of its own for spans, and takes scores. */
export interface ScoredBackend {
  readonly endpoint: Pick<OtlpExporterOptions, 'url' | 'headers' | 'settings'>
  /** Told of spans and scores that do not arrive. */
  readonly onFailure: (message: string) => void
  readonly processor: (exporter: OtlpExporter, batch: number) => SpanProcessor
  readonly scores: ScoreSender
}

export interface TracingOptions {
  readonly langfuse: ScoredBackend | null
  /** An OTLP/HTTP endpoint that gets the same spans. */
  readonly otlp: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> } | null
  readonly redact: Redact
  readonly onNotice: (message: string) => void
}

export interface Tracing {
  readonly tracer: RunTracer
  /** Attaches scores to traces; null without Langfuse, which alone has them. */
  readonly scores: ScoreSender | null
  /** Sends what is waiting. Resolves within `flushMs`, and never rejects. */
  flush(): Promise<void>
  /** The same, and ends whatever is still under way. Flush and close together take at most three seconds. */
  close(): Promise<void>
}

/** So long one request may take. */
const requestTimeoutMs = 5000
/** So long the end of a process waits for traces to arrive. */
const flushMs = 2500
/** Spans in one batch; they are sent in parts if they are large. */
const batch = 128

/** One instrumentation for Langfuse and any other OTLP backend: both get the same spans. Nothing is registered globally. */
export function openTracing({ langfuse, otlp, redact, onNotice }: TracingOptions): Tracing {
  const common = { redact, onFailure: onNotice, timeoutMs: requestTimeoutMs }
  const processors: SpanProcessor[] = []
  const exporters: OtlpExporter[] = []
  if (langfuse) {
    const { endpoint, onFailure, processor } = langfuse
    const exporter = new OtlpExporter({ ...common, ...endpoint, onFailure })
    exporters.push(exporter)
    processors.push(processor(exporter, batch))
  }
  if (otlp) {
    const exporter = new OtlpExporter({ ...common, ...otlpEndpoint(otlp) })
    exporters.push(exporter)
    processors.push(new BatchSpanProcessor(exporter, { maxExportBatchSize: batch }))
  }
  const ids = new PlannedIds()
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': 'quaero' }),
    spanProcessors: processors,
  })
  const tracer = runTracer({ tracer: provider.getTracer('quaero'), ids })
  const flush = () => withinTime(provider.forceFlush(), flushMs)
  return {
    tracer,
    scores: langfuse?.scores ?? null,
    flush,
    async close() {
      await flush()
      for (const exporter of exporters) await exporter.shutdown()
      await withinTime(provider.shutdown(), 3000 - flushMs)
    },
  }
}

/** Where another backend takes spans, and with which headers. */
export function otlpEndpoint({ endpoint, headers }: NonNullable<TracingOptions['otlp']>) {
  const settings = { access: 'OTEL_EXPORTER_OTLP_HEADERS', address: 'OTEL_EXPORTER_OTLP_ENDPOINT' }
  return { url: tracesUrl(endpoint), headers, settings }
}

/** The base endpoint of OTLP, with the path that traces are posted to. */
function tracesUrl(endpoint: string): string {
  const base = withoutSlash(endpoint)
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`
}

function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '')
}

/** Waits for the work, but not for ever, and does not mind how it ends: whoever failed has said so. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), tooLong])
  clearTimeout(timer)
}
