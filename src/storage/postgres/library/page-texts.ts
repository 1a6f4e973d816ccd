import type { PagePiece, PageTable, PageText, PageWindow, Passage, Stretch } from '../../../library/index.ts'
import { type DamagedPage, piecesWithTables, placesJson, readTables, tablesJson } from '../../document-rows.ts'
import { all, first, type Work } from '../../sql/work.ts'

/** Of the text as the database keeps it. */
const checksum = (text: string) => `left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 16)`

/** Stores pieces of pages; with its first piece a page begins. */
export function* putPieces(documentId: string, pieces: readonly PagePiece[]): Work<void> {
  const firsts = pieces.filter(({ start }) => start === 0)
  yield* all(
    `WITH begun AS (
       INSERT INTO pages (document_id, number, label, header, places, left_out, confidence)
       SELECT $1, number, label, header, places, left_out, confidence
       FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $10::text[], $11::double precision[])
         AS page (number, label, header, places, left_out, confidence)
     )
     INSERT INTO page_pieces (document_id, page, start_at, text, checksum, tables)
     SELECT $1, page, start_at, text, ${checksum('text')}, tables
     FROM unnest($6::bigint[], $7::bigint[], $8::text[], $9::text[]) AS piece (page, start_at, text, tables)`,
    [
      documentId,
      firsts.map(({ number }) => number),
      firsts.map(({ label }) => label),
      firsts.map(({ header }) => header),
      firsts.map(({ places = [] }) => placesJson(places)),
      pieces.map(({ number }) => number),
      pieces.map(({ start }) => start),
      pieces.map(({ text }) => text),
      pieces.map(({ tables }) => tablesJson(tables)),
      firsts.map(({ leftOut }) => (leftOut ? JSON.stringify(leftOut) : null)),
      firsts.map(({ confidence = null }) => confidence),
    ],
  )
}

export function* wholePage(documentId: string, number: number): Work<PageText | null> {
  const page = yield* first<Omit<PageText, 'text'>>(
    'SELECT number, label, header FROM pages WHERE document_id = $1 AND number = $2',
    [documentId, number],
  )
  if (!page) return null
  const pieces = yield* all<{ text: string }>(
    'SELECT text FROM page_pieces WHERE document_id = $1 AND page = $2 ORDER BY start_at',
    [documentId, number],
  )
  return { ...page, text: pieces.map(({ text }) => text).join('') }
}

/** The tables of a page that overlap a stretch of its text. */
export function* tablesOn(documentId: string, page: number, within: Stretch): Work<readonly PageTable[]> {
  const { first, last } = piecesWithTables(within)
  const pieces = yield* all<{ tables: string }>(
    `SELECT tables FROM page_pieces WHERE document_id = $1 AND page = $2 AND start_at BETWEEN $3 AND $4
       AND tables IS NOT NULL ORDER BY start_at`,
    [documentId, page, first, last],
  )
  return readTables(pieces, within)
}

/** The pieces of a page that contain a range. */
export function* pageWindow(
  documentId: string,
  page: number,
  { start, end }: { readonly start: number; readonly end: number },
): Work<PageWindow | null> {
  const pieces = yield* all<PageWindow>(
    `SELECT label, start_at AS start, text FROM page_pieces JOIN pages USING (document_id)
     WHERE document_id = $1 AND page = $2 AND number = page AND start_at < greatest($4, $3 + 1) AND start_at >=
       (SELECT coalesce(max(start_at), 0) FROM page_pieces WHERE document_id = $1 AND page = $2 AND start_at <= $3)
     ORDER BY start_at`,
    [documentId, page, start, end],
  )
  const [first] = pieces
  return first ? { ...first, text: pieces.map(({ text }) => text).join('') } : null
}

/** Pages whose text is not the one that was stored. */
export function damagedPages(): Work<readonly DamagedPage[]> {
  return all<DamagedPage>(
    `SELECT DISTINCT document_id AS "documentId", page FROM page_pieces WHERE checksum <> ${checksum('text')}
     ORDER BY 1, 2`,
  )
}

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
