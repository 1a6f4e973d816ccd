import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { PagePiece, PageTable, PageText, PageWindow, Passage, Stretch } from '../../../library/index.ts'
import {
  checksumOf,
  type DamagedPage,
  piecesWithTables,
  placesJson,
  readTables,
  tablesJson,
} from '../../document-rows.ts'
import { all, first, type Work, type Workplace } from '../../sql/work.ts'
import type { SqliteDatabase } from '../database/database.ts'

// The text of a page stands in its row, the rest of a long one in pieces, so that only the needed part is read.

export function* putPiece(documentId: string, piece: PagePiece): Work<void> {
  const { number, label, header, start, text, places = [], tables, leftOut, confidence = null } = piece
  const kept = [checksumOf(text), tablesJson(tables)]
  if (start > 0) {
    yield* all(
      'INSERT INTO page_pieces (document_id, page, start_at, text, checksum, tables) VALUES ($1, $2, $3, $4, $5, $6)',
      [documentId, number, start, text, ...kept],
    )
    return
  }
  const own = [label, header, placesJson(places), leftOut ? JSON.stringify(leftOut) : null, confidence]
  yield* all(
    `INSERT INTO pages (document_id, number, text, checksum, tables, label, header, places, left_out, confidence)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [documentId, number, text, ...kept, ...own],
  )
}

export function* headerOf(documentId: string, page: number): Work<string | null> {
  return (yield* firstPiece(documentId, page, 'header'))?.header ?? null
}

/** The tables that overlap a stretch. */
export function* tablesOn(documentId: string, page: number, within: Stretch): Work<readonly PageTable[]> {
  const { first: from, last } = piecesWithTables(within)
  const pieces = yield* all<{ tables: string }>(
    `SELECT tables FROM (
       SELECT 0 AS start_at, tables FROM pages WHERE document_id = $1 AND number = $2
       UNION ALL
       SELECT start_at, tables FROM page_pieces WHERE document_id = $1 AND page = $2 AND start_at BETWEEN $3 AND $4)
     WHERE tables IS NOT NULL AND start_at BETWEEN $3 AND $4 ORDER BY start_at`,
    [documentId, page, from, last],
  )
  return readTables(pieces, within)
}

/** The pieces that contain this range. */
export function* pageWindow(documentId: string, page: number, range: Stretch): Work<PageWindow | null> {
  const found = yield* piecesIn(documentId, page, range)
  const texts = found.map(({ text }) => text)
  const [opening] = found
  if (opening && opening.start <= range.start) {
    const head = yield* firstPiece(documentId, page, 'label')
    return { label: head?.label ?? null, start: opening.start, text: texts.join('') }
  }
  const head = yield* firstPiece(documentId, page, 'label, text')
  return head ? { label: head.label, start: 0, text: [head.text, ...texts].join('') } : null
}

const charactersAtOnce = 1_000_000

/** A whole page; a long one is read in parts, between which the event loop turns. */
export async function wholePage({ read }: Workplace, documentId: string, page: number): Promise<PageText | null> {
  const opening = await read(() => firstPiece(documentId, page, 'number, label, text, header'))
  if (!opening) return null
  const texts = [opening.text]
  for (let start = opening.text.length; ; ) {
    const from = start
    const some = await read(() => piecesIn(documentId, page, { start: from, end: from + charactersAtOnce }))
    // The piece before the range is among them.
    const rest = some.filter((piece) => piece.start >= from)
    if (rest.length === 0) return { ...opening, text: texts.join('') }
    for (const { text } of rest) {
      texts.push(text)
      start += text.length
    }
    await turnOfTheLoop()
  }
}

/** Some columns of a page, with its text or the first part of that. */
function firstPiece(documentId: string, page: number, columns: string): Work<PageText | undefined> {
  return first<PageText>(`SELECT ${columns} FROM pages WHERE document_id = $1 AND number = $2`, [documentId, page])
}

function piecesIn(
  documentId: string,
  page: number,
  { start, end }: Stretch,
): Work<readonly Pick<PageWindow, 'start' | 'text'>[]> {
  return all(
    `SELECT start_at AS start, text FROM page_pieces WHERE document_id = $1 AND page = $2 AND start_at < $4 AND start_at >=
       coalesce((SELECT max(start_at) FROM page_pieces WHERE document_id = $1 AND page = $2 AND start_at <= $3), 0)
     ORDER BY start_at`,
    [documentId, page, start, end],
  )
}

/** The text is on the page. */
export interface PassageRow extends Omit<Passage, 'text' | 'sections'> {
  readonly number: number
  readonly sections: string | null
}

/** Makes passages of rows. Offsets count UTF-16 code units, unlike in SQLite, so the text is cut out here. */
export function passageReader(): (row: PassageRow) => Work<Passage> {
  let last: (PageWindow & { readonly key: string }) | null = null
  return function* ({ number: _, sections, ...row }) {
    const key = `${row.documentId} ${row.page}`
    const isHeld = last?.key === key && last.start <= row.start && row.end <= last.start + last.text.length
    if (!isHeld) {
      const read = yield* pageWindow(row.documentId, row.page, row)
      last = read && { ...read, key }
    }
    const { start = 0, text = '' } = last ?? {}
    const own = text.slice(row.start - start, row.end - start)
    return { ...row, ...(sections !== null && { sections: JSON.parse(sections) }), text: own }
  }
}

/** Compares all texts with their checksums; texts that were stored before there were checksums count as whole. */
export function damagedPages({ connection }: Pick<SqliteDatabase, 'connection'>): readonly DamagedPage[] {
  const texts = connection.prepare<[], DamagedPage & { text: string; checksum: string }>(
    `SELECT document_id AS documentId, number AS page, text, checksum FROM pages WHERE checksum IS NOT NULL
     UNION ALL
     SELECT document_id, page, text, checksum FROM page_pieces WHERE checksum IS NOT NULL`,
  )
  const damaged = new Map<string, DamagedPage>()
  for (const { documentId, page, text, checksum } of texts.iterate()) {
    if (checksumOf(text) !== checksum) damaged.set(`${documentId} ${page}`, { documentId, page })
  }
  return [...damaged.values()]
}
