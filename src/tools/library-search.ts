import type { Observation } from '../events/index.ts'
import {
  findPassages,
  type PassageIndex,
  type RankedPassage,
  type Reranking,
  type SemanticIndex,
  scorePassages,
  sectionAt,
  tableName,
} from '../library/index.ts'
import { observationOf } from './observations.ts'
import type { PdfRetrievalOptions } from './pdf-retrieval.ts'
import type { ReadPassagesOptions } from './read-passages.ts'

/** Searches the person's documents for evidence; by meaning too, and ranked again, where that is configured. */
export function librarySearch(
  index: PassageIndex,
  semantic: SemanticIndex | null = null,
  reranking: Reranking | null = null,
): PdfRetrievalOptions['search'] {
  return async (query, options) =>
    toObservations(index, await findPassages(index, query, { ...options, semantic, reranking }))
}

/** Reads passages in their place as evidence, scored by the question. */
export function libraryReading(index: PassageIndex): Omit<ReadPassagesOptions, 'passages'> {
  return {
    documentOf: async (passageId) => (await index.passages([passageId]))[0]?.documentId ?? null,
    pagesOf: async (documentId) => {
      const document = await index.document(documentId)
      // Web pages are not the person's documents.
      return document && document.format !== 'web' ? document.pages : null
    },
    around: async (passageId, reach, question) =>
      toObservations(index, await scorePassages(index, question, await index.neighbours(passageId, reach))),
    onPage: async (documentId, page, question) =>
      toObservations(index, await scorePassages(index, question, await index.passagesOf(documentId, page))),
  }
}

/** The passage that holds a span of a page, or its beginning, as evidence, in the section of the span; null where none does. */
export async function observationAt(
  index: PassageIndex,
  { documentId, page, start, end }: Pick<Observation, 'documentId' | 'page' | 'start' | 'end'>,
): Promise<Observation | null> {
  const [document, all] = await Promise.all([index.document(documentId), index.passagesOf(documentId, page)])
  const holding = all.filter((passage) => passage.start <= start && start < passage.end)
  const passage = holding.find((each) => end <= each.end) ?? holding[0]
  if (!document || !passage) return null
  const placed = { ...passage, section: sectionAt(passage, start) }
  const [observation] = await toObservations(index, [{ passage: placed, document, score: 0 }])
  return observation ?? null
}

/** Characters on either side of a passage that may contain its table's caption. */
const aroundTable = 20_000

async function toObservations(
  index: PassageIndex,
  found: readonly Pick<RankedPassage, 'passage' | 'document' | 'score'>[],
): Promise<readonly Observation[]> {
  const pages = await Promise.all(
    found.map(({ passage: { documentId, page, start, end } }) =>
      index.pageWindow(documentId, page, { start: Math.max(0, start - aroundTable), end: end + aroundTable }),
    ),
  )
  const units = await Promise.all(found.map(({ passage }) => unitElsewhere(index, passage)))
  return found.map(({ passage, document, score }, at) => {
    const { label = null, text = '', start: from = 0 } = pages[at] ?? {}
    const place = { ...passage, start: passage.start - from, end: passage.end - from }
    const table = passage.kind === 'table' ? tableName(place, text) : null
    return observationOf(passage, document, { score, pageLabel: label, table, unit: units[at] ?? null })
  })
}

/** The unit of the tables of a passage whose own text does not say it; null where they have none, or several. */
async function unitElsewhere(
  index: PassageIndex,
  { documentId, page, kind, text, start, end }: RankedPassage['passage'],
): Promise<string | null> {
  if (kind !== 'table') return null
  const tables = await index.tables(documentId, page, { start, end })
  const [unit = null, ...others] = new Set(tables.map((table) => table.unit))
  return unit === null || others.length > 0 || text.includes(unit) ? null : unit
}
