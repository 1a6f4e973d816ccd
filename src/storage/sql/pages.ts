import type { PageLeftOut, PrintedPage, TextPlace } from '../../library/index.ts'
import { type LabelRow, type LeftOutRow, printedPages, readLeftOut, readPlaces } from '../document-rows.ts'
import type { Dialect } from './dialect.ts'
import { all, first, type Work } from './work.ts'

/** The pages whose printed number is another. */
export function* printedOf({ rows }: Dialect, documentIds: readonly string[]): Work<readonly PrintedPage[]> {
  const wanted = rows('$1', 'wanted', { id: 'text' })
  const labels = yield* all<LabelRow>(
    `SELECT document_id AS "documentId", number, label FROM pages
     WHERE document_id IN (SELECT id FROM ${wanted}) AND label IS NOT NULL ORDER BY number`,
    [JSON.stringify(documentIds.map((id) => ({ id })))],
  )
  return printedPages(labels)
}

/** What of a document stands in no passage; null if an earlier version stored it. */
export function* leftOutOf(documentId: string): Work<readonly PageLeftOut[] | null> {
  return readLeftOut(
    yield* all<LeftOutRow>(
      'SELECT number AS page, left_out AS "leftOut" FROM pages WHERE document_id = $1 ORDER BY number',
      [documentId],
    ),
  )
}

/** Where the stretches of a page's text are printed. */
export function* placesOf(documentId: string, page: number): Work<readonly TextPlace[]> {
  const row = yield* first<{ places: string | null }>(
    'SELECT places FROM pages WHERE document_id = $1 AND number = $2',
    [documentId, page],
  )
  return readPlaces(row?.places ?? null)
}
