import type { Passage } from '../../../library/port/document.ts'
import type { DocumentRow, SourceRow } from '../../document-rows.ts'
import type { Work } from '../../sql/work.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { runWork } from '../database/run-work.ts'
import { type PageTexts, pageTexts } from './page-texts.ts'
import { type PassageTerms, passageTerms } from './passage-terms.ts'

/** The statements over documents, sources and passages; those that read do not see unfinished documents. */
export type LibraryTables = ReturnType<typeof prepareAll> & {
  /** Runs work within the transaction. */
  readonly run: <T>(work: Work<T>) => T
  readonly texts: PageTexts
  readonly terms: PassageTerms
  /** Documents whose index entries may contain an old title. */
  readonly retitled: Set<string>
}

export function libraryTables(database: SqliteDatabase): LibraryTables {
  const run = <T>(work: Work<T>) => runWork(database, work)
  const parts = { run, texts: pageTexts(database), terms: passageTerms(database) }
  return { ...prepareAll(database), ...parts, retitled: new Set() }
}

function prepareAll(database: SqliteDatabase) {
  return { ...prepareDocuments(database), ...preparePassages(database), ...prepareUnfinished(database) }
}

type TitledRow = Pick<DocumentRow, 'documentId' | 'title' | 'source'>

const isComplete = 'document_id NOT IN (SELECT document_id FROM unfinished_documents)'

interface Query<P extends unknown[], R> {
  get(...parameters: P): R | undefined
  all(...parameters: P): R[]
}

