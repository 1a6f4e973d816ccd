import { TerminalError } from '../errors.ts'

/** Langfuse cannot be reached, did not answer in time, or answered something that cannot be used. CLI exit 1. */
export class LangfuseUnavailable extends TerminalError {
  readonly code: string = 'langfuse_unavailable'
  /** What the server answered; null if nothing. */
  readonly status: number | null
  /** How long the server asks to be left alone, in milliseconds; null if it does not say. */
  readonly retryAfterMs: number | null

  constructor(
    message: string,
    options: { readonly status?: number | null; readonly retryAfterMs?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = options.status ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }

  /** The server read it and does not want it: the same again would be no use. */
  get isRefusal(): boolean {
    return this.status !== null && refusals.has(this.status)
  }
}

/** 401 or 403: Langfuse does not accept the keys. CLI exit 78. */
export class LangfuseKeyRejected extends LangfuseUnavailable {
  override readonly code = 'langfuse_key_rejected'
}

const refusals: ReadonlySet<number> = new Set([400, 413, 422])

/** What a request failed of, in words that name the host; `redact` takes credentials out of what the server said. */
export function failureOf(
  error: unknown,
  { host, redact }: { readonly host: string; readonly redact: (text: string) => string },
): LangfuseUnavailable {
  const status = statusOf(error)
  if (status === null) {
    const text = error instanceof Error ? redact(error.message) : 'unknown reason'
    return new LangfuseUnavailable(`Langfuse at ${host} cannot be reached (${text}). Check LANGFUSE_BASE_URL.`)
  }
  if (status === 401 || status === 403) {
    const advice = 'Check LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_BASE_URL.'
    return new LangfuseKeyRejected(`Langfuse at ${host} does not accept the keys (${status}). ${advice}`, { status })
  }
  const said = redact(messageIn(error)).slice(0, longestReason).replace(/\.$/, '')
  return new LangfuseUnavailable(`Langfuse at ${host} answered ${status}${said && `: ${said}`}.`, {
    status,
    retryAfterMs: retryAfterOf(error),
  })
}

const longestReason = 300

/** The HTTP status that an error of Langfuse's client carries; null if there was no answer. */
function statusOf(error: unknown): number | null {
  const status = property(error, 'statusCode')
  return typeof status === 'number' ? status : null
}

/** What the server says is wrong; the client's own message holds the whole body, indented. */
function messageIn(error: unknown): string {
  const message = property(property(error, 'body'), 'message')
  return typeof message === 'string' ? message : ''
}

function retryAfterOf(error: unknown): number | null {
  const headers = property(property(error, 'rawResponse'), 'headers')
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? Number.NaN) : Number.NaN
  return Number.isFinite(seconds) && seconds >= 0 ? 1000 * seconds : null
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
