import { basename } from 'node:path'
import { DocumentNotFound } from '../../../errors.ts'
import type { DocumentRecord, NewDocument, PageText } from '../../../library/document.ts'
import type {
  FailureRecord,
  MatchQuery,
  PassageIndex,
  PassageMatch,
  SourceRecord,
} from '../../../library/passage-index.ts'
import { hasOtherScripts } from '../../../library/search/terms.ts'
import type { SqliteDatabase } from '../database.ts'
import { isDamage } from '../failure.ts'
import { type MetadataTable, metadataTable } from './document-metadata.ts'
import { type DocumentRow, documentOf, type PassageRow, type SourceRow, sourceOf } from './library-rows.ts'
import { pageReader, passageReader } from './page-reader.ts'
import { type PassageTerms, passageTerms } from './passage-terms.ts'

/**
 * Keeps documents, pages and passages in tables, and the words of passages in a full-text index that holds no text of
 * its own. Pages fetched from the web are kept, so that quotes can be checked, but not indexed.
 */
export function sqlitePassageIndex(database: SqliteDatabase): PassageIndex {
  const tables = { ...prepare(database), metadata: metadataTable(database) }
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
    const { isCurrent } = terms
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
      database.read(() =>
        passageIds
          .flatMap((id) => tables.passage.get(id) ?? [])
          .map(passageReader((documentId, page) => tables.page.get(documentId, page))),
      ),
    passagesOf: (documentId, page) =>
      database.read(() =>
        tables.passagesOf
          .all(documentId, page ?? null, page ?? null)
          .map(passageReader((documentId, page) => tables.page.get(documentId, page))),
      ),
    neighbours: (passageId, reach) =>
      database.read(() =>
        tables.neighbours
          .all({ passageId, ...reach })
          .map(passageReader((documentId, page) => tables.page.get(documentId, page))),
      ),
    match: (query) => repairing(() => current(() => database.read(() => match(tables, terms, query)))),
    frequencies: (words) => repairing(() => current(() => database.read(() => terms.frequencies(words)))),
  }
}

type Tables = ReturnType<typeof prepare> & { readonly metadata: MetadataTable }

function prepare({ connection }: SqliteDatabase) {
  const documents =
    'SELECT document_id AS documentId, title, authors, year, source, format, pages, passages FROM documents'
  const passages = `SELECT number, passage_id AS passageId, document_id AS documentId, ordinal, page, section, kind,
                    start_at AS start, end_at AS "end" FROM passages`
  const sources =
    'SELECT source, document_id AS documentId, size, modified_ms AS modifiedMs, location, sidecar FROM sources'
  return {
    documents: connection.prepare<[number], DocumentRow>(
      `${documents} WHERE format <> 'web' OR ? ORDER BY coalesce(title, source) COLLATE NOCASE, document_id`,
    ),
    document: connection.prepare<[string], DocumentRow>(`${documents} WHERE document_id = ?`),
    putDocument: connection.prepare(
      `INSERT INTO documents (document_id, title, authors, year, source, format, pages, passages)
       VALUES (@documentId, @title, @authors, @year, @source, @format, @pages, @passages)
       ON CONFLICT DO UPDATE SET title = @title, authors = @authors, year = @year, source = @source, format = @format,
                                 pages = @pages, passages = @passages`,
    ),
    describeDocument: connection.prepare(
      `UPDATE documents SET title = @title, authors = @authors, year = @year, source = @source
       WHERE document_id = @documentId`,
    ),
    removeDocument: connection.prepare('DELETE FROM documents WHERE document_id = ?'),
    source: connection.prepare<[string], SourceRow>(`${sources} WHERE source = ?`),
    sources: connection.prepare<[], SourceRow>(
      `${sources} WHERE document_id IN (SELECT document_id FROM documents WHERE format <> 'web') ORDER BY number`,
    ),
    sourcesOf: connection.prepare<[string], SourceRow>(`${sources} WHERE document_id = ? ORDER BY number`),
    putSource: connection.prepare(
      `INSERT INTO sources (source, document_id, size, modified_ms, location, sidecar)
       VALUES (@source, @documentId, @size, @modifiedMs, @location, @sidecar)
       ON CONFLICT (source) DO UPDATE SET document_id = @documentId, size = @size, modified_ms = @modifiedMs,
                                          location = @location, sidecar = @sidecar`,
    ),
    removeSource: connection.prepare('DELETE FROM sources WHERE source = ?'),
    failure: connection.prepare<[string], FailureRecord>(
      'SELECT source, size, modified_ms AS modifiedMs, reader, code, message FROM failures WHERE source = ?',
    ),
    putFailure: connection.prepare(
      `INSERT OR REPLACE INTO failures (source, size, modified_ms, reader, code, message)
       VALUES (@source, @size, @modifiedMs, @reader, @code, @message)`,
    ),
    removeFailure: connection.prepare('DELETE FROM failures WHERE source = ?'),
    page: connection.prepare<[string, number], PageText>(
      'SELECT number, label, text, header FROM pages WHERE document_id = ? AND number = ?',
    ),
    pagesOf: connection.prepare<[string], { readonly text: string }>(
      "SELECT text || ' ' || coalesce(header, '') AS text FROM pages WHERE document_id = ?",
    ),
    putPage: connection.prepare('INSERT INTO pages (document_id, number, label, text, header) VALUES (?, ?, ?, ?, ?)'),
    removePages: connection.prepare('DELETE FROM pages WHERE document_id = ?'),
    passage: connection.prepare<[string], PassageRow>(`${passages} WHERE passage_id = ?`),
    passagesOf: connection.prepare<[string, number | null, number | null], PassageRow>(
      `${passages} WHERE document_id = ? AND (page = ? OR ? IS NULL) ORDER BY ordinal`,
    ),
    neighbours: connection.prepare<[{ passageId: string; before: number; after: number }], PassageRow>(
      `WITH found AS (SELECT document_id AS document, ordinal AS place FROM passages WHERE passage_id = @passageId)
       ${passages} JOIN found ON document_id = document AND ordinal BETWEEN place - @before AND place + @after
       ORDER BY ordinal`,
    ),
    putPassage: connection.prepare(
      `INSERT INTO passages (passage_id, document_id, ordinal, page, section, kind, start_at, end_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    passageAt: connection.prepare<[number], PassageRow>(`${passages} WHERE number = ?`),
    removePassages: connection.prepare('DELETE FROM passages WHERE document_id = ?'),
  }
}

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
  const pageOf = pageReader((documentId, page) => tables.page.get(documentId, page))
  const title = titlesOf(document)
  for (const { number, section, page, start, end } of tables.passagesOf.all(document.documentId, null, null)) {
    const { text = '', header = null } = pageOf(document.documentId, page) ?? {}
    terms.add(number, { title, section: joined(section, header), text: text.slice(start, end) })
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
  const read = passageReader((documentId, page) => tables.page.get(documentId, page))
  const documents = new Map<string, DocumentRecord | null>()
  return terms.match(query).flatMap(({ number, bm25 }) => {
    const row = tables.passageAt.get(number)
    if (!row) return []
    const document = documents.get(row.documentId) ?? documentReader(tables)(row.documentId)
    documents.set(row.documentId, document)
    return document ? [{ passage: read(row), document, bm25 }] : []
  })
}

const documentReader = (tables: Tables) => (documentId: string) => {
  const row = tables.document.get(documentId)
  return row ? documentOf(row) : null
}
