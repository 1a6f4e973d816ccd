import type { DocumentMetadata, MetadataChange, NewDocument, StatedMetadata } from '../../../library/port/document.ts'
import {
  allStatements,
  carriedStatements,
  changedStatements,
  type ReaderMetadata,
  readerMetadata,
} from '../../metadata-statements.ts'
import type { SqliteDatabase } from '../database/database.ts'

/** The titles, authors and years stated of a document. Call all of it inside `read` or `write`. */
export interface MetadataTable {
  /** Every statement on a document, the one in force first; null if there is no such document. */
  of(documentId: string): DocumentMetadata | null
  /** Stores what the reader found. */
  putReader(document: NewDocument): void
  override(documentId: string, change: MetadataChange): void
  /**
   * Copies a person's statements to the next version of a file, for each field in which the reader finds the same value
   * as before: a correction stays in force.
   */
  carryOver(from: string, to: string): void
  /** Removes a person's statements. */
  forget(documentId: string): void
}

/** Prepares the statements over `documents` and `overrides`. */
export function metadataTable({ connection }: SqliteDatabase): MetadataTable {
  const { readerOf, putReader, statedOf, putStated, forget } = prepare(connection)
  const reader = (documentId: string): ReaderMetadata | null => {
    const row = readerOf.get(documentId)
    return row ? JSON.parse(row.reader) : null
  }
  const stated = (documentId: string): StatedMetadata => JSON.parse(statedOf.get(documentId)?.stated ?? '{}')

  const override = (documentId: string, change: MetadataChange): void => {
    const merged = changedStatements(stated(documentId), change)
    if (merged) putStated.run(documentId, JSON.stringify(merged))
    else forget.run(documentId)
  }

  return {
    override,
    of(documentId) {
      const read = reader(documentId)
      return read && allStatements(read, stated(documentId))
    },
    putReader: (document) => void putReader.run(JSON.stringify(readerMetadata(document)), document.record.documentId),
    carryOver(from, to) {
      if (statedOf.get(to)) return
      const kept = carriedStatements(stated(from), reader(from), reader(to))
      if (kept) override(to, kept)
    },
    forget: (documentId) => void forget.run(documentId),
  }
}

function prepare(connection: SqliteDatabase['connection']) {
  return {
    readerOf: connection.prepare<[string], { reader: string }>('SELECT reader FROM documents WHERE document_id = ?'),
    putReader: connection.prepare('UPDATE documents SET reader = ? WHERE document_id = ?'),
    statedOf: connection.prepare<[string], { stated: string }>('SELECT stated FROM overrides WHERE document_id = ?'),
    putStated: connection.prepare(
      `INSERT INTO overrides (document_id, stated) VALUES (?, ?)
       ON CONFLICT (document_id) DO UPDATE SET stated = excluded.stated`,
    ),
    forget: connection.prepare('DELETE FROM overrides WHERE document_id = ?'),
  }
}
