import { type NewDocument, type Passage, piecesOf, type SourceRecord } from '../../../library/index.ts'
import { type DocumentRow, joined, titlesOf } from '../../document-rows.ts'
import type { Dialect } from '../../sql/dialect.ts'
import { type DocumentContents, DocumentTable, putRecord } from '../../sql/documents.ts'
import { all, first, type Work } from '../../sql/work.ts'
import { headerOf, type PassageRow, passageReader, putPiece } from './page-texts.ts'
import type { PassageTerms } from './passage-terms.ts'

/** Passages that one transaction removes or indexes: it blocks the event loop for about 20 ms. */
export const mostAtOnce = 200

/** Of a table or a query of passages. */
export const passageColumns = `number, passage_id AS "passageId", document_id AS "documentId", ordinal, page, section, sections,
  kind, start_at AS start, end_at AS "end"`

/** The documents of a library, with their passages and the index of those. */
export class StoredDocuments implements DocumentContents {
  readonly table: DocumentTable
  readonly terms: PassageTerms
  /** Documents whose index entries may contain an old title. */
  readonly retitled = new Set<string>()
  readonly #complete: string

  constructor(dialect: Dialect, terms: PassageTerms) {
    this.table = new DocumentTable(dialect, this)
    this.terms = terms
    this.#complete = dialect.library.complete
  }

  /** Stores a whole document. True if it was not there. */
  *put(document: NewDocument, source: SourceRecord): Work<boolean> {
    const { record, pages, passages } = document
    const isNew = (yield* this.table.document(record.documentId)) === undefined
    yield* this.#clear(record.documentId)
    yield* this.begin(document)
    for (const page of pages) for (const piece of piecesOf(page)) yield* putPiece(record.documentId, piece)
    for (const passage of passages) yield* putPassage(passage)
    yield* grow(record.documentId, { pages: pages.length, passages: passages.length })
    yield* this.table.link(source, { isNew: true })
    return isNew
  }

  /** Stores a document without contents. The index of an empty library is current. */
  *begin(document: NewDocument): Work<void> {
    if (!(yield* this.terms.isCurrent()) && (yield* ownPassagesAfter(0, 1)).length === 0) yield* this.terms.setCurrent()
    yield* putRecord(document)
  }

  /** A new title is indexed at once in a short document, later in a long one, which is noted in `retitled`. */
  *described(
    before: DocumentRow,
    now: Pick<DocumentRow, 'title' | 'source'>,
    { isNew }: { isNew: boolean },
  ): Work<void> {
    const { documentId, format, passages } = before
    if (format === 'web' || (!isNew && titlesOf(before) === titlesOf(now))) return
    if (!isNew && passages > mostAtOnce) this.retitled.add(documentId)
    else yield* this.indexSome(documentId, { after: -1, limit: passages })
  }

  /** A large document is hidden, and `removeAbandoned` removes it in batches. */
  *remove(documentId: string): Work<boolean> {
    const document = yield* this.table.document(documentId)
    if (document && document.passages > mostAtOnce) {
      yield* all('DELETE FROM sources WHERE document_id = $1', [documentId])
      yield* all(
        `INSERT INTO unfinished_documents (document_id, claim, pid, process_start, active_at) VALUES ($1, '', 0, '', 0)`,
        [documentId],
      )
      return true
    }
    yield* this.#clear(documentId)
    return (yield* all('DELETE FROM documents WHERE document_id = $1 RETURNING document_id', [documentId])).length > 0
  }

  /** The passages of a document that is complete, in order, of one page or of all. */
  passagesOf(
    documentId: string,
    { page = null, after, limit }: { page?: number | null; after: number; limit: number },
  ): Work<readonly PassageRow[]> {
    return all<PassageRow>(
      `SELECT ${passageColumns} FROM passages WHERE document_id = $1 AND (page = $2 OR $2 IS NULL) AND ordinal > $3
         AND ${this.#complete} ORDER BY ordinal LIMIT $4`,
      [documentId, page, after, limit],
    )
  }

  /** Indexes the next passages of a document. Resumes after the ordinal that it returns; null at the end. */
  *indexSome(documentId: string, { after, limit }: { after: number; limit: number }): Work<number | null> {
    const rows = yield* this.passagesOf(documentId, { after, limit })
    yield* this.#index(rows)
    return rows.length < limit ? null : (rows.at(-1)?.ordinal ?? null)
  }

  /**
   * Indexes the next passages of an index that was reset, or that an earlier version of the program made. Resumes at the
   * place that it returns; null at the end.
   */
  *renewSome(place: RenewalPlace): Work<RenewalPlace | null> {
    const form = yield* this.terms.form()
    if (yield* this.terms.isCurrent()) return null
    const rows = yield* ownPassagesAfter(place.form === form ? place.after : 0, mostAtOnce)
    yield* this.#index(rows)
    const last = rows.at(-1)
    if (last && rows.length === mostAtOnce) return { form, after: last.number }
    yield* this.terms.setCurrent()
    return null
  }

  /** The passage's page must be stored. */
  *addTerms(number: number, passage: Passage, document: Pick<DocumentRow, 'title' | 'source'>): Work<void> {
    const { section, text, documentId, page } = passage
    const header = yield* headerOf(documentId, page)
    yield* this.terms.add(number, { title: titlesOf(document), section: joined(section, header), text })
  }

  *#index(rows: readonly PassageRow[]): Work<void> {
    const read = passageReader()
    for (const row of rows) {
      const document = yield* anyDocument(row.documentId)
      if (document) yield* this.addTerms(row.number, yield* read(row), document)
    }
  }

  /** Removes a document's contents, but not its record or its sources. */
  *#clear(documentId: string): Work<void> {
    yield* this.terms.removeDocument(documentId)
    for (const table of ['passages', 'pages', 'page_pieces', 'unfinished_documents'])
      yield* all(`DELETE FROM ${table} WHERE document_id = $1`, [documentId])
  }
}

/** The last renewed passage; the renewal starts again if the index was reset since. */
export interface RenewalPlace {
  readonly form: number
  readonly after: number
}

/** What a document is called, also one that is unfinished. */
export function anyDocument(documentId: string): Work<Pick<DocumentRow, 'title' | 'source'> | undefined> {
  return first('SELECT title, source FROM documents WHERE document_id = $1', [documentId])
}

/** Stores a passage, and returns its number. */
export function* putPassage(passage: Passage): Work<number> {
  const { passageId, documentId, ordinal, page, section, sections, kind, start, end } = passage
  const row = yield* first<{ number: number }>(
    `INSERT INTO passages (passage_id, document_id, ordinal, page, section, sections, kind, start_at, end_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING number`,
    [passageId, documentId, ordinal, page, section, sections ? JSON.stringify(sections) : null, kind, start, end],
  )
  return row?.number ?? 0
}

/** Counts what was added to a document. */
export function grow(documentId: string, { pages, passages }: { pages: number; passages: number }): Work<unknown> {
  return all('UPDATE documents SET pages = pages + $2, passages = passages + $3 WHERE document_id = $1', [
    documentId,
    pages,
    passages,
  ])
}

/** Of the person's documents, in the order of their numbers. */
function ownPassagesAfter(number: number, limit: number): Work<readonly PassageRow[]> {
  return all<PassageRow>(
    `SELECT ${passageColumns} FROM passages
     WHERE number > $1 AND document_id IN (SELECT document_id FROM documents WHERE format <> 'web')
     ORDER BY number LIMIT $2`,
    [number, limit],
  )
}
