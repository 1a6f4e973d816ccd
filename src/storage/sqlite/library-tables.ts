import type { DocumentRecord, PageText, Passage } from '../../library/document.ts'
import type { FailureRecord, SourceRecord } from '../../library/passage-index.ts'
import type { SqliteDatabase } from './database.ts'

export interface DocumentRow extends Omit<DocumentRecord, 'authors'> {
  readonly authors: string
}

/** A passage as the table holds it; its text stands on its page. */
export interface PassageRow extends Omit<Passage, 'text'> {
  readonly number: number
}

/** A source as the table holds it. */
export interface SourceRow extends Pick<SourceRecord, 'source' | 'documentId' | 'size' | 'modifiedMs'> {
  readonly location: string | null
  readonly sidecar: string | null
}

/** The statements over documents, their sources, pages and passages. */
export function libraryTables({ connection }: SqliteDatabase) {
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
