/** Orders texts by how well they answer a query. Implemented by a model. */
export interface Reranker {
  /** The positions of the texts, best first. Rejects with a `QuaeroError`, or with the signal's reason. */
  readonly rerank: (query: string, texts: readonly string[], signal: AbortSignal) => Promise<Reranked>
}

export interface Reranked {
  readonly order: readonly number[]
  /** What it cost; null if that was not said. */
  readonly tokens: number | null
}
