import type { DocumentRecord } from '../port/document.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import type { PassageVectors } from '../port/passage-vectors.ts'
import type { RankedPassage } from '../search/rank-passages.ts'
import type { Nearest } from './vector-table.ts'

export interface NearPassagesOptions {
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
export async function nearPassages(
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
