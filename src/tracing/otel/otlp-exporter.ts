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
  /** Every string that leaves goes through it. */
  readonly redact: Redact
  /** What to look at where the backend does not take them. */
  readonly settings: { readonly access: string; readonly address: string }
  /** Told once, of the first batch that did not arrive. */
  readonly onFailure: (message: string) => void
  /** How long one request may take. Milliseconds. */
  readonly timeoutMs: number
}

/** Larger requests are refused by common gateways, so a batch is sent in parts. Bytes before compression. */
const largestRequestBytes = 900_000
/** Longer strings are cut: one span must fit into a request. */
const longestText = 100_000

/**
 * Posts spans as OTLP over HTTP (JSON, gzip), redacted, in requests below one megabyte. OpenTelemetry's own exporter
 * would lend each backend the headers that the environment holds for another, and cannot be cut short when the process
 * wants to end.
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
        // A failure that is handed on is told to the console by the processor; it has been told of here.
        done({ code: ExportResultCode.SUCCESS })
      },
    )
    this.#sending.add(sent)
    void sent.finally(() => this.#sending.delete(sent))
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#sending)
  }

  /** Ends requests that are still under way. */
  async shutdown(): Promise<void> {
    this.#stop.abort()
  }

  async #send(spans: readonly ReadableSpan[]): Promise<void> {
    const clean = spans.map((span) => redactedSpan(span, this.#options.redact))
    for (const body of requestsOf(clean)) await this.#post(body)
  }

  async #post(body: Uint8Array): Promise<void> {
    const { url, headers, timeoutMs } = this.#options
    const response = await unredirected(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: await promisify(gzip)(body),
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

/** Requests that each stay below the limit: halves, until they do; a single span with its longest texts cut shorter. */
function requestsOf(spans: readonly ReadableSpan[], longest = longestText): readonly Uint8Array[] {
  if (spans.length === 0) return []
  const body = JsonTraceSerializer.serializeRequest([...spans])
  if (!body) return []
  if (body.byteLength <= largestRequestBytes) return [body]
  if (spans.length === 1)
    return requestsOf(
      spans.map((span) => rewritten(span, (text) => cut(text, longest / 4))),
      longest / 4,
    )
  const middle = Math.ceil(spans.length / 2)
  return [...requestsOf(spans.slice(0, middle)), ...requestsOf(spans.slice(middle))]
}

/** A copy whose every string has been looked at; should that fail, one that says nothing. */
function redactedSpan(span: ReadableSpan, redact: Redact): ReadableSpan {
  try {
    return rewritten(span, (text) => cut(redact(text), longestText))
  } catch {
    return overlaid(span, { name: '[redacted]', attributes: {}, status: { code: span.status.code }, events: [] })
  }
}

type Rewrite = (text: string) => string

function rewritten(span: ReadableSpan, rewrite: Rewrite): ReadableSpan {
  const { message } = span.status
  return overlaid(span, {
    name: rewrite(span.name),
    attributes: rewrittenAttributes(span.attributes, rewrite),
    status: { ...span.status, ...(message !== undefined && { message: rewrite(message) }) },
    events: span.events.map((event) => ({
      ...event,
      name: rewrite(event.name),
      ...(event.attributes && { attributes: rewrittenAttributes(event.attributes, rewrite) }),
    })),
  })
}

/** The span with some of its fields replaced. It is a class with methods, so it cannot be spread. */
function overlaid(
  span: ReadableSpan,
  fields: Pick<ReadableSpan, 'name' | 'attributes' | 'status' | 'events'>,
): ReadableSpan {
  const properties = Object.entries(fields).map(([key, value]) => [key, { value, enumerable: true }])
  return Object.create(span, Object.fromEntries(properties))
}

function rewrittenAttributes(attributes: Attributes, rewrite: Rewrite): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => {
      if (typeof value === 'string') return [key, rewrite(value)]
      if (!Array.isArray(value)) return [key, value]
      return [key, value.map((each) => (typeof each === 'string' ? rewrite(each) : each))]
    }),
  ) as Attributes
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest)}… (${text.length - longest} characters left out)`
}
