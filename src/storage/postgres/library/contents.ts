import { type DocumentBatch, indexStems, type NewDocument, type Passage } from '../../../library/index.ts'
import { type DocumentRow, headLength, joined, nameOf, titlesOf } from '../../document-rows.ts'
import { type DocumentContents, putRecord } from '../../sql/documents.ts'
import { all, first, type Work } from '../../sql/work.ts'
import { putPieces } from './page-texts.ts'
import { indexPassages } from './passage-terms.ts'

/** Stores a document without contents, in the place of what it held. */
export function* beginDocument(document: NewDocument, { isNew }: { readonly isNew: boolean }): Work<void> {
  for (const table of isNew ? [] : ['passages', 'page_pieces', 'pages'])
    yield* all(`DELETE FROM ${table} WHERE document_id = $1`, [document.record.documentId])
  yield* putRecord(document)
}

/** Stores some of a document's pages and passages. */
export function* addBatch(documentId: string, { pages, passages }: DocumentBatch): Work<void> {
  if (pages.length > 0) yield* putPieces(documentId, pages)
  if (passages.length === 0) return
  const stored = yield* all<FoundBy>(
    `WITH stored AS (
       INSERT INTO passages (passage_id, document_id, ordinal, page, section, sections, kind, start_at, end_at, text)
       SELECT id, $1, ordinal, page, section, sections, kind, start_at, end_at, text
       FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
         $10::text[])
         AS passage (id, ordinal, page, section, sections, kind, start_at, end_at, text) ORDER BY ordinal RETURNING *
     ) ${foundBy('stored')}`,
    [
      documentId,
      passages.map(({ passageId }) => passageId),
      passages.map(({ ordinal }) => ordinal),
      passages.map(({ page }) => page),
      passages.map(({ section }) => section),
      passages.map(({ sections }) => (sections ? JSON.stringify(sections) : null)),
      passages.map(({ kind }) => kind),
      passages.map(({ start }) => start),
      passages.map(({ end }) => end),
      passages.map(({ text }) => text),
    ],
  )
  yield* index(documentId, stored)
}

/** Passages and pages go with their document; its name and what is counted of it stand in its row. */
export const contents: DocumentContents = {
  *described(before, now) {
    const { documentId, format } = before
    const opening = format === 'web' ? null : yield* openingOf(documentId)
    const names = format === 'web' ? [] : indexStems(joined(nameOf(now), opening))
    const store = () =>
      all(
        `UPDATE documents SET names = $2::text[],
           pages = (SELECT count(*) FROM pages WHERE document_id = $1),
           passages = (SELECT count(*) FROM passages WHERE document_id = $1),
           tokens = (SELECT coalesce(sum(tokens), 0) FROM passage_terms WHERE document_id = $1) WHERE document_id = $1`,
        [documentId, [...new Set(names)]],
      )
    yield* store()
    if (titlesOf(before) === titlesOf(now)) return
    yield* indexAgain(documentId)
    yield* store()
  },
  *remove(documentId) {
    const removed = 'DELETE FROM documents WHERE document_id = $1 RETURNING document_id'
    return (yield* all(removed, [documentId])).length > 0
  },
}

function* openingOf(documentId: string): Work<string | null> {
  const row = yield* first<{ text: string | null }>(
    `SELECT string_agg(text, '' ORDER BY start_at) AS text FROM page_pieces
     WHERE document_id = $1 AND page = 1 AND start_at < ${headLength}`,
    [documentId],
  )
  return row?.text?.slice(0, headLength) ?? null
}

/** Passages read and indexed in one statement. */
const indexedAtOnce = 500

function* indexAgain(documentId: string): Work<void> {
  let rows: readonly FoundBy[] = []
  let from = 0
  do {
    rows = yield* all<FoundBy>(
      `${foundBy('passages')} AND passages.document_id = $1 AND ordinal >= $2 ORDER BY ordinal LIMIT ${indexedAtOnce}`,
      [documentId, from],
    )
    yield* index(documentId, rows)
    from = (rows.at(-1)?.ordinal ?? from) + 1
  } while (rows.length === indexedAtOnce)
}

/** What a passage is found by. */
interface FoundBy extends Pick<Passage, 'ordinal' | 'section' | 'text'>, Pick<DocumentRow, 'title' | 'source'> {
  readonly number: number
  readonly header: string | null
}

/** Of the rows of a table of passages; pages of the web are not searched. */
const foundBy = (table: string) => `
  SELECT passages.number, ordinal, section, text, header, title, source FROM ${table} AS passages
  JOIN pages ON pages.document_id = passages.document_id AND pages.number = page
  JOIN documents ON documents.document_id = passages.document_id WHERE format <> 'web'`

function* index(documentId: string, rows: readonly FoundBy[]): Work<void> {
  if (rows.length === 0) return
  const passages = rows.map(({ number, text, section, header, ...document }) => {
    return { number, title: titlesOf(document), section: joined(section, header), text }
  })
  yield* indexPassages(documentId, passages)
}
