import { TerminalError } from '../../errors.ts'

/** A call to a model endpoint without an answer. `retryable`: the same call may succeed later. */
export abstract class ModelError extends TerminalError {
  readonly retryable: boolean = false
  /** How long the endpoint asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs
  }
}

function withCode(code: string, { retryable = false, endsRun = false } = {}) {
  return class extends ModelError {
    readonly code = code
    override readonly retryable = retryable
    override readonly endsRun = endsRun
  }
}

/** 401 or 403: the endpoint does not accept the key. CLI exit 78. */
export class KeyRejected extends withCode('key_rejected', { endsRun: true }) {}

/** 404: the endpoint has no model of that name. CLI exit 78. */
export class ModelNotFound extends withCode('model_not_found', { endsRun: true }) {}

/** 429 `insufficient_quota`: the account has no credit left. */
export class QuotaExhausted extends withCode('quota_exhausted', { endsRun: true }) {}

/** 429: too many requests. */
export class RateLimited extends withCode('rate_limited', { retryable: true }) {}

/** 5xx, a refused or reset connection, an unknown host, a TLS failure. */
export class EndpointUnavailable extends withCode('endpoint_unavailable', { retryable: true }) {}

/** No headers, or no next chunk, within the time allowed. */
export class EndpointTimeout extends withCode('endpoint_timeout', { retryable: true }) {}

/** The stream ended without a finish reason, or a chunk of it could not be read. */
export class StreamTruncated extends withCode('stream_truncated', { retryable: true }) {}

/** The endpoint answered, but not in the OpenAI protocol: HTML, empty choices, an error body with status 200. */
export class EndpointIncompatible extends withCode('endpoint_incompatible', { retryable: true }) {}

/** The answer grew past `endpoint.maxAnswerMegabytes`. */
export class AnswerTooLarge extends withCode('answer_too_large') {}

/** 400, 413: the messages do not fit the model's context window, or the texts to embed not into one request. */
export class ContextTooLong extends withCode('context_too_long') {
  /** By the endpoint's own count. */
  readonly size: ContextSize

  constructor(message: string, { size, cause }: { readonly size?: ContextSize; readonly cause?: unknown } = {}) {
    super(message, { cause })
    this.size = size ?? { window: null, sent: null }
  }
}

/** Any other refusal of the request: 400, 422. */
export class RequestRejected extends withCode('request_rejected') {}

/** The endpoint or its model takes no tools. The agent then asks with a plain prompt. */
export class ToolsUnsupported extends withCode('tools_unsupported') {}

/** The endpoint or its model takes no JSON schema. The agent then asks in plain words. */
export class StructuredOutputUnsupported extends withCode('structured_output_unsupported') {}

/** `finish_reason: content_filter`, or a refusal with this code: the provider withheld the answer. */
export class ContentFiltered extends withCode('content_filtered', { endsRun: true }) {}

/** The scripted model was asked for more lines than it has. */
export class ScriptEnded extends withCode('script_ended') {}

/** The sizes that an endpoint names when a call is too long, in tokens; null where it names none. */
export interface ContextSize {
  /** Tokens that fit. */
  readonly window: number | null
  /** Tokens that it counted, with what it keeps free for the answer. */
  readonly sent: number | null
}

/**
 * The sizes in a server's own words, for instance "This model's maximum context length is 8192 tokens. However, you
 * requested 9500 tokens". `sent` is the largest number beyond the window.
 */
export function contextSizeIn(message: string): ContextSize {
  const [window = null] = windowPatterns.flatMap((pattern) => sizesIn(pattern.exec(message)?.[1] ?? ''))
  if (window === null) return { window, sent: null }
  const beyond = sizesIn(message).filter((value) => value > window)
  return { window, sent: beyond.length > 0 ? Math.max(...beyond) : null }
}

/** The wordings of OpenAI, vLLM, llama.cpp and LiteLLM, then Anthropic and Mistral, then Gemini, then others. */
const windowPatterns: readonly RegExp[] = [
  /(?:context (?:length|size|window)|model length)\D{0,24}(\d[\d,]*)/i,
  /(?<![\d,])(\d[\d,]*) (?:tokens? )?maximum/i,
  /maximum number of tokens\D{0,12}(\d[\d,]*)/i,
  /\blimit\D{0,12}(\d[\d,]*)/i,
]

/** No window is smaller, and larger numbers are ids or times. Tokens. */
const [least, most] = [64, 100_000_000]

function sizesIn(text: string): readonly number[] {
  const numbers = Array.from(text.matchAll(/\d[\d,]*/g), ([digits]) => Number(digits.replaceAll(',', '')))
  return numbers.filter((value) => value >= least && value <= most)
}
