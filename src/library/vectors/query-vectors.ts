import { asError, QuaeroError } from '../../errors.ts'
import type { Embedder } from '../port/embedder.ts'
import { checkDimensions } from './embed-passages.ts'

/** The vector of a query, or why there is none. */
export type QueryVector =
  | { readonly vector: Float32Array; readonly spent: Spent | null }
  | { readonly problem: Problem; readonly spent: Spent | null }

interface Spent {
  /** null if the endpoint did not say. */
  readonly tokens: number | null
}

/** Why there is no vector; the message goes on from "Searched by words alone: …". */
interface Problem {
  readonly code: string
  readonly message: string
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

/** After a failure the endpoint is left alone for so long: searches do not wait for it again and again. */
const PAUSE_MS = 60_000
const REMEMBERED = 200

/**
 * Embeds queries, each once in the life of the process, so that a search never waits long: what is late, fails or is of
 * another dimension than wanted comes back as a problem, and so does, at once, what follows within a minute. Throws
 * only the signal's reason.
 */
export function queryVectors(options: QueryVectorsOptions) {
  const { embedder, model, prefix, timeoutMs, now = () => performance.now() } = options
  const known = new Map<string, Float32Array>()
  let pause: { readonly until: number; readonly problem: Problem } | null = null

  return async (query: string, dimensions: number, signal?: AbortSignal): Promise<QueryVector> => {
    const before = known.get(query)
    // Vectors that were made anew since may be of another dimension.
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
      const problem = timeout.aborted ? lateness(timeoutMs) : problemOf(error)
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

function lateness(timeoutMs: number): Problem {
  const seconds = `${timeoutMs / 1000} s`
  return { code: 'endpoint_timeout', message: `the embeddings endpoint did not answer within ${seconds}` }
}

function problemOf(error: unknown): Problem {
  return { code: error instanceof QuaeroError ? error.code : 'unexpected', message: asError(error).message }
}
