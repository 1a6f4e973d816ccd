import type BetterSqlite3 from 'better-sqlite3'
import type { FailureRecord } from '../../../library/passage-index.ts'
import type { SqliteDatabase } from '../database.ts'
import { type MetadataTable, metadataTable } from './document-metadata.ts'
import type { DocumentRow, PassageRow, SourceRow, UnfinishedRow } from './library-rows.ts'
import { type PageTexts, pageTexts } from './page-texts.ts'
import { type PassageTerms, passageTerms } from './passage-terms.ts'

/** The statements over documents, sources and passages; what is unfinished is not seen by those that read. */
export type LibraryTables = ReturnType<typeof prepare> & {
  readonly metadata: MetadataTable
  readonly texts: PageTexts
  readonly terms: PassageTerms
}

export function libraryTables(database: SqliteDatabase): LibraryTables {
  const parts = { metadata: metadataTable(database), texts: pageTexts(database), terms: passageTerms(database) }
  return { ...prepare(database), ...parts }
}

type TitledRow = Pick<DocumentRow, 'documentId' | 'title' | 'source'>

function prepare({ connection }: { readonly connection: BetterSqlite3.Database }) {
  const documents =
    'SELECT document_id AS documentId, title, authors, year, source, format, pages, passages FROM documents'
  const titled = 'SELECT document_id AS documentId, title, source FROM documents'
  const isComplete = 'document_id NOT IN (SELECT document_id FROM unfinished_documents)'
  const passages = `SELECT number, passage_id AS passageId, document_id AS documentId, ordinal, page, section, kind,
                    start_at AS start, end_at AS "end" FROM passages`
  const sources =
    'SELECT source, document_id AS documentId, size, modified_ms AS modifiedMs, location, sidecar FROM sources'
  const unfinished =
    'SELECT document_id AS documentId, claim, pid, process_start AS startedAt, active_at AS activeAt FROM unfinished_documents'
  return {
    documents: connection.prepare<[number], DocumentRow>(
      `${documents} WHERE (format <> 'web' OR ?) AND ${isComplete}
       ORDER BY coalesce(title, source) COLLATE NOCASE, document_id`,
    ),
    document: connection.prepare<[string], DocumentRow>(`${documents} WHERE document_id = ? AND ${isComplete}`),
    // Those that are unfinished too.
    anyDocument: connection.prepare<[string], TitledRow>(`${titled} WHERE document_id = ?`),
    anyDocuments: connection.prepare<[], TitledRow>(`${titled} WHERE format <> 'web'`),
    anyPassagesOf: connection.prepare<[string], PassageRow>(`${passages} WHERE document_id = ? ORDER BY ordinal`),
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
    growDocument: connection.prepare(
      'UPDATE documents SET pages = pages + ?, passages = passages + ? WHERE document_id = ?',
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
    removeSourcesOf: connection.prepare('DELETE FROM sources WHERE document_id = ?'),
    removeSource: connection.prepare('DELETE FROM sources WHERE source = ?'),
    failure: connection.prepare<[string], FailureRecord>(
      'SELECT source, size, modified_ms AS modifiedMs, reader, code, message FROM failures WHERE source = ?',
    ),
    putFailure: connection.prepare(
      `INSERT OR REPLACE INTO failures (source, size, modified_ms, reader, code, message)
       VALUES (@source, @size, @modifiedMs, @reader, @code, @message)`,
    ),
    removeFailure: connection.prepare('DELETE FROM failures WHERE source = ?'),
    removePages: connection.prepare('DELETE FROM pages WHERE document_id = ?'),
    removePieces: connection.prepare('DELETE FROM page_pieces WHERE document_id = ?'),
    removeSomePieces: connection.prepare(
      'DELETE FROM page_pieces WHERE rowid IN (SELECT rowid FROM page_pieces WHERE document_id = ? LIMIT ?)',
    ),
    passage: connection.prepare<[string], PassageRow>(`${passages} WHERE passage_id = ? AND ${isComplete}`),
    passagesOf: connection.prepare<
      [{ documentId: string; page: number | null; after: number; limit: number }],
      PassageRow
    >(
      `${passages} WHERE document_id = @documentId AND (page = @page OR @page IS NULL) AND ordinal > @after
       AND ${isComplete} ORDER BY ordinal LIMIT @limit`,
    ),
    neighbours: connection.prepare<[{ passageId: string; before: number; after: number }], PassageRow>(
      `WITH found AS (SELECT document_id AS document, ordinal AS place FROM passages
                      WHERE passage_id = @passageId AND ${isComplete})
       ${passages} JOIN found ON document_id = document AND ordinal BETWEEN place - @before AND place + @after
       ORDER BY ordinal`,
    ),
    putPassage: connection.prepare(
      `INSERT INTO passages (passage_id, document_id, ordinal, page, section, kind, start_at, end_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    passageAt: connection.prepare<[number], PassageRow>(`${passages} WHERE number = ?`),
    removePassages: connection.prepare('DELETE FROM passages WHERE document_id = ?'),
    removeSomePassages: connection.prepare('DELETE FROM passages WHERE document_id = ? AND ordinal < ?'),
    firstOrdinal: connection.prepare<[string], { ordinal: number | null }>(
      'SELECT min(ordinal) AS ordinal FROM passages WHERE document_id = ?',
    ),
    unfinished: connection.prepare<[], UnfinishedRow>(`${unfinished}`),
    unfinishedOf: connection.prepare<[string], UnfinishedRow>(`${unfinished} WHERE document_id = ?`),
    putUnfinished: connection.prepare(
      `INSERT OR REPLACE INTO unfinished_documents (document_id, claim, pid, process_start, active_at)
       VALUES (@documentId, @claim, @pid, @startedAt, @activeAt)`,
    ),
    touchUnfinished: connection.prepare(
      'UPDATE unfinished_documents SET active_at = @activeAt WHERE document_id = @documentId AND claim = @claim',
    ),
    removeUnfinished: connection.prepare('DELETE FROM unfinished_documents WHERE document_id = ?'),
  }
}
