import type { Passage } from '../../../library/port/document.ts'

/** The columns of a passage, under the names of `Passage`. */
export const passageColumns = `passage_id AS "passageId", passages.document_id AS "documentId", ordinal, page, section, kind,
  start_at AS start, end_at AS "end", text`

/** A passage, and how well it matched. */
export interface MatchedPassage extends Passage {
  readonly bm25: number
}
