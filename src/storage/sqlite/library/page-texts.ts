import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type {
  PageLeftOut,
  PagePiece,
  PageTable,
  PageText,
  Passage,
  PrintedPage,
  Stretch,
  TextPlace,
} from '../../../library/port/document.ts'
import type { PageWindow } from '../../../library/port/passage-index.ts'
import {
  checksumOf,
  type LabelRow,
  type LeftOutRow,
  piecesWithTables,
  placesJson,
  printedPages,
  readLeftOut,
  readPlaces,
  readTables,
  tablesJson,
} from '../../document-rows.ts'
import type { SqliteDatabase } from '../database/database.ts'
import type { PassageRow } from './library-tables.ts'

/** The texts of pages. Long ones are stored in pieces, so that only the needed part is read. */
export interface PageTexts {
  /** Call it inside `write`. */
  put(documentId: string, piece: PagePiece): void
  headerOf(documentId: string, page: number): string | null
  places(documentId: string, page: number): readonly TextPlace[]
  /** The tables that overlap a stretch. */
  tables(documentId: string, page: number, within: Stretch): readonly PageTable[]
  /** The pages whose printed number is another. */
  printed(documentIds: readonly string[]): readonly PrintedPage[]
  leftOut(documentId: string): readonly PageLeftOut[] | null
  /** The pieces that contain this range. Call it inside `read`. */
  window(documentId: string, page: number, range: Range): PageWindow | null
  /** A whole page; a long one is read in parts, between which the event loop turns. */
  whole(documentId: string, page: number): Promise<PageText | null>
}

interface Range {
  readonly start: number
  readonly end: number
}

const charactersAtOnce = 1_000_000

export function pageTexts({ connection }: SqliteDatabase): PageTexts {
  const { putPage, putPiece, page, head, labels, placesOf, tablesOf, leftOutOf, pieces } = statementsOn(connection)

  const window = (documentId: string, number: number, range: Range): PageWindow | null => {
    const found = pieces.all({ documentId, page: number, ...range })
    const texts = found.map(({ text }) => text)
    const [first] = found
    if (first && first.start <= range.start) {
      return { label: head.get(documentId, number)?.label ?? null, start: first.start, text: texts.join('') }
    }
    const opening = page.get(documentId, number)
    return opening ? { label: opening.label, start: 0, text: [opening.text, ...texts].join('') } : null
  }

  return {
    window,
    put(documentId, { number, label, header, start, text, places = [], tables, leftOut }) {
      const checksum = checksumOf(text)
      const kept = tablesJson(tables)
      if (start === 0) {
        const own = [placesJson(places), leftOut ? JSON.stringify(leftOut) : null, kept]
        putPage.run(documentId, number, label, text, header, ...own, checksum)
      } else putPiece.run(documentId, number, start, text, checksum, kept)
    },
    places: (documentId, number) => readPlaces(placesOf.get(documentId, number)?.places ?? null),
    tables: (documentId, number, within) =>
      readTables(tablesOf.all({ documentId, page: number, ...piecesWithTables(within) }), within),
    printed: (documentIds) => printedPages(labels.all(JSON.stringify(documentIds))),
    leftOut: (documentId) => readLeftOut(leftOutOf.all(documentId)),
    headerOf: (documentId, number) => head.get(documentId, number)?.header ?? null,
    async whole(documentId, number) {
      const first = page.get(documentId, number)
      if (!first) return null
      const texts = [first.text]
      for (let start = first.text.length; ; ) {
        const some = pieces.all({ documentId, page: number, start, end: start + charactersAtOnce })
        // The piece before the range is among them.
        const from = start
        const rest = some.filter((piece) => piece.start >= from)
        if (rest.length === 0) break
        for (const { text } of rest) {
          texts.push(text)
          start += text.length
        }
        await turnOfTheLoop()
      }
      return { ...first, text: texts.join('') }
    },
  }
}

function statementsOn(connection: SqliteDatabase['connection']) {
  const putPage = connection.prepare(
    `INSERT INTO pages (document_id, number, label, text, header, places, left_out, tables, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const putPiece = connection.prepare(
    'INSERT INTO page_pieces (document_id, page, start_at, text, checksum, tables) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const page = connection.prepare<[string, number], PageText>(
    'SELECT number, label, text, header FROM pages WHERE document_id = ? AND number = ?',
  )
  const head = connection.prepare<[string, number], Pick<PageText, 'label' | 'header'>>(
    'SELECT label, header FROM pages WHERE document_id = ? AND number = ?',
  )
  const labels = connection.prepare<[string], LabelRow>(
    `SELECT document_id AS documentId, number, label FROM pages
     WHERE document_id IN (SELECT value FROM json_each(?)) AND label IS NOT NULL ORDER BY number`,
  )
  const placesOf = connection.prepare<[string, number], { places: string | null }>(
    'SELECT places FROM pages WHERE document_id = ? AND number = ?',
  )
  const tablesOf = connection.prepare<
    [{ documentId: string; page: number; first: number; last: number }],
    { tables: string }
  >(
    `SELECT tables FROM (
       SELECT 0 AS start_at, tables FROM pages WHERE document_id = @documentId AND number = @page
       UNION ALL
       SELECT start_at, tables FROM page_pieces
       WHERE document_id = @documentId AND page = @page AND start_at BETWEEN @first AND @last)
     WHERE tables IS NOT NULL AND start_at BETWEEN @first AND @last ORDER BY start_at`,
  )
  const leftOutOf = connection.prepare<[string], LeftOutRow>(
    'SELECT number AS page, left_out AS leftOut FROM pages WHERE document_id = ? ORDER BY number',
  )
  const inPlace = 'document_id = @documentId AND page = @page'
  const pieces = connection.prepare<[Range & { documentId: string; page: number }], { start: number; text: string }>(
    `SELECT start_at AS start, text FROM page_pieces WHERE ${inPlace} AND start_at < @end AND start_at >=
       coalesce((SELECT max(start_at) FROM page_pieces WHERE ${inPlace} AND start_at <= @start), 0)
     ORDER BY start_at`,
  )
  return { putPage, putPiece, page, head, labels, placesOf, tablesOf, leftOutOf, pieces }
}

/** Makes passages of rows. Offsets count UTF-16 code units, unlike in SQLite, so the text is cut out here. */
export function passageReader({ window }: PageTexts): (row: PassageRow) => Passage {
  let last: (PageWindow & { readonly key: string }) | null = null
  return ({ number: _, sections, ...row }) => {
    const key = `${row.documentId} ${row.page}`
    const isHeld = last?.key === key && last.start <= row.start && row.end <= last.start + last.text.length
    if (!isHeld) {
      const read = window(row.documentId, row.page, row)
      last = read && { ...read, key }
    }
    const { start = 0, text = '' } = last ?? {}
    const own = text.slice(row.start - start, row.end - start)
    return { ...row, ...(sections !== null && { sections: JSON.parse(sections) }), text: own }
  }
}
