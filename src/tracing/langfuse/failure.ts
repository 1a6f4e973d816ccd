import { TerminalError } from '../../errors.ts'

/** 401 or 403: Langfuse does not accept the keys. CLI exit 78. */
export class LangfuseKeyRejected extends TerminalError {
  readonly code = 'langfuse_key_rejected'
}

/** Langfuse cannot be reached, did not answer in time, or answered something that cannot be used. CLI exit 1. */
export class LangfuseUnavailable extends TerminalError {
  readonly code = 'langfuse_unavailable'
}

/** What a call to Langfuse failed of. No part of it holds a key. */
export function failureOf(error: unknown, address: string, timeoutMs: number): TerminalError {
  if (error instanceof TerminalError) return error
  const host = URL.canParse(address) ? new URL(address).host : 'Langfuse'
  const status = statusOf(error)
  if (status === 401 || status === 403) {
    const advice = 'Check LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_BASE_URL.'
    return new LangfuseKeyRejected(`Langfuse at ${host} does not accept the keys (${status}). ${advice}`)
  }
  if (status !== null) {
    return new LangfuseUnavailable(`Langfuse at ${host} answered ${status}${reasonIn(error)}.`, { cause: error })
  }
  const text = error instanceof Error ? error.message : String(error)
  if (/abort|timeout/i.test(text))
    return new LangfuseUnavailable(`Langfuse at ${host} gave no answer in ${timeoutMs} ms.`)
  return new LangfuseUnavailable(`Langfuse at ${host} cannot be reached (${text}). Check LANGFUSE_BASE_URL.`, {
    cause: error,
  })
}

/** The HTTP status that an error of Langfuse's client carries; null if there was no answer. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null
  return typeof error.statusCode === 'number' ? error.statusCode : null
}

/** What Langfuse says of it, if it says something short. */
function reasonIn(error: unknown): string {
  const body: unknown = typeof error === 'object' && error !== null && 'body' in error ? error.body : null
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : null
  return typeof message === 'string' && message.length <= longestReason ? `: ${message.replace(/\.$/, '')}` : ''
}

const longestReason = 200
