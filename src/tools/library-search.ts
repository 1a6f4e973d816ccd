import type { PageText } from '../library/document.ts'
import type { PassageIndex } from '../library/passage-index.ts'
import type { RankedPassage } from '../library/rank-passages.ts'
import { findPassages, scorePassages } from '../library/search.ts'
import type { SemanticIndex } from '../library/semantic/semantic-index.ts'
import { tableName } from '../library/table-name.ts'
import type { PdfRetrievalOptions } from './pdf-retrieval.ts'
import type { ReadPassagesOptions } from './read-passages.ts'
import type { Observation } from './tool.ts'

/** Searches the person's documents, by meaning too where there is a semantic index, and hands the passages on as evidence. */
export function librarySearch(
  index: PassageIndex,
  semantic: SemanticIndex | null = null,
): PdfRetrievalOptions['search'] {
  return async (query, options) => toObservations(index, await findPassages(index, query, { ...options, semantic }))
}

/** Reads passages where they stand, and hands them on as evidence, scored by what they hold of the question. */
export function libraryReading(index: PassageIndex): Omit<ReadPassagesOptions, 'passages'> {
  return {
    documentOf: async (passageId) => (await index.passages([passageId]))[0]?.documentId ?? null,
    pagesOf: async (documentId) => {
      const document = await index.document(documentId)
      // What was read on the web is no document of the person's.
      return document && document.format !== 'web' ? document.pages : null
    },
    around: async (passageId, reach, question) =>
      toObservations(index, await scorePassages(index, question, await index.neighbours(passageId, reach))),
    onPage: async (documentId, page, question) =>
      toObservations(index, await scorePassages(index, question, await index.passagesOf(documentId, page))),
  }
}

async function toObservations(index: PassageIndex, found: readonly RankedPassage[]): Promise<readonly Observation[]> {
  const pages = await Promise.all(found.map(({ passage }) => index.page(passage.documentId, passage.page)))
  return found.map((ranked, at) => toObservation(ranked, pages[at] ?? null))
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
