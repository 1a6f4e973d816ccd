import type { Embedder } from '../port/embedder.ts'
import type { SearchNotice } from '../port/library.ts'
import { optionalService, remember } from '../search/optional-service.ts'
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

/**
 * Embeds queries, the latest 200 once each. A call that is late, fails or returns another dimension is a problem, and so is, at
 * once, every call in the minute after it. Throws only the signal's reason.
 */
export function queryVectors({ embedder, model, prefix, timeoutMs, now }: QueryVectorsOptions) {
  const ask = optionalService({ name: 'the embeddings endpoint', timeoutMs, ...(now && { now }) })
  const known = new Map<string, Float32Array>()

  return async (query: string, dimensions: number, signal?: AbortSignal): Promise<QueryVector> => {
    const before = known.get(query)
    // The vectors may have been replaced by some of another dimension.
    if (before?.length === dimensions) return { vector: before, spent: null }
    const spent: Spent[] = []
    const asked = await ask(async (within) => {
      const { vectors, tokens } = await embedder.embed([prefix + query], { signal: within, retry: false })
      spent.push({ tokens })
      const [vector = new Float32Array()] = vectors
      checkDimensions(vector, { model, dimensions })
      remember(known, query, vector)
      return vector
    }, signal)
    const cost = spent[0] ?? null
    return 'value' in asked ? { vector: asked.value, spent: cost } : { problem: asked.problem, spent: cost }
  }
}
