import { asError, QuaeroError } from '../../errors.ts'
import type { Embedder } from '../port/embedder.ts'
import type { SearchNotice } from '../port/library.ts'
import { checkDimensions } from './embed-passages.ts'

/** The vector of a query, or why there is none. */
export type QueryVector =
  | { readonly vector: Float32Array; readonly spent: Spent | null }
  | { readonly problem: SearchNotice; readonly spent: Spent | null }

/** Tokens; null if the endpoint did not say. */
interface Spent {
  readonly tokens: number | null
}

export interface QueryVectorsOptions {
  readonly embedder: Embedder
  readonly model: string
  /** Put before each query. */
  readonly prefix: string
  /** How long a search waits for the vector of its query. */
  readonly timeoutMs: number
  /** Milliseconds that never run backwards. */
  readonly now?: () => number
}

/** After a failure the endpoint is not asked for so long, so that searches do not wait for it again and again. */
const PAUSE_MS = 60_000
const REMEMBERED = 200

/**
 * Embeds queries, the latest 200 once each, so that a search never waits long: a call that is late, fails or returns
 * another dimension is a problem, and so is, at once, every call in the minute after it. Throws only the signal's reason.
 */
export function queryVectors(options: QueryVectorsOptions) {
  const { embedder, model, prefix, timeoutMs, now = () => performance.now() } = options
  const known = new Map<string, Float32Array>()
  let pause: { readonly until: number; readonly problem: SearchNotice } | null = null

  return async (query: string, dimensions: number, signal?: AbortSignal): Promise<QueryVector> => {
    const before = known.get(query)
    // The vectors may have been replaced by some of another dimension.
    if (before?.length === dimensions) return { vector: before, spent: null }
    if (pause && now() < pause.until) return { problem: pause.problem, spent: null }
    const timeout = AbortSignal.timeout(timeoutMs)
    let spent: Spent | null = null
    try {
      const within = signal ? AbortSignal.any([signal, timeout]) : timeout
      const { vectors, tokens } = await embedder.embed([prefix + query], { signal: within, retry: false })
      spent = { tokens }
      const [vector = new Float32Array()] = vectors
      checkDimensions(vector, { model, dimensions })
      remember(known, query, vector)
      return { vector, spent }
    } catch (error) {
      signal?.throwIfAborted()
      const problem = timeout.aborted ? timedOut(timeoutMs) : problemOf(error)
      pause = { until: now() + PAUSE_MS, problem }
      return { problem, spent }
    }
  }
}

function remember(known: Map<string, Float32Array>, query: string, vector: Float32Array): void {
  const [oldest] = known.keys()
  if (known.size >= REMEMBERED && oldest !== undefined) known.delete(oldest)
  known.set(query, vector)
}

function timedOut(timeoutMs: number): SearchNotice {
  return { code: 'endpoint_timeout', message: `the embeddings endpoint did not answer within ${timeoutMs / 1000} s` }
}

/** What a failed call to the endpoint is reported as. */
export function problemOf(error: unknown): SearchNotice {
  return { code: error instanceof QuaeroError ? error.code : 'unexpected', message: asError(error).message }
}
