import { DocumentNotFound } from '../../../errors.ts'
import type { DocumentRecord, NewDocument, Passage } from '../../../library/port/document.ts'
import { piecesOf } from '../../../library/port/document.ts'
import type { SourceRecord } from '../../../library/port/passage-index.ts'
import { descriptionOf, joined, titlesOf } from '../../document-rows.ts'
import { carryOver, metadataOf, putReader } from '../../sql/document-metadata.ts'
import type { LibraryTables } from './library-tables.ts'
import { passageReader } from './page-texts.ts'

// Call all of this inside `write`.

/** Passages that one transaction removes or indexes: it blocks the event loop for about 20 ms. */
export const mostAtOnce = 200

/** Stores a whole document. True if it was not there. */
export function put(tables: LibraryTables, document: NewDocument, source: SourceRecord): boolean {
  const { record, pages, passages } = document
  const isNew = tables.document.get(record.documentId) === undefined
  clear(tables, record.documentId)
  putRecord(tables, { ...record, pages: pages.length, passages: passages.length })
  for (const page of pages) for (const piece of piecesOf(page)) tables.texts.put(record.documentId, piece)
  for (const passage of passages) putPassage(tables, passage)
  tables.run(putReader(document))
  link(tables, source, { isNew: true })
  return isNew
}

/** Stores a document's record. The index of an empty library is current. */
export function putRecord(tables: LibraryTables, record: DocumentRecord): void {
  const { terms } = tables
  if (!terms.isCurrent() && !tables.ownPassagesAfter.get(0, 1)) terms.setCurrent()
  tables.putDocument.run({ ...record, authors: JSON.stringify(record.authors) })
}

/** The passage's page must be stored. */
export function addPassageTerms(
  { terms, texts }: LibraryTables,
  number: number,
  { section, text, documentId, page }: Passage,
  document: TitledDocument,
): void {
  const header = texts.headerOf(documentId, page)
  terms.add(number, { title: titlesOf(document), section: joined(section, header), text })
}

export function putPassage(tables: LibraryTables, passage: Passage): number {
  const { passageId, documentId, ordinal, page, section, sections, kind, start, end } = passage
  const names = [section, sections ? JSON.stringify(sections) : null]
  return Number(tables.putPassage.run(passageId, documentId, ordinal, page, ...names, kind, start, end).lastInsertRowid)
}

export type TitledDocument = Pick<DocumentRecord, 'documentId' | 'title' | 'source'>

/** Removes a document's contents, but not its record or its sources. */
function clear(tables: LibraryTables, documentId: string): void {
  tables.terms.removeDocument(documentId)
  tables.removePassages.run(documentId)
  tables.removePages.run(documentId)
  tables.removePieces.run(documentId)
  tables.removeUnfinished.run(documentId)
}

export function link(tables: LibraryTables, source: SourceRecord, { isNew = false } = {}): void {
  if (!tables.document.get(source.documentId))
    throw new DocumentNotFound(`There is no document "${source.documentId}".`)
  const before = tables.source.get(source.source)
  if (before && before.documentId !== source.documentId) {
    tables.run(carryOver(before.documentId, source.documentId))
    unlink(tables, before.source)
  }
  tables.putSource.run({ location: null, ...source })
  settle(tables, source.documentId, { isNew })
}

/** True if this was the document's last source, so that it was removed; until then one of the others names it. */
export function unlink(tables: LibraryTables, source: string): boolean {
  const row = tables.source.get(source)
  if (!row) return false
  tables.removeSource.run(source)
  if (tables.sourcesOf.get(row.documentId)) settle(tables, row.documentId)
  else return removeDocument(tables, row.documentId)
  return false
}

/**
 * Updates a document's title, authors, year and path from all statements. A new title is indexed at once in a short
 * document, later in a long one, which is noted in `tables.retitled`.
 */
export function settle(tables: LibraryTables, documentId: string, { isNew = false } = {}): void {
  const row = tables.document.get(documentId)
  const metadata = tables.run(metadataOf(documentId))
  if (!row || !metadata || row.format === 'web') return
  const sources = tables.sourcesOf.all(documentId).map(({ source }) => source)
  const document = descriptionOf(row, metadata, sources)
  tables.describeDocument.run(document)
  if (!isNew && titlesOf(row) === titlesOf(document)) return
  if (!isNew && row.passages > mostAtOnce) tables.retitled.add(documentId)
  else indexSome(tables, documentId, { after: -1, limit: row.passages })
}

/** A large document is hidden, and `removeAbandoned` removes it in batches. */
export function removeDocument(tables: LibraryTables, documentId: string): boolean {
  const document = tables.document.get(documentId)
  if (document && document.passages > mostAtOnce) {
    tables.removeSourcesOf.run(documentId)
    tables.putUnfinished.run({ documentId, claim: '', pid: 0, startedAt: '', activeAt: 0 })
    return true
  }
  clear(tables, documentId)
  return tables.removeDocument.run(documentId).changes > 0
}

/** Indexes the next passages of a document. Resumes after the ordinal that it returns; null at the end. */
export function indexSome(
  tables: LibraryTables,
  documentId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): number | null {
  const document = tables.anyDocument.get(documentId)
  const rows = tables.passagesOf.all({ documentId, page: null, after, limit })
  const read = passageReader(tables.texts)
  if (document) for (const row of rows) addPassageTerms(tables, row.number, read(row), document)
  return rows.length < limit ? null : (rows.at(-1)?.ordinal ?? null)
}

/**
 * Indexes the next passages of an index that was reset, or that an earlier version of the program made. Resumes at the
 * place that it returns; null at the end.
 */
export function renewSome(tables: LibraryTables, place: RenewalPlace): RenewalPlace | null {
  const { terms, texts } = tables
  const form = terms.form()
  if (terms.isCurrent()) return null
  const rows = tables.ownPassagesAfter.all(place.form === form ? place.after : 0, mostAtOnce)
  const read = passageReader(texts)
  for (const row of rows) {
    const document = tables.anyDocument.get(row.documentId)
    if (document) addPassageTerms(tables, row.number, read(row), document)
  }
  const last = rows.at(-1)
  if (last && rows.length === mostAtOnce) return { form, after: last.number }
  terms.setCurrent()
  return null
}

/** The last renewed passage; the renewal starts again if the index was reset since. */
export interface RenewalPlace {
  readonly form: number
  readonly after: number
}
