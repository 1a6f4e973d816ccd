import { TerminalError } from '../errors.ts'

/** Langfuse cannot be reached, did not answer in time, or gave an unusable answer. CLI exit 1. */
export class LangfuseUnavailable extends TerminalError {
  readonly code: string = 'langfuse_unavailable'
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  /** The wait that the server asks for, in milliseconds; null if it names none. */
  readonly retryAfterMs: number | null

  constructor(
    message: string,
    options: { readonly status?: number | null; readonly retryAfterMs?: number | null } = {},
  ) {
    super(message)
    this.status = options.status ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }

  /** The server has read the request and refuses it: a repeat would be refused too. */
  get isRefusal(): boolean {
    return this.status !== null && refusals.has(this.status)
  }
}

const refusals: ReadonlySet<number> = new Set([400, 413, 422])

/** 401 or 403: Langfuse does not accept the keys. CLI exit 78. */
export class LangfuseKeyRejected extends LangfuseUnavailable {
  override readonly code = 'langfuse_key_rejected'
}

/** Passes the first message on, and no other. */
export function once(report: (message: string) => void): (message: string) => void {
  let isReported = false
  return (message) => {
    if (!isReported) report(message)
    isReported = true
  }
}
