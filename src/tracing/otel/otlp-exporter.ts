import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Attributes } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Redact } from '../../redact.ts'
import { unredirected } from '../unredirected.ts'

export interface OtlpExporterOptions {
  /** Where spans are posted, for instance `https://collector.example/v1/traces`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Redacts every string that is sent. */
  readonly redact: Redact
  /** The settings that errors name. */
  readonly settings: { readonly access: string; readonly address: string }
  /** Called once, for the first batch that did not arrive. */
  readonly onFailure: (message: string) => void
  /** Of one request. */
  readonly timeoutMs: number
  /** The instrumentation that the backend is to see in place of our own. */
  readonly scope?: ReadableSpan['instrumentationScope']
}

/** Larger requests are refused by common gateways, so a batch is sent in parts. Bytes before compression. */
const largestRequestBytes = 900_000
/** Longer strings are cut: one span must fit into a request. */
const longestText = 100_000

/**
 * Posts spans as OTLP over HTTP (JSON, gzip), redacted, in requests below one megabyte. OpenTelemetry's own exporter takes
 * the web page of a login for a success, bounds only the silence of a slow answer, tries again when the process is about to
 * end, and sends the headers of the environment to each backend.
 */
export class OtlpExporter implements SpanExporter {
  readonly #options: OtlpExporterOptions
  readonly #stop = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  #hasFailed = false

  constructor(options: OtlpExporterOptions) {
    this.#options = options
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const sent = this.#send(spans).then(
      () => done({ code: ExportResultCode.SUCCESS }),
      (error: Error) => {
        this.#report(error)
        // The processor would print a failure on the console; it is reported already.
        done({ code: ExportResultCode.SUCCESS })
      },
    )
    this.#sending.add(sent)
    void sent.finally(() => this.#sending.delete(sent))
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#sending)
  }

  async shutdown(): Promise<void> {
    this.#stop.abort()
  }

  async #send(spans: readonly ReadableSpan[]): Promise<void> {
    const { redact, scope } = this.#options
    const clean = spans.map((span) => rewritten(span, (text) => cut(redact(text), longestText), scope))
    for (const body of requestsOf(clean)) await this.#post(body)
  }

  async #post(body: Uint8Array): Promise<void> {
    const { url, headers, timeoutMs } = this.#options
    const response = await unredirected(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      // Little smaller at higher levels, for three times the work.
      body: await promisify(gzip)(body, { level: 1 }),
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]),
    })
    await response.body?.cancel()
    const { host } = new URL(url)
    const { access, address } = this.#options.settings
    const { ok, status } = response
    if (status === 401 || status === 403) throw new Error(`${host} answered ${status}. Check ${access}`)
    if (!ok) throw new Error(`${host} answered ${status}. Check ${address}`)
    if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
      throw new Error(`${host} answered with a web page. Check ${address}`)
    }
  }

  #report(error: Error): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const { url, redact, onFailure, timeoutMs, settings } = this.#options
    const { host } = new URL(url)
    const cause = error.cause instanceof Error ? `${error.cause.message}. Check ${settings.address}` : error.message
    const what = error.name === 'TimeoutError' ? `${host} did not answer within ${timeoutMs / 1000} s` : cause
    onFailure(redact(`Traces do not arrive: ${what}. Answers are not affected.`))
  }
}

/** Requests below the limit: the spans are halved until they fit; the texts of a single large span are cut. */
function requestsOf(spans: readonly ReadableSpan[], longest = longestText): readonly Uint8Array[] {
  const body = JsonTraceSerializer.serializeRequest([...spans])
  if (!body) return []
  if (body.byteLength <= largestRequestBytes) return [body]
  if (spans.length === 1) {
    const shorter = longest / 4
    const shortened = spans.map((span) => rewritten(span, (text) => cut(text, shorter)))
    return requestsOf(shortened, shorter)
  }
  const middle = Math.ceil(spans.length / 2)
  return [...requestsOf(spans.slice(0, middle)), ...requestsOf(spans.slice(middle))]
}

/** The span with other texts. Its class has getters, so it cannot be spread; it has no events, which no backend keeps. */
function rewritten(
  span: ReadableSpan,
  rewrite: (text: string) => string,
  scope = span.instrumentationScope,
): ReadableSpan {
  const { name, attributes, status } = span
  const texts = Object.entries(attributes).map(([key, value]) => {
    if (typeof value === 'string') return [key, rewrite(value)]
    return [key, isTexts(value) ? value.map((each) => rewrite(each)) : value]
  })
  const fields = {
    name: rewrite(name),
    attributes: Object.fromEntries(texts),
    status: { ...status, ...(status.message !== undefined && { message: rewrite(status.message) }) },
    instrumentationScope: scope,
  }
  const properties = Object.entries(fields).map(([key, value]) => [key, { value, enumerable: true }])
  return Object.create(span, Object.fromEntries(properties))
}

function isTexts(value: Attributes[string]): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest)}… (${text.length - longest} characters left out)`
}
