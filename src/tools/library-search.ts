import type { PassageIndex } from '../library/passage-index.ts'
import type { RankedPassage } from '../library/rank-passages.ts'
import { findPassages } from '../library/search.ts'
import type { Observation } from './tool.ts'

/** Searches the person's documents and hands the passages on as evidence. */
export function librarySearch(index: PassageIndex) {
  return async (
    query: string,
    options: { readonly limit: number; readonly documents: readonly string[] | null },
  ): Promise<readonly Observation[]> => (await findPassages(index, query, options)).map(toObservation)
}

function toObservation({ passage, document, score }: RankedPassage): Observation {
  const { passageId, documentId, page, section, kind, text, start, end } = passage
  const { title, authors, year, source } = document
  return {
    passageId,
    documentId,
    title,
    authors: [...authors],
    year,
    source,
    origin: 'documents',
    page,
    section,
    kind,
    text,
    start,
    end,
    score,
  }
}
