/** Turns texts into vectors, near each other where the texts mean much the same. Implemented by a model. */
export interface Embedder {
  /**
   * Vectors of length 1, of one dimension, for the first texts: at least one, at most all. `retry` allows it to take
   * its time over failures that may pass. Rejects with a `QuaeroError`, or with the signal's reason.
   */
  readonly embed: (
    texts: readonly string[],
    options: { readonly signal?: AbortSignal | undefined; readonly retry: boolean },
  ) => Promise<Embedded>
}

export interface Embedded {
  readonly vectors: readonly Float32Array[]
  /** What the texts cost; null if that was not said. */
  readonly tokens: number | null
}
