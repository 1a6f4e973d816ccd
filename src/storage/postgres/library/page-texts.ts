import type { PagePiece, PageText } from '../../../library/port/document.ts'
import type { PageWindow } from '../../../library/port/passage-index.ts'
import { type DamagedPage, placesJson } from '../../document-rows.ts'
import type { Sql } from '../database/connection.ts'

/** Of the text as the database keeps it. */
const checksum = (text: string) => `left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 16)`

/** Stores pieces of pages; with its first piece a page begins. */
export async function putPieces(sql: Sql, documentId: string, pieces: readonly PagePiece[]): Promise<void> {
  const firsts = pieces.filter(({ start }) => start === 0)
  await sql.run(
    `WITH begun AS (
       INSERT INTO pages (document_id, number, label, header, places)
       SELECT $1, number, label, header, places
       FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) AS page (number, label, header, places)
     )
     INSERT INTO page_pieces (document_id, page, start_at, text, checksum)
     SELECT $1, page, start_at, text, ${checksum('text')}
     FROM unnest($6::bigint[], $7::bigint[], $8::text[]) AS piece (page, start_at, text)`,
    [
      documentId,
      firsts.map(({ number }) => number),
      firsts.map(({ label }) => label),
      firsts.map(({ header }) => header),
      firsts.map(({ places = [] }) => placesJson(places)),
      pieces.map(({ number }) => number),
      pieces.map(({ start }) => start),
      pieces.map(({ text }) => text),
    ],
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
