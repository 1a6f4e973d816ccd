/** How vectors come about. Vectors of different recipes say nothing about each other and are never compared. */
export interface VectorRecipe {
  readonly model: string
  /** What is asked for; null leaves it to the model. */
  readonly dimensions: number | null
  /** Put before each passage. */
  readonly prefix: string
}

/** Vectors that can be compared: those of one recipe and one dimension. */
export interface VectorSpace {
  readonly id: number
  readonly dimensions: number
}

/** A text, by its hash, and the ids of the passages that hold it. */
export interface HashedText {
  readonly hash: string
  readonly passages: readonly string[]
}

/** Where the vectors of passages are kept. Implemented once per storage. All passages are the person's own, not the web's. */
export interface PassageVectors {
  /** The newest space of the recipe that holds a vector. */
  space(recipe: VectorRecipe): Promise<VectorSpace | null>
  /** A new space, which takes the place of those of its recipe with its first vector. */
  openSpace(recipe: VectorRecipe, dimensions: number): Promise<VectorSpace>
  /** Drops the vectors of all other spaces. */
  dropOtherSpaces(space: VectorSpace): Promise<void>
  /** How many passages there are, in these documents or in all, and how many of them have a vector. */
  coverage(
    space: VectorSpace | null,
    documents?: readonly string[] | null,
  ): Promise<{ readonly passages: number; readonly embedded: number }>
  /** Passages without a vector, in the order of their numbers, from after this one. */
  missing(
    space: VectorSpace | null,
    options: { readonly after: number; readonly limit: number; readonly documents: readonly string[] | null },
  ): Promise<readonly { readonly passageId: string; readonly number: number }[]>
  /** Gives passages the vectors that their texts have already; returns the texts that had one. */
  link(space: VectorSpace, texts: readonly HashedText[]): Promise<readonly HashedText[]>
  /** Stores vectors in one transaction. */
  put(space: VectorSpace, texts: readonly (HashedText & { readonly vector: Float32Array })[]): Promise<void>
  /** Drops the vectors of texts that no passage holds any more; returns how many. */
  prune(): Promise<number>
  /** Another value whenever something may have changed, in this process or another. Cheap. */
  version(): Promise<string>
  /** How many vectors the space has, and the highest number among them. A number is never used again. */
  extent(space: VectorSpace): Promise<{ readonly count: number; readonly last: number }>
  /** Vectors in the order of their numbers, their components as 32-bit floats, least significant byte first. */
  read(
    space: VectorSpace,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly { readonly id: number; readonly components: Uint8Array }[]>
  /** Numbers of the vectors that passages of these documents have. */
  vectorsOf(space: VectorSpace, documents: readonly string[]): Promise<readonly number[]>
  /** The passages, of these documents or of all, that have one of these vectors. */
  passagesOf(
    vectors: readonly number[],
    documents: readonly string[] | null,
  ): Promise<readonly { readonly vector: number; readonly passageId: string }[]>
  /** Does the work while no other process does such work; waits for one that does. Rejects with the signal's reason. */
  exclusively<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}
