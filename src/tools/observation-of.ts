import type { Observation } from '../events/index.ts'
import type { DocumentRecord, Passage } from '../library/port/document.ts'

/** What is known of a passage beside itself and its document. */
export interface Circumstances {
  readonly score: number
  readonly pageLabel: string | null
  readonly table: string | null
}

/** A passage of the person's documents as evidence. */
export function observationOf(
  { passageId, documentId, page, section, kind, text, start, end }: Passage,
  { title, authors, year, source, format }: DocumentRecord,
  { score, pageLabel, table }: Circumstances,
): Observation {
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
    pageLabel,
    table,
    text,
    start,
    end,
    score,
  }
}
