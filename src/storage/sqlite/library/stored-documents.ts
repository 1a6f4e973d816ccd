import { basename } from 'node:path'
import { DocumentNotFound } from '../../../errors.ts'
import { hasOtherScripts } from '../../../library/language/terms.ts'
import type { DocumentRecord, NewDocument, Passage } from '../../../library/port/document.ts'
import { piecesOf } from '../../../library/port/page-pieces.ts'
import type { SourceRecord } from '../../../library/port/passage-index.ts'
import type { PassageRow } from './library-rows.ts'
import type { LibraryTables } from './library-tables.ts'
import { passageReader } from './page-texts.ts'

// All of this belongs inside `write`.

const mostRemovedAtOnce = 200

/** Stores a whole document. True if it was not there. */
export function put(tables: LibraryTables, document: NewDocument, source: SourceRecord): boolean {
  const { record, pages, passages } = document
  const isNew = tables.document.get(record.documentId) === undefined
  clear(tables, record.documentId)
  tables.putDocument.run({
    ...record,
    authors: JSON.stringify(record.authors),
    pages: pages.length,
    passages: passages.length,
  })
  for (const page of pages) for (const piece of piecesOf(page)) tables.texts.put(record.documentId, piece)
  for (const passage of passages) putPassage(tables, passage)
  tables.metadata.putReader(document)
  link(tables, source, { isNew: true })
  return isNew
}

/** Indexes a document's passages under its title, its file's name, their headings and the header of their page. */
function addTerms(tables: LibraryTables, document: TitledDocument): void {
  const read = passageReader(tables.texts)
  for (const row of rowsOf(tables, document.documentId)) addPassageTerms(tables, row.number, read(row), document)
}

/** Call it inside `write`, once the passage's page is there. */
export function addPassageTerms(
  { terms, texts }: LibraryTables,
  number: number,
  { section, text, documentId, page }: Passage,
  document: TitledDocument,
): void {
  const header = texts.headerOf(documentId, page)
  terms.add(number, { title: titlesOf(document), section: joined(section, header), text })
}

/** Gives back the row's number. */
export function putPassage(tables: LibraryTables, passage: Passage): number {
  const { passageId, documentId, ordinal, page, section, kind, start, end } = passage
  return Number(tables.putPassage.run(passageId, documentId, ordinal, page, section, kind, start, end).lastInsertRowid)
}

function rowsOf(tables: LibraryTables, documentId: string): readonly PassageRow[] {
  return tables.anyPassagesOf.all(documentId)
}

export type TitledDocument = Pick<DocumentRecord, 'documentId' | 'title' | 'source'>

/** What a document is called: its title and its file's name. */
function titlesOf({ title, source }: TitledDocument): string {
  return joined(title, basename(source))
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ')
}

/** Takes out what a document consists of, but not the document or its sources. */
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
    tables.metadata.carryOver(before.documentId, source.documentId)
    unlink(tables, before.source)
  }
  const { sidecar, location = null } = source
  tables.putSource.run({ ...source, location, sidecar: sidecar ? JSON.stringify(sidecar) : null })
  tables.removeFailure.run(source.source)
  settle(tables, source.documentId, { isNew })
}

/** True if the document went with its last source; until then it is named after one that it still has. */
export function unlink(tables: LibraryTables, source: string): boolean {
  const row = tables.source.get(source)
  tables.removeFailure.run(source)
  if (!row) return false
  tables.removeSource.run(source)
  if (tables.sourcesOf.get(row.documentId)) settle(tables, row.documentId)
  else return removeDocument(tables, row.documentId)
  return false
}

/** Brings the title, authors, year and path in force that hold now, and the index if it knows others or none. */
export function settle(tables: LibraryTables, documentId: string, { isNew = false } = {}): void {
  const row = tables.document.get(documentId)
  const metadata = tables.metadata.of(documentId)
  if (!row || !metadata || row.format === 'web') return
  const sources = tables.sourcesOf.all(documentId).map(({ source }) => source)
  const document = {
    documentId,
    title: metadata.title[0]?.value ?? null,
    authors: JSON.stringify(metadata.authors[0]?.value ?? []),
    year: metadata.year[0]?.value ?? null,
    source: sources.includes(row.source) ? row.source : (sources[0] ?? row.source),
  }
  tables.describeDocument.run(document)
  if (!isNew && titlesOf(row) === titlesOf(document)) return
  tables.terms.removeDocument(documentId)
  addTerms(tables, document)
}

/** What is too large to be removed in one go is hidden, for `removeUnfinished` to remove it in batches. */
export function removeDocument(tables: LibraryTables, documentId: string): boolean {
  const document = tables.document.get(documentId)
  if (document && document.passages > mostRemovedAtOnce) {
    tables.removeSourcesOf.run(documentId)
    tables.putUnfinished.run({ documentId, claim: '', pid: 0, startedAt: '', activeAt: 0 })
    return true
  }
  clear(tables, documentId)
  return tables.removeDocument.run(documentId).changes > 0
}

export function rebuild(tables: LibraryTables): void {
  tables.terms.reset()
  // Those who are storing a document now go on as if its first passages were indexed.
  for (const document of tables.anyDocuments.all()) addTerms(tables, document)
}

/** Indexes anew what an earlier version of the program indexed otherwise: documents in other scripts than Latin. */
export function renew(tables: LibraryTables): void {
  for (const document of tables.documents.all(0)) {
    const read = passageReader(tables.texts)
    const isPlain = rowsOf(tables, document.documentId).every((row) => {
      const { text, section, documentId, page } = read(row)
      return !hasOtherScripts(joined(text, section, tables.texts.headerOf(documentId, page)))
    })
    if (isPlain && !hasOtherScripts(titlesOf(document))) continue
    tables.terms.removeDocument(document.documentId)
    addTerms(tables, document)
  }
  tables.terms.setCurrent()
}
