import { basename } from 'node:path'
import { DocumentNotFound } from '../../errors.ts'
import type { DocumentRecord, NewDocument, Passage } from '../../library/document.ts'
import type { MatchQuery, PassageIndex, PassageMatch, SourceRecord } from '../../library/passage-index.ts'
import { hasOtherScripts } from '../../library/terms.ts'
import type { SqliteDatabase } from './database.ts'
import { type MetadataTable, metadataTable } from './document-metadata.ts'
import { isDamage } from './failure.ts'
import { type DocumentRow, libraryTables, type PassageRow, type SourceRow } from './library-tables.ts'
import { type PassageTerms, passageTerms } from './passage-terms.ts'

/**
 * Keeps documents, pages and passages in tables, and the words of passages in a full-text index that holds no text of
 * its own. Pages fetched from the web are kept, so that quotes can be checked, but not indexed.
 */
export function sqlitePassageIndex(database: SqliteDatabase): PassageIndex {
  const tables = { ...libraryTables(database), metadata: metadataTable(database) }
  const terms = passageTerms(database)

  /** Makes the index anew from the tables when it turns out to be damaged, then tries once more. */
  async function repairing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error) || !isDamage(error.cause)) throw error
      await database.write(() => rebuild(tables, terms))
      return await work()
    }
  }

  /** Does the work once all words in the index are as this version of the program makes them. */
  async function current<T>(work: () => Promise<T>): Promise<T> {
    const isCurrent = () => terms.isCurrent()
    if (!(await database.read(isCurrent))) await database.write(() => isCurrent() || renew(tables, terms))
    return await work()
  }

  return {
    put: (document, source) => repairing(() => database.write(() => put(tables, terms, document, source))),
    source: (source) => database.read(() => sourceOf(tables.source.get(source))),
    linkSource: (source) => repairing(() => database.write(() => link(tables, terms, source))),
    sources: () => database.read(() => tables.sources.all().flatMap((row) => sourceOf(row) ?? [])),
    unlinkSource: (source) => repairing(() => database.write(() => unlink(tables, terms, source))),
    failure: async (source) => (await database.read(() => tables.failure.get(source))) ?? null,
    putFailure: (failure) => database.write(() => void tables.putFailure.run(failure)),
    metadata: (documentId) => database.read(() => tables.metadata.of(documentId)),
    override: (documentId, change) =>
      repairing(() =>
        database.write(() => {
          const format = tables.document.get(documentId)?.format
          if (!format || format === 'web') return false
          tables.metadata.override(documentId, change)
          settle(tables, terms, documentId)
          return true
        }),
      ),
    remove: (documentId) =>
      repairing(() =>
        database.write(() => {
          tables.metadata.forget(documentId)
          return removeDocument(tables, terms, documentId)
        }),
      ),
    documents: ({ includeWeb = false } = {}) =>
      database.read(() => tables.documents.all(includeWeb ? 1 : 0).map(documentOf)),
    document: (documentId) => database.read(() => documentReader(tables)(documentId)),
    page: async (documentId, page) => (await database.read(() => tables.page.get(documentId, page))) ?? null,
    passages: (passageIds) =>
      database.read(() => passageIds.flatMap((id) => tables.passage.get(id) ?? []).map(passageReader(tables))),
    passagesOf: (documentId, page) =>
      database.read(() => tables.passagesOf.all(documentId, page ?? null, page ?? null).map(passageReader(tables))),
    neighbours: (passageId, reach) =>
      database.read(() => tables.neighbours.all({ passageId, ...reach }).map(passageReader(tables))),
    match: (query) => repairing(() => current(() => database.read(() => match(tables, terms, query)))),
    frequencies: (words) => repairing(() => current(() => database.read(() => terms.frequencies(words)))),
  }
}

type Tables = ReturnType<typeof libraryTables> & { readonly metadata: MetadataTable }

function put(tables: Tables, terms: PassageTerms, document: NewDocument, source: SourceRecord): boolean {
  const { record, pages, passages } = document
  const isNew = tables.document.get(record.documentId) === undefined
  clear(tables, terms, record.documentId)
  tables.putDocument.run({
    ...record,
    authors: JSON.stringify(record.authors),
    pages: pages.length,
    passages: passages.length,
  })
  for (const { number, label, text, header } of pages) {
    tables.putPage.run(record.documentId, number, label, text, header)
  }
  for (const { passageId, ordinal, page, section, kind, start, end } of passages) {
    tables.putPassage.run(passageId, record.documentId, ordinal, page, section, kind, start, end)
  }
  tables.metadata.putReader(document)
  link(tables, terms, source, { isNew: true })
  return isNew
}

