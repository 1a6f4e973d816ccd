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

/** 401 or 403: the endpoint does not accept the key. CLI exit 78. */
export class KeyRejected extends ModelError {
  readonly code = 'key_rejected'
  override readonly endsRun = true
}

/** 404: the endpoint has no model of that name. CLI exit 78. */
export class ModelNotFound extends ModelError {
  readonly code = 'model_not_found'
  override readonly endsRun = true
}

/** 429 `insufficient_quota`: the account has no credit left. */
export class QuotaExhausted extends ModelError {
  readonly code = 'quota_exhausted'
  override readonly endsRun = true
}

/** 429: too many requests. */
export class RateLimited extends ModelError {
  readonly code = 'rate_limited'
  override readonly retryable = true
}

/** 5xx, a refused or reset connection, an unknown host, a TLS failure. */
export class EndpointUnavailable extends ModelError {
  readonly code = 'endpoint_unavailable'
  override readonly retryable = true
}

/** No headers, or no next chunk, within the time allowed. */
export class EndpointTimeout extends ModelError {
  readonly code = 'endpoint_timeout'
  override readonly retryable = true
}

/** The stream ended without a finish reason, or a chunk of it could not be read. */
export class StreamTruncated extends ModelError {
  readonly code = 'stream_truncated'
  override readonly retryable = true
}

/** The endpoint answered, but not in the OpenAI protocol: HTML, empty choices, an error body with status 200. */
export class EndpointIncompatible extends ModelError {
  readonly code = 'endpoint_incompatible'
  override readonly retryable = true
}

/** The answer grew past `endpoint.maxAnswerMegabytes`. */
export class AnswerTooLarge extends ModelError {
  readonly code = 'answer_too_large'
}

/** 400, 413: the messages do not fit the model's context window, or the texts to embed not into one request. */
export class ContextTooLong extends ModelError {
  readonly code = 'context_too_long'
  /** By the endpoint's own count. */
  readonly size: ContextSize

  constructor(message: string, options: { readonly size?: ContextSize; readonly cause?: unknown } = {}) {
    super(message, options)
    this.size = options.size ?? { window: null, sent: null }
  }
}

/** Any other refusal of the request: 400, 422. */
export class RequestRejected extends ModelError {
  readonly code = 'request_rejected'
}

/** The endpoint or its model takes no tools. The agent then asks with a plain prompt. */
export class ToolsUnsupported extends ModelError {
  readonly code = 'tools_unsupported'
}

/** The endpoint or its model takes no JSON schema. The agent then asks in plain words. */
export class StructuredOutputUnsupported extends ModelError {
  readonly code = 'structured_output_unsupported'
}

/** `finish_reason: content_filter`, or a refusal with this code: the provider withheld the answer. */
export class ContentFiltered extends ModelError {
  readonly code = 'content_filtered'
  override readonly endsRun = true
}

/** The scripted model was asked for more lines than it has. */
export class ScriptEnded extends ModelError {
  readonly code = 'script_ended'
}

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
  const window = windowPatterns.flatMap((pattern) => numberIn(pattern.exec(message)?.[1])).at(0) ?? null
  if (window === null) return { window, sent: null }
  const beyond = Array.from(message.matchAll(number), ([text]) => text)
    .flatMap(numberIn)
    .filter((value) => value > window)
  return { window, sent: beyond.length > 0 ? Math.max(...beyond) : null }
}

const number = /\d[\d,]*/g

/** As OpenAI, vLLM, llama.cpp and LiteLLM word it, then Anthropic and Mistral, then Gemini, then others. */
const windowPatterns: readonly RegExp[] = [
  /(?:context (?:length|size|window)|model length)\D{0,24}(\d[\d,]*)/i,
  /(?<![\d,])(\d[\d,]*) (?:tokens? )?maximum/i,
  /maximum number of tokens\D{0,12}(\d[\d,]*)/i,
  /\blimit\D{0,12}(\d[\d,]*)/i,
]

/** Fewer tokens are no model's window, and more are an id or a time. */
const [least, most] = [64, 100_000_000]

function numberIn(text: string | undefined): readonly number[] {
  const value = Number(text?.replaceAll(',', '') ?? Number.NaN)
  return value >= least && value <= most ? [value] : []
}
