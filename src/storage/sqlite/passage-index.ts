import { basename } from 'node:path'
import { DocumentNotFound } from '../../errors.ts'
import type { DocumentRecord, NewDocument, PageText, Passage } from '../../library/document.ts'
import type { MatchQuery, PassageIndex, PassageMatch, SourceRecord } from '../../library/passage-index.ts'
import type { SqliteDatabase } from './database.ts'
import { isDamage } from './failure.ts'
import { type PassageTerms, passageTerms } from './passage-terms.ts'

/**
 * Keeps documents, pages and passages in tables, and the words of passages in a full-text index that holds no text of
 * its own. Pages fetched from the web are kept, so that quotes can be checked, but not indexed.
 */
export function sqlitePassageIndex(database: SqliteDatabase): PassageIndex {
  const tables = prepare(database)
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

  return {
    put: (document, source) => repairing(() => database.write(() => put(tables, terms, document, source))),
    source: async (source) => (await database.read(() => tables.source.get(source))) ?? null,
    linkSource: (source) => repairing(() => database.write(() => link(tables, terms, source))),
    remove: (documentId) => repairing(() => database.write(() => removeDocument(tables, terms, documentId))),
    documents: ({ includeWeb = false } = {}) =>
      database.read(() => tables.documents.all(includeWeb ? 1 : 0).map(documentOf)),
    document: (documentId) => database.read(() => documentReader(tables)(documentId)),
    page: async (documentId, page) => (await database.read(() => tables.page.get(documentId, page))) ?? null,
    passages: (passageIds) =>
      database.read(() => passageIds.flatMap((id) => tables.passage.get(id) ?? []).map(passageReader(tables))),
    passagesOf: (documentId, page) =>
      database.read(() => tables.passagesOf.all(documentId, page ?? null, page ?? null).map(passageReader(tables))),
    match: (query) => repairing(() => database.read(() => match(tables, terms, query))),
    frequencies: (words) => repairing(() => database.read(() => terms.frequencies(words))),
  }
}

interface DocumentRow extends Omit<DocumentRecord, 'authors'> {
  readonly authors: string
}

/** A passage as the table holds it; its text stands on its page. */
interface PassageRow extends Omit<Passage, 'text'> {
  readonly number: number
}

type Tables = ReturnType<typeof prepare>

function prepare({ connection }: SqliteDatabase) {
  const documents =
    'SELECT document_id AS documentId, title, authors, year, source, format, pages, passages FROM documents'
  const passages = `SELECT number, passage_id AS passageId, document_id AS documentId, ordinal, page, section, kind,
                    start_at AS start, end_at AS "end" FROM passages`
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
    removeDocument: connection.prepare('DELETE FROM documents WHERE document_id = ?'),
    source: connection.prepare<[string], SourceRecord>(
      `SELECT source, document_id AS documentId, size, modified_ms AS modifiedMs FROM sources WHERE source = ?`,
    ),
    oldestSource: connection.prepare<[string], { source: string }>(
      'SELECT source FROM sources WHERE document_id = ? ORDER BY number LIMIT 1',
    ),
    putSource: connection.prepare(
      `INSERT INTO sources (source, document_id, size, modified_ms) VALUES (@source, @documentId, @size, @modifiedMs)
       ON CONFLICT (source) DO UPDATE SET document_id = @documentId, size = @size, modified_ms = @modifiedMs`,
    ),
    removeSource: connection.prepare('DELETE FROM sources WHERE source = ?'),
    renameDocument: connection.prepare('UPDATE documents SET source = ? WHERE document_id = ? AND source = ?'),
    page: connection.prepare<[string, number], PageText>(
      'SELECT number, label, text, header FROM pages WHERE document_id = ? AND number = ?',
    ),
    putPage: connection.prepare('INSERT INTO pages (document_id, number, label, text, header) VALUES (?, ?, ?, ?, ?)'),
    removePages: connection.prepare('DELETE FROM pages WHERE document_id = ?'),
    passage: connection.prepare<[string], PassageRow>(`${passages} WHERE passage_id = ?`),
    passagesOf: connection.prepare<[string, number | null, number | null], PassageRow>(
      `${passages} WHERE document_id = ? AND (page = ? OR ? IS NULL) ORDER BY ordinal`,
    ),
    putPassage: connection.prepare(
      `INSERT INTO passages (passage_id, document_id, ordinal, page, section, kind, start_at, end_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    passageAt: connection.prepare<[number], PassageRow>(`${passages} WHERE number = ?`),
    removePassages: connection.prepare('DELETE FROM passages WHERE document_id = ?'),
  }
}

function put(tables: Tables, terms: PassageTerms, document: NewDocument, source: SourceRecord): void {
  const { record, pages, passages } = document
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
  if (record.format !== 'web') addTerms(tables, terms, record)
  link(tables, terms, source)
}

/** Indexes a document's passages under its title, its file's name, their headings and the header of their page. */
function addTerms(tables: Tables, terms: PassageTerms, { documentId, title, source }: TitledDocument): void {
  const read = passageReader(tables)
  const titles = joined(title, basename(source))
  for (const row of tables.passagesOf.all(documentId, null, null)) {
    const header = tables.page.get(documentId, row.page)?.header ?? null
    terms.add(row.number, { title: titles, section: joined(row.section, header), text: read(row).text })
  }
}

type TitledDocument = Pick<DocumentRecord, 'documentId' | 'title' | 'source'>

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ')
}

/** Takes out what a document consists of, but not the document or its sources. */
function clear(tables: Tables, terms: PassageTerms, documentId: string): void {
  terms.removeDocument(documentId)
  tables.removePassages.run(documentId)
  tables.removePages.run(documentId)
}

function link(tables: Tables, terms: PassageTerms, source: SourceRecord): void {
  if (!tables.document.get(source.documentId))
    throw new DocumentNotFound(`There is no document "${source.documentId}".`)
  const before = tables.source.get(source.source)
  if (before && before.documentId !== source.documentId) unlink(tables, terms, before)
  tables.putSource.run(source)
}

/** A document goes with its last source; until then it is named after one that it still has. */
function unlink(tables: Tables, terms: PassageTerms, { source, documentId }: SourceRecord): void {
  tables.removeSource.run(source)
  const oldest = tables.oldestSource.get(documentId)
  if (oldest) tables.renameDocument.run(oldest.source, documentId, source)
  else removeDocument(tables, terms, documentId)
}

function removeDocument(tables: Tables, terms: PassageTerms, documentId: string): boolean {
  clear(tables, terms, documentId)
  return tables.removeDocument.run(documentId).changes > 0
}

function rebuild(tables: Tables, terms: PassageTerms): void {
  terms.reset()
  for (const document of tables.documents.all(0)) addTerms(tables, terms, document)
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
