import type { DocumentRecord } from '../port/document.ts'
import type { EmbedReport, SearchNotice, SemanticStatus } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import type { PassageVectors, VectorRecipe, VectorSpace } from '../port/passage-vectors.ts'
import { noticeOf, optionalService, remember, type SearchReports, usageOf } from '../search/optional-service.ts'
import type { RankedPassage } from '../search/rank-passages.ts'
import { checkDimensions, type Embedder, type EmbedPassagesOptions, embedPassages } from './embed-passages.ts'
import { type Nearest, vectorTable } from './vector-table.ts'

interface SemanticIndexOptions {
  readonly index: PassageIndex
  readonly vectors: PassageVectors
  readonly embedder: Embedder
  readonly recipe: VectorRecipe
  /** Put before each query. */
  readonly queryPrefix: string
  readonly queryTimeoutMs: number
  /** Texts that are sent at once. */
  readonly batch: number
  /** US dollars per million tokens; null if unknown. */
  readonly price: number | null
}

export interface NearestOptions extends SearchReports {
  readonly limit: number
  readonly documents: readonly string[] | null
}

type EmbedChoices = Partial<Pick<EmbedPassagesOptions, 'documents' | 'anew' | 'onProgress' | 'signal'>>

/** Search by meaning, over the vectors of passages. */
export interface SemanticIndex {
  /** Passages near to the query in meaning, the nearest first; none, with a notice, if they cannot be found. */
  readonly nearest: (query: string, options: NearestOptions) => Promise<readonly RankedPassage[]>
  /** Gives passages their vectors, as far as the endpoint allows. Rejects with the signal's reason. */
  readonly embed: (options?: EmbedChoices) => Promise<EmbedReport>
  /** `ask` sends one word to the endpoint, to see whether it answers. */
  readonly status: (options?: { readonly ask?: boolean; readonly signal?: AbortSignal }) => Promise<SemanticStatus>
}

/** Opens the index; reads nothing and connects to nothing yet. */
export function openSemanticIndex(options: SemanticIndexOptions): SemanticIndex {
  const { vectors, embedder, recipe, queryPrefix, queryTimeoutMs } = options
  const vectorOf = queryVectors({ embedder, model: recipe.model, prefix: queryPrefix, timeoutMs: queryTimeoutMs })
  const table = vectorTable(vectors)
  let working: Promise<unknown> = Promise.resolve()

  return {
    async nearest(query, { limit, documents, signal, onNotice, onUsage }) {
      const byWordsAlone = ({ code, message }: SearchNotice) => {
        onNotice?.({ code, message: `Searched by words alone: ${message}` })
        return []
      }
      const space = await vectors.space(recipe)
      if (!space) return byWordsAlone(notEmbedded(recipe))
      const asked = await vectorOf(query, space.dimensions, signal)
      if (asked.spent) onUsage?.(usageOf(asked.spent.tokens, options.price))
      if ('problem' in asked) return byWordsAlone(asked.problem)
      const nearest = await table.nearest(space, asked.vector, { limit, documents })
      return nearest.compared === 0
        ? byWordsAlone(notEmbedded(recipe))
        : await nearPassages(nearest, options, documents)
    },
    embed(choices = {}) {
      // One after the other in this process, and among processes.
      const work = () => vectors.exclusively(() => embedAndTidy(options, choices), choices.signal)
      const turn = working.then(work, work)
      working = turn.catch(() => {})
      return turn
    },
    async status({ ask = false, signal } = {}) {
      const space = await vectors.space(recipe)
      const problem = ask ? await tryEndpoint(options, space, signal) : null
      return { model: recipe.model, dimensions: space?.dimensions ?? null, ...(await vectors.coverage(space)), problem }
    },
  }
}

async function embedAndTidy(options: SemanticIndexOptions, choices: EmbedChoices): Promise<EmbedReport> {
  const { vectors, recipe, price } = options
  const done = await embedPassages({ ...options, documents: null, anew: false, ...choices })
  const space = await vectors.space(recipe)
  const { passages, embedded } = await vectors.coverage(space)
  // Vectors of another model, and of removed texts, are deleted only now: until each passage has its own, they may be
  // the only ones, or save paying for a text that is added again.
  if (space && embedded === passages) {
    await vectors.dropOtherSpaces(space)
    await vectors.prune()
  }
  const { costUsd } = usageOf(done.tokens, price)
  return { ...done, model: recipe.model, dimensions: space?.dimensions ?? null, costUsd, missing: passages - embedded }
}

function notEmbedded({ model }: VectorRecipe): SearchNotice {
  return { code: 'not_embedded', message: `no passage has a vector of "${model}" yet. Run: quaero library embed` }
}

async function tryEndpoint(
  { embedder, recipe: { model } }: SemanticIndexOptions,
  space: VectorSpace | null,
  signal: AbortSignal | undefined,
): Promise<SearchNotice | null> {
  try {
    const { vectors } = await embedder.embed(['test'], { signal, retry: false })
    if (space) for (const vector of vectors) checkDimensions(vector, { model, dimensions: space.dimensions })
    return null
  } catch (error) {
    signal?.throwIfAborted()
    return noticeOf(error)
  }
}

/**
 * The passages that have the nearest vectors, with a score that is comparable with that of a search by words. No
 * bibliographies: they resemble all their subjects, and words find them where they are wanted.
 */
async function nearPassages(
  { found, background }: Nearest,
  { index, vectors }: SemanticIndexOptions,
  documents: readonly string[] | null,
): Promise<readonly RankedPassage[]> {
  const similarities = new Map(found.map(({ vector, similarity }) => [vector, similarity]))
  const holders = await vectors.passagesOf([...similarities.keys()], documents)
  const passages = new Map(
    (await index.passages(holders.map(({ passageId }) => passageId))).map((passage) => [passage.passageId, passage]),
  )
  const records = await recordsOf(index, [...passages.values()])
  return holders
    .flatMap(({ vector, passageId }) => {
      const passage = passages.get(passageId)
      const document = passage && records.get(passage.documentId)
      const score = scoreOf(similarities.get(vector) ?? 0, background)
      if (!document || passage.kind === 'references' || score <= LEAST_SCORE) return []
      return [{ passage, document, bm25: 0, score }]
    })
    .sort((a, b) => b.score - a.score)
}

async function recordsOf(
  index: PassageIndex,
  passages: readonly { readonly documentId: string }[],
): Promise<ReadonlyMap<string, DocumentRecord>> {
  const ids = [...new Set(passages.map(({ documentId }) => documentId))]
  const records = await Promise.all(ids.map((documentId) => index.document(documentId)))
  return new Map(records.flatMap((record) => (record ? [[record.documentId, record] as const] : [])))
}

/** A score below this is chance. */
const LEAST_SCORE = 0.1

/**
 * Where a similarity lies between what is usual by chance (0) and the same text (1). What is usual differs by model, from
 * 0.1 to 0.8, so the cosine itself is not comparable with the score of a search by words.
 */
function scoreOf(similarity: number, background: number): number {
  return Math.max(0, Math.min(1, (similarity - background) / (1 - background || 1)))
}

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
