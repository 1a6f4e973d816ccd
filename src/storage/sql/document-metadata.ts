import type { DocumentMetadata, MetadataChange, StatedMetadata } from '../../library/index.ts'
import { allStatements, carriedStatements, changedStatements, type ReaderMetadata } from './metadata-statements.ts'
import { all, first, type Work } from './work.ts'

/** Every statement on a document, the one in force first; null if there is no such document. */
export function* metadataOf(documentId: string): Work<DocumentMetadata | null> {
  const read = yield* readerOf(documentId)
  return read && allStatements(read, (yield* statedOf(documentId)) ?? {})
}

export function* override(documentId: string, change: MetadataChange): Work<void> {
  const merged = changedStatements((yield* statedOf(documentId)) ?? {}, change)
  if (!merged) return yield* forgetStatements(documentId)
  yield* all(
    `INSERT INTO overrides (document_id, stated) VALUES ($1, $2)
     ON CONFLICT (document_id) DO UPDATE SET stated = excluded.stated`,
    [documentId, JSON.stringify(merged)],
  )
}

/**
 * Copies a person's statements to the next version of a file, for each field in which the reader finds the same value as
 * before: a correction stays in force.
 */
export function* carryOver(from: string, to: string): Work<void> {
  if (yield* statedOf(to)) return
  const stated = (yield* statedOf(from)) ?? {}
  const kept = carriedStatements(stated, yield* readerOf(from), yield* readerOf(to))
  if (kept) yield* override(to, kept)
}

/** Removes a person's statements. */
export function* forgetStatements(documentId: string): Work<void> {
  yield* all('DELETE FROM overrides WHERE document_id = $1', [documentId])
}

/** A person's statements; null if there are none. */
export function* statedOf(documentId: string): Work<StatedMetadata | null> {
  const row = yield* first<{ stated: string }>('SELECT stated FROM overrides WHERE document_id = $1', [documentId])
  return row ? JSON.parse(row.stated) : null
}

function* readerOf(documentId: string): Work<ReaderMetadata | null> {
  const row = yield* first<{ reader: string }>('SELECT reader FROM documents WHERE document_id = $1', [documentId])
  return row ? JSON.parse(row.reader) : null
}
