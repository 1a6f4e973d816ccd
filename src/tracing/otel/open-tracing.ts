import { LangfuseSpanProcessor } from '@langfuse/otel'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Redact } from '../../redact.ts'
import type { LangfuseAccess } from '../langfuse/access.ts'
import { LangfuseApi } from '../langfuse/api.ts'
import { LangfuseScores } from '../langfuse/scores.ts'
import { silenceLangfuse } from '../langfuse/silence.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import { type RunTracer, runTracer } from './run-tracer.ts'
import { PlannedIds } from './trace-ids.ts'

export interface TracingOptions {
  readonly langfuse: LangfuseAccess | null
  /** An OTLP/HTTP endpoint that gets the same spans. */
  readonly otlp: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> } | null
  readonly redact: Redact
  readonly onNotice: (message: string) => void
}

export interface Tracing {
  readonly tell: RunTracer
  /** Attaches scores to traces; null without Langfuse, which alone has them. */
  readonly scores: LangfuseScores | null
  /** Sends what is waiting. Resolves within `flushMs`, and never rejects. */
  flush(): Promise<void>
  /** The same, and ends whatever is still under way. Flush and close together take at most three seconds. */
  close(): Promise<void>
}

/** So long one request may take. */
const requestTimeoutMs = 5000
/** So long a score may take: who gives one waits for it. */
const scoreTimeoutMs = 2500
/** So long the end of a process waits for traces to arrive. */
const flushMs = 2500
/** Spans in one batch; they are sent in parts if they are large. */
const batch = 128

/** One instrumentation for Langfuse and any other OTLP backend: both get the same spans. Nothing is registered globally. */
export function openTracing({ langfuse, otlp, redact, onNotice }: TracingOptions): Tracing {
  const common = { redact, onFailure: onNotice, timeoutMs: requestTimeoutMs }
  const processors: SpanProcessor[] = []
  const exporters: OtlpExporter[] = []
  let scores: LangfuseScores | null = null
  if (langfuse) {
    silenceLangfuse()
    // A backend that takes neither traces nor scores is told of once.
    const onFailure = once(onNotice)
    const exporter = new OtlpExporter({ ...common, ...langfuseEndpoint(langfuse), onFailure })
    scores = new LangfuseScores(new LangfuseApi(langfuse, { redact, timeoutMs: scoreTimeoutMs }), onFailure)
    exporters.push(exporter)
    processors.push(
      new LangfuseSpanProcessor({
        ...langfuse,
        exporter,
        flushAt: batch,
        mediaUploadEnabled: false,
        shouldExportSpan: () => true,
      }),
    )
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
  const tell = runTracer({ tracer: provider.getTracer('quaero'), ids })
  const flush = () => withinTime(provider.forceFlush(), flushMs)
  return {
    tell,
    scores,
    flush,
    async close() {
      await flush()
      for (const exporter of exporters) await exporter.shutdown()
      await withinTime(provider.shutdown(), 3000 - flushMs)
    },
  }
}

/** Where Langfuse takes spans, and with which headers. */
export function langfuseEndpoint({ publicKey, secretKey, baseUrl }: LangfuseAccess) {
  const credentials = Buffer.from(`${publicKey}:${secretKey}`).toString('base64')
  return {
    url: `${withoutSlash(baseUrl)}/api/public/otel/v1/traces`,
    settings: { access: 'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY', address: 'LANGFUSE_BASE_URL' },
    headers: {
      authorization: `Basic ${credentials}`,
      'x-langfuse-public-key': publicKey,
      'x-langfuse-sdk-name': 'quaero',
      'x-langfuse-ingestion-version': '4',
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

function once(tell: (message: string) => void): (message: string) => void {
  let isTold = false
  return (message) => {
    if (!isTold) tell(message)
    isTold = true
  }
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
