import type { PageLeftOut, PagePiece, PageTable, PageText, Stretch } from '../../../library/port/document.ts'
import type { PageWindow } from '../../../library/port/passage-index.ts'
import {
  type DamagedPage,
  type LeftOutRow,
  piecesWithTables,
  placesJson,
  readLeftOut,
  readTables,
  tablesJson,
} from '../../document-rows.ts'
import type { Sql } from '../database/connection.ts'

/** Of the text as the database keeps it. */
const checksum = (text: string) => `left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 16)`

/** Stores pieces of pages; with its first piece a page begins. */
export async function putPieces(sql: Sql, documentId: string, pieces: readonly PagePiece[]): Promise<void> {
  const firsts = pieces.filter(({ start }) => start === 0)
  await sql.run(
    `WITH begun AS (
       INSERT INTO pages (document_id, number, label, header, places, left_out)
       SELECT $1, number, label, header, places, left_out
       FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $10::text[])
         AS page (number, label, header, places, left_out)
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
    ],
  )
}

/** What of a document stands in no passage. */
export async function leftOutOf(sql: Sql, documentId: string): Promise<readonly PageLeftOut[] | null> {
  return readLeftOut(
    await sql.all<LeftOutRow>(
      'SELECT number AS page, left_out AS "leftOut" FROM pages WHERE document_id = $1 ORDER BY number',
      [documentId],
    ),
  )
}

export async function wholePage(sql: Sql, documentId: string, number: number): Promise<PageText | null> {
  const page = await sql.get<Omit<PageText, 'text'>>(
    'SELECT number, label, header FROM pages WHERE document_id = $1 AND number = $2',
    [documentId, number],
  )
  if (!page) return null
  const pieces = await sql.all<{ text: string }>(
    'SELECT text FROM page_pieces WHERE document_id = $1 AND page = $2 ORDER BY start_at',
    [documentId, number],
  )
  return { ...page, text: pieces.map(({ text }) => text).join('') }
}

/** The tables of a page that overlap a stretch of its text. */
export async function tablesOn(
  sql: Sql,
  documentId: string,
  page: number,
  within: Stretch,
): Promise<readonly PageTable[]> {
  const { first, last } = piecesWithTables(within)
  const pieces = await sql.all<{ tables: string }>(
    `SELECT tables FROM page_pieces WHERE document_id = $1 AND page = $2 AND start_at BETWEEN $3 AND $4
       AND tables IS NOT NULL ORDER BY start_at`,
    [documentId, page, first, last],
  )
  return readTables(pieces, within)
}

/** The pieces of a page that contain a range. */
export async function pageWindow(
  sql: Sql,
  documentId: string,
  page: number,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<PageWindow | null> {
  const pieces = await sql.all<PageWindow>(
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
export function damagedPages(sql: Sql): Promise<readonly DamagedPage[]> {
  return sql.all<DamagedPage>(
    `SELECT DISTINCT document_id AS "documentId", page FROM page_pieces WHERE checksum <> ${checksum('text')}
     ORDER BY 1, 2`,
  )
}
