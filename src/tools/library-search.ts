import type { PageText } from '../library/document.ts'
import type { PassageIndex } from '../library/passage-index.ts'
import type { RankedPassage } from '../library/rank-passages.ts'
import { findPassages } from '../library/search.ts'
import type { NearestOptions, SemanticIndex } from '../library/semantic/semantic-index.ts'
import { tableName } from '../library/table-name.ts'
import type { Observation } from './tool.ts'

/** Searches the person's documents, by meaning too where there is a semantic index, and hands the passages on as evidence. */
export function librarySearch(index: PassageIndex, semantic: SemanticIndex | null = null) {
  return async (query: string, options: NearestOptions): Promise<readonly Observation[]> => {
    const found = await findPassages(index, query, { ...options, semantic })
    const pages = await Promise.all(found.map(({ passage }) => index.page(passage.documentId, passage.page)))
    return found.map((ranked, at) => toObservation(ranked, pages[at] ?? null))
  }
}

function toObservation({ passage, document, score }: RankedPassage, onPage: PageText | null): Observation {
  const { passageId, documentId, page, section, kind, text, start, end } = passage
  const { title, authors, year, source, format } = document
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
    format,
    pageLabel: onPage?.label ?? null,
    table: kind === 'table' ? tableName(passage, onPage?.text ?? '') : null,
    text,
    start,
    end,
    score,
  }
}