interface Command {
  run(...parameters: unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
}

function statementsOver({ connection }: SqliteDatabase) {
  return {
    query: <P extends unknown[], R>(sql: string): Query<P, R> => connection.prepare<P, R>(sql),
    command: (sql: string): Command => connection.prepare(sql),
  }
}

function prepareDocuments(database: SqliteDatabase) {
  const { query, command } = statementsOver(database)
  const documents =
    'SELECT document_id AS documentId, title, authors, year, source, format, pages, passages FROM documents'
  const sources = 'SELECT source, document_id AS documentId, size, modified_ms AS modifiedMs, location FROM sources'
  return {
    documents: query<[number, number, number], DocumentRow>(
      `${documents} WHERE (format <> 'web' OR ?) AND ${isComplete}
       ORDER BY coalesce(title, source) COLLATE NOCASE, document_id LIMIT ? OFFSET ?`,
    ),
    document: query<[string], DocumentRow>(`${documents} WHERE document_id = ? AND ${isComplete}`),
    // Those that are unfinished too.
    anyDocument: query<[string], TitledRow>(
      'SELECT document_id AS documentId, title, source FROM documents WHERE document_id = ?',
    ),
    putDocument: command(
      `INSERT INTO documents (document_id, title, authors, year, source, format, pages, passages)
       VALUES (@documentId, @title, @authors, @year, @source, @format, @pages, @passages)
       ON CONFLICT DO UPDATE SET title = @title, authors = @authors, year = @year, source = @source, format = @format,
                                 pages = @pages, passages = @passages`,
    ),
    describeDocument: command(
      `UPDATE documents SET title = @title, authors = @authors, year = @year, source = @source
       WHERE document_id = @documentId`,
    ),
    growDocument: command('UPDATE documents SET pages = pages + ?, passages = passages + ? WHERE document_id = ?'),
    removeDocument: command('DELETE FROM documents WHERE document_id = ?'),
    source: query<[string], SourceRow>(`${sources} WHERE source = ?`),
    sources: query<[], SourceRow>(
      `${sources} WHERE document_id IN (SELECT document_id FROM documents WHERE format <> 'web') ORDER BY number`,
    ),
    sourcesOf: query<[string], SourceRow>(`${sources} WHERE document_id = ? ORDER BY number`),
    putSource: command(
      `INSERT INTO sources (source, document_id, size, modified_ms, location)
       VALUES (@source, @documentId, @size, @modifiedMs, @location)
       ON CONFLICT (source) DO UPDATE SET document_id = @documentId, size = @size, modified_ms = @modifiedMs,
                                          location = @location`,
    ),
    removeSourcesOf: command('DELETE FROM sources WHERE document_id = ?'),
    removeSource: command('DELETE FROM sources WHERE source = ?'),
    removePages: command('DELETE FROM pages WHERE document_id = ?'),
    removePieces: command('DELETE FROM page_pieces WHERE document_id = ?'),
    removeSomePieces: command(
      'DELETE FROM page_pieces WHERE rowid IN (SELECT rowid FROM page_pieces WHERE document_id = ? LIMIT ?)',
    ),
  }
}

function prepareUnfinished(database: SqliteDatabase) {
  const { query, command } = statementsOver(database)
  const unfinished =
    'SELECT document_id AS documentId, claim, pid, process_start AS startedAt, active_at AS activeAt FROM unfinished_documents'
  return {
    unfinished: query<[], UnfinishedRow>(`${unfinished}`),
    unfinishedOf: query<[string], UnfinishedRow>(`${unfinished} WHERE document_id = ?`),
    putUnfinished: command(
      `INSERT OR REPLACE INTO unfinished_documents (document_id, claim, pid, process_start, active_at)
       VALUES (@documentId, @claim, @pid, @startedAt, @activeAt)`,
    ),
    touchUnfinished: command(
      'UPDATE unfinished_documents SET active_at = @activeAt WHERE document_id = @documentId AND claim = @claim',
    ),
    removeUnfinished: command('DELETE FROM unfinished_documents WHERE document_id = ?'),
  }
}

function preparePassages(database: SqliteDatabase) {
  const { query, command } = statementsOver(database)
  const passages = `SELECT number, passage_id AS passageId, document_id AS documentId, ordinal, page, section, sections, kind,
                    start_at AS start, end_at AS "end" FROM passages`
  return {
    ownPassagesAfter: query<[number, number], PassageRow>(
      `${passages} WHERE number > ? AND document_id IN (SELECT document_id FROM documents WHERE format <> 'web')
       ORDER BY number LIMIT ?`,
    ),
    passage: query<[string], PassageRow>(`${passages} WHERE passage_id = ? AND ${isComplete}`),
    passagesOf: query<[{ documentId: string; page: number | null; after: number; limit: number }], PassageRow>(
      `${passages} WHERE document_id = @documentId AND (page = @page OR @page IS NULL) AND ordinal > @after
       AND ${isComplete} ORDER BY ordinal LIMIT @limit`,
    ),
    neighbours: query<[{ passageId: string; before: number; after: number }], PassageRow>(
      `WITH found AS (SELECT document_id AS document, ordinal AS place FROM passages
                      WHERE passage_id = @passageId AND ${isComplete})
       ${passages} JOIN found ON document_id = document AND ordinal BETWEEN place - @before AND place + @after
       ORDER BY ordinal`,
    ),
    putPassage: command(
      `INSERT INTO passages (passage_id, document_id, ordinal, page, section, sections, kind, start_at, end_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    passageAt: query<[number], PassageRow>(`${passages} WHERE number = ?`),
    removePassages: command('DELETE FROM passages WHERE document_id = ?'),
    removeSomePassages: command('DELETE FROM passages WHERE document_id = ? AND ordinal < ?'),
    firstOrdinal: query<[string], { ordinal: number | null }>(
      'SELECT min(ordinal) AS ordinal FROM passages WHERE document_id = ?',
    ),
  }
}

/** The text is on the page. */
export interface PassageRow extends Omit<Passage, 'text' | 'sections'> {
  readonly number: number
  readonly sections: string | null
}

/** A document that is being stored or removed, and the process that does it. */
export interface UnfinishedRow {
  readonly documentId: string
  /** The id of this attempt; empty for a document to be removed. */
  readonly claim: string
  readonly pid: number
  readonly startedAt: string
  readonly activeAt: number
}