/** Indexes a document's passages under its title, its file's name, their headings and the header of their page. */
function addTerms(tables: Tables, terms: PassageTerms, document: TitledDocument): void {
  const read = passageReader(tables)
  const title = titlesOf(document)
  for (const row of tables.passagesOf.all(document.documentId, null, null)) {
    const header = tables.page.get(document.documentId, row.page)?.header ?? null
    terms.add(row.number, { title, section: joined(row.section, header), text: read(row).text })
  }
}

type TitledDocument = Pick<DocumentRecord, 'documentId' | 'title' | 'source'>

/** What a document is called: its title and its file's name. */
function titlesOf({ title, source }: TitledDocument): string {
  return joined(title, basename(source))
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ')
}

/** Takes out what a document consists of, but not the document or its sources. */
function clear(tables: Tables, terms: PassageTerms, documentId: string): void {
  terms.removeDocument(documentId)
  tables.removePassages.run(documentId)
  tables.removePages.run(documentId)
}

function link(tables: Tables, terms: PassageTerms, source: SourceRecord, { isNew = false } = {}): void {
  if (!tables.document.get(source.documentId))
    throw new DocumentNotFound(`There is no document "${source.documentId}".`)
  const before = tables.source.get(source.source)
  if (before && before.documentId !== source.documentId) {
    tables.metadata.carryOver(before.documentId, source.documentId)
    unlink(tables, terms, before.source)
  }
  const { sidecar, location = null } = source
  tables.putSource.run({ ...source, location, sidecar: sidecar ? JSON.stringify(sidecar) : null })
  tables.removeFailure.run(source.source)
  settle(tables, terms, source.documentId, { isNew })
}

/** True if the document went with its last source; until then it is named after one that it still has. */
function unlink(tables: Tables, terms: PassageTerms, source: string): boolean {
  const row = tables.source.get(source)
  tables.removeFailure.run(source)
  if (!row) return false
  tables.removeSource.run(source)
  if (tables.sourcesOf.get(row.documentId)) settle(tables, terms, row.documentId)
  else return removeDocument(tables, terms, row.documentId)
  return false
}

/** Brings the title, authors, year and path in force that hold now, and the index if it knows others or none. */
function settle(tables: Tables, terms: PassageTerms, documentId: string, { isNew = false } = {}): void {
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
  terms.removeDocument(documentId)
  addTerms(tables, terms, document)
}

function removeDocument(tables: Tables, terms: PassageTerms, documentId: string): boolean {
  clear(tables, terms, documentId)
  return tables.removeDocument.run(documentId).changes > 0
}

function rebuild(tables: Tables, terms: PassageTerms): void {
  terms.reset()
  for (const document of tables.documents.all(0)) addTerms(tables, terms, document)
}

/** Indexes anew what an earlier version of the program indexed otherwise: documents in other scripts than Latin. */
function renew(tables: Tables, terms: PassageTerms): void {
  for (const document of tables.documents.all(0)) {
    const texts = [titlesOf(document), ...tables.pagesOf.all(document.documentId).map(({ text }) => text)]
    if (!texts.some(hasOtherScripts)) continue
    terms.removeDocument(document.documentId)
    addTerms(tables, terms, document)
  }
  terms.setCurrent()
}

function match(tables: Tables, terms: PassageTerms, query: MatchQuery): PassageMatch[] {
  const read = passageReader(tables)
  const documents = new Map<string, DocumentRecord | null>()
  return terms.match(query).flatMap(({ number, bm25 }) => {
    const row = tables.passageAt.get(number)
    if (!row) return []
    const document = documents.get(row.documentId) ?? documentReader(tables)(row.documentId)
    documents.set(row.documentId, document)
    return document ? [{ passage: read(row), document, bm25 }] : []
  })
}

function sourceOf(row: SourceRow | undefined): SourceRecord | null {
  if (!row) return null
  const { location, sidecar, ...record } = row
  return {
    ...record,
    ...(location !== null && { location }),
    ...(sidecar !== null && { sidecar: JSON.parse(sidecar) }),
  }
}

function documentReader(tables: Tables): (documentId: string) => DocumentRecord | null {
  return (documentId) => {
    const row = tables.document.get(documentId)
    return row ? documentOf(row) : null
  }
}

function documentOf(row: DocumentRow): DocumentRecord {
  return { ...row, authors: JSON.parse(row.authors) }
}

/**
 * Makes passages of rows, reading each page once. Offsets count UTF-16 code units, as JavaScript does and SQLite does
 * not, so the text is cut out here.
 */
function passageReader(tables: Tables): (row: PassageRow) => Passage {
  const texts = new Map<string, string>()
  return ({ number: _, ...row }) => {
    const key = `${row.documentId} ${row.page}`
    const text = texts.get(key) ?? tables.page.get(row.documentId, row.page)?.text ?? ''
    texts.set(key, text)
    return { ...row, text: text.slice(row.start, row.end) }
  }
}
