import { setTimeout as wait } from 'node:timers/promises'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ScoreSender } from '../../events/index.ts'
import type { Redact } from '../../redact.ts'
import { OtlpExporter, type OtlpExporterOptions } from './otlp-exporter.ts'
import { type RunTracer, runTracer } from './run-tracer.ts'
import { PlannedIds } from './trace-ids.ts'

/** A backend with its own span processor, which takes scores too. */
export interface ScoredBackend {
  readonly endpoint: Pick<OtlpExporterOptions, 'url' | 'headers' | 'settings'>
  /** Called for spans and scores that do not arrive. */
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
  /** Attaches scores to traces; null without Langfuse. */
  readonly scores: ScoreSender | null
  /** Sends waiting spans. Resolves within `flushMs`, and never rejects. */
  flush(): Promise<void>
  /** The same, and aborts requests in progress. Flush and close together take at most three seconds. */
  close(): Promise<void>
}

/** Of one request. */
const requestTimeoutMs = 5000
/** How long the end of a process waits for traces. */
const flushMs = 2500
/** Spans in one batch. */
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

/** The address and headers of another backend. */
export function otlpEndpoint({ endpoint, headers }: NonNullable<TracingOptions['otlp']>) {
  const settings = { access: 'OTEL_EXPORTER_OTLP_HEADERS', address: 'OTEL_EXPORTER_OTLP_ENDPOINT' }
  const base = endpoint.replace(/(?<!\/)\/+$/, '')
  return { url: base.endsWith('/v1/traces') ? base : `${base}/v1/traces`, headers, settings }
}

/** Waits for the work at most this long, and ignores its errors: they are reported elsewhere. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController()
  const tooLong = wait(ms, undefined, { signal: over.signal })
  await Promise.race([work, tooLong]).catch(() => {})
  over.abort()
  await tooLong.catch(() => {})
}
