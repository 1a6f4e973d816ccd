import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Redact } from '../../redact.ts'
import { withinTime } from '../within-time.ts'
import { OtlpExporter, type OtlpExporterOptions } from './otlp-exporter.ts'
import { type OtlpBackend, runTracer, type TraceLabels, type Tracing } from './run-tracer.ts'
import { PlannedIds } from './trace-ids.ts'

/** A backend with its own span processor. */
export interface SpanBackend {
  readonly endpoint: Pick<OtlpExporterOptions, 'url' | 'headers' | 'settings' | 'scope'>
  /** Called for spans that do not arrive. */
  readonly onFailure: (message: string) => void
  readonly processor: (exporter: OtlpExporter, batch: number) => SpanProcessor
}

export interface TracingOptions {
  readonly langfuse: SpanBackend | null
  /** An OTLP/HTTP endpoint that gets the same spans. */
  readonly otlp: OtlpBackend | null
  readonly labels?: TraceLabels
  readonly redact: Redact
  readonly onNotice: (message: string) => void
}

/** Of one request. */
const requestTimeoutMs = 5000
/** How long the end of a process waits for traces. */
const flushMs = 2500
/** Spans in one batch. */
const batch = 128

/** One instrumentation for Langfuse and any other OTLP backend: both get the same spans. Nothing is registered globally. */
export function openTracing({ langfuse, otlp, labels = noLabels, redact, onNotice }: TracingOptions): Tracing {
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
  const { environment, release, version } = labels
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({
      'service.name': 'quaero',
      ...(version !== null && { 'service.version': version }),
      ...(environment !== null && { 'deployment.environment.name': environment }),
    }),
    spanProcessors: processors,
  })
  const everywhere = {
    ...(version !== null && { 'langfuse.version': version }),
    ...(environment !== null && { 'langfuse.environment': environment }),
    ...(release !== null && { 'langfuse.release': release }),
  }
  const tracer = runTracer({ tracer: provider.getTracer('quaero', version ?? ''), ids, everywhere })
  const sendAll = async () => {
    await provider.forceFlush()
    // The processors do not wait for batches that are on their way.
    await Promise.all(exporters.map((exporter) => exporter.forceFlush()))
  }
  const flush = () => withinTime(sendAll(), flushMs)
  return {
    tracer,
    flush,
    async close() {
      await flush()
      for (const exporter of exporters) await exporter.shutdown()
      await withinTime(provider.shutdown(), 3000 - flushMs)
    },
  }
}

const noLabels: TraceLabels = { environment: null, release: null, version: null }

/** The address and headers of another backend. */
export function otlpEndpoint({ endpoint, headers }: OtlpBackend) {
  const settings = { access: 'OTEL_EXPORTER_OTLP_HEADERS', address: 'OTEL_EXPORTER_OTLP_ENDPOINT' }
  const base = endpoint.replace(/(?<!\/)\/+$/, '')
  return { url: base.endsWith('/v1/traces') ? base : `${base}/v1/traces`, headers, settings }
}
