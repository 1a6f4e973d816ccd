import { asError, QuaeroError } from '../../errors.ts'
import type { Usage } from '../../events/index.ts'
import type { SearchNotice } from '../port/library.ts'

/** What a search reports of the services that it uses. */
export interface SearchReports {
  readonly signal?: AbortSignal | undefined
  readonly onNotice?: ((notice: SearchNotice) => void) | undefined
  readonly onUsage?: ((usage: Usage) => void) | undefined
}

interface OptionalServiceOptions {
  /** As problems name it: `the embeddings endpoint`. */
  readonly name: string
  /** How long a search waits for it. */
  readonly timeoutMs: number
  /** Milliseconds that never run backwards. */
  readonly now?: () => number
}

/** After a failure the service is not asked for so long, so that searches do not wait for it again and again. */
const PAUSE_MS = 60_000

/**
 * Calls a service that a search can do without: a call that is late or fails is a problem, and so is, at once, every call in
 * the minute after it. Throws only the signal's reason.
 */
export function optionalService({ name, timeoutMs, now = () => performance.now() }: OptionalServiceOptions) {
  let pause: { readonly until: number; readonly problem: SearchNotice } | null = null

  return async <T>(
    call: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: T } | { readonly problem: SearchNotice }> => {
    if (pause && now() < pause.until) return { problem: pause.problem }
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      return { value: await call(signal ? AbortSignal.any([signal, timeout]) : timeout) }
    } catch (error) {
      signal?.throwIfAborted()
      const late = { code: 'endpoint_timeout', message: `${name} did not answer within ${timeoutMs / 1000} s` }
      const problem = timeout.aborted ? late : noticeOf(error)
      pause = { until: now() + PAUSE_MS, problem }
      return { problem }
    }
  }
}

/** What a failed call to an endpoint is reported as. */
export function noticeOf(error: unknown): SearchNotice {
  return { code: error instanceof QuaeroError ? error.code : 'unexpected', message: asError(error).message }
}

/** What tokens cost at a price in US dollars per million; null is unknown. */
export function usageOf(tokens: number | null, price: number | null): Usage {
  const costUsd = tokens === 0 ? 0 : tokens !== null && price !== null ? (tokens * price) / 1e6 : null
  return { inputTokens: tokens, outputTokens: 0, costUsd }
}

const REMEMBERED = 200

/** Remembers the latest 200 answers. */
export function remember<T>(known: Map<string, T>, asked: string, answer: T): void {
  const [oldest] = known.keys()
  if (known.size >= REMEMBERED && oldest !== undefined) known.delete(oldest)
  known.set(asked, answer)
}
