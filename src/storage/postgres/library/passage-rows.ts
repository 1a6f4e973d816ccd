import type { Passage } from '../../../library/index.ts'

/** The columns of a passage, under the names of `PassageRow`. */
export const passageColumns = `passage_id AS "passageId", passages.document_id AS "documentId", ordinal, page, section, sections,
  kind, start_at AS start, end_at AS "end", text`

/** A passage as it is stored. */
export interface PassageRow extends Omit<Passage, 'sections'> {
  readonly sections: string | null
}

/** The row of a passage, and how well it matched. */
export interface MatchedPassage extends PassageRow {
  readonly bm25: number
}

export function passageOf({ sections, ...passage }: PassageRow): Passage {
  return { ...passage, ...(sections !== null && { sections: JSON.parse(sections) }) }
}
