import { asError, QuaeroError } from '../../errors.ts'
import type { DocumentRecord } from '../port/document.ts'
import type { Embedder } from '../port/embedder.ts'
import type { EmbedReport, SearchNotice, SemanticStatus } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import type { PassageVectors, VectorRecipe, VectorSpace } from '../port/passage-vectors.ts'
import type { RankedPassage } from '../search/rank-passages.ts'
import { checkDimensions, type EmbedPassagesOptions, embedPassages } from './embed-passages.ts'
import { queryVectors } from './query-vectors.ts'
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

/** Tokens and money that a search has cost. null is unknown, never zero. */
interface SearchUsage {
  readonly inputTokens: number | null
  readonly outputTokens: number
  readonly costUsd: number | null
}

export interface NearestOptions {
  readonly limit: number
  readonly documents: readonly string[] | null
  readonly signal?: AbortSignal | undefined
  readonly onNotice?: ((notice: SearchNotice) => void) | undefined
  readonly onUsage?: ((usage: SearchUsage) => void) | undefined
}

type EmbedChoices = Partial<Pick<EmbedPassagesOptions, 'documents' | 'anew' | 'onProgress' | 'signal'>>

/** Search by meaning, over the vectors of passages. */
export interface SemanticIndex {
  /** Passages near to the query in meaning, the nearest first; none, with a notice, where that cannot be told. */
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

  /** Where the query stands among the passages; null, with a notice, where that cannot be told. */
  async function queryVector(
    query: string,
    { signal, onNotice, onUsage }: Omit<NearestOptions, 'limit' | 'documents'>,
  ) {
    const space = await vectors.space(recipe)
    if (!space) {
      onNotice?.(byWordsAlone(notEmbedded(recipe)))
      return null
    }
    const asked = await vectorOf(query, space.dimensions, signal)
    if (asked.spent) onUsage?.(usageOf(asked.spent.tokens, options.price))
    if (!('problem' in asked)) return { space, vector: asked.vector }
    onNotice?.(byWordsAlone(asked.problem))
    return null
  }

  return {
    async nearest(query, { limit, documents, ...rest }) {
      const place = await queryVector(query, rest)
      if (!place) return []
      const nearest = await table.nearest(place.space, place.vector, { limit, documents })
      if (nearest.compared === 0) rest.onNotice?.(byWordsAlone(notEmbedded(recipe)))
      return await nearPassages(nearest, { ...options, documents })
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
      const problem = ask ? await problemOf(options, space, signal) : null
      return { model: recipe.model, dimensions: space?.dimensions ?? null, ...(await vectors.coverage(space)), problem }
    },
  }
}

async function embedAndTidy(options: SemanticIndexOptions, choices: EmbedChoices): Promise<EmbedReport> {
  const { vectors, recipe, price } = options
  const done = await embedPassages({ ...options, documents: null, anew: false, ...choices })
  const space = await vectors.space(recipe)
  const { passages, embedded } = await vectors.coverage(space)
  // Vectors of another model, and of texts that are gone, go only now: until each passage has its own, they may be
  // all there is, or save paying for a text that comes back.
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

function byWordsAlone({ code, message }: SearchNotice): SearchNotice {
  return { code, message: `Searched by words alone: ${message}` }
}

async function problemOf(
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
    return { code: error instanceof QuaeroError ? error.code : 'unexpected', message: asError(error).message }
  }
}

function usageOf(tokens: number | null, price: number | null): SearchUsage {
  const costUsd = tokens === 0 ? 0 : tokens !== null && price !== null ? (tokens * price) / 1e6 : null
  return { inputTokens: tokens, outputTokens: 0, costUsd }
}

interface NearPassagesOptions {
  readonly index: PassageIndex
  readonly vectors: PassageVectors
  /** Only these; all, if null. */
  readonly documents: readonly string[] | null
}

/**
 * The passages that have the nearest vectors, with a score that can stand beside that of a search by words. No
 * bibliographies: they resemble all their subjects without saying anything about them, and words find them where they
 * are wanted.
 */
async function nearPassages(
  { found, background }: Nearest,
  { index, vectors, documents }: NearPassagesOptions,
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

/** Nearer than any passage by so little says nothing. */
const LEAST_SCORE = 0.1

/**
 * How far a similarity goes from what is usual by chance (0) to the same text (1). Models differ in what is usual, from
 * 0.1 to 0.8, so the cosine itself could not stand beside the score of a search by words.
 */
function scoreOf(similarity: number, background: number): number {
  return Math.max(0, Math.min(1, (similarity - background) / (1 - background || 1)))
}
