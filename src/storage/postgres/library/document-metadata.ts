import type { DocumentMetadata, MetadataChange, StatedMetadata } from '../../../library/port/document.ts'
import { allStatements, carriedStatements, changedStatements, type ReaderMetadata } from '../../metadata-statements.ts'
import type { Sql } from '../database/connection.ts'

/** Every statement on a document, the one in force first; null if there is no such document. */
export async function metadataOf(sql: Sql, documentId: string): Promise<DocumentMetadata | null> {
  const read = await readerOf(sql, documentId)
  return read && allStatements(read, (await statedOf(sql, documentId)) ?? {})
}

export async function override(sql: Sql, documentId: string, change: MetadataChange): Promise<void> {
  const merged = changedStatements((await statedOf(sql, documentId)) ?? {}, change)
  if (!merged) return await forgetStatements(sql, documentId)
  await sql.run(
    `INSERT INTO overrides (document_id, stated) VALUES ($1, $2)
     ON CONFLICT (document_id) DO UPDATE SET stated = excluded.stated`,
    [documentId, JSON.stringify(merged)],
  )
}

/** Copies a person's statements to the next version of a file, for each field in which the reader finds the same. */
export async function carryOver(sql: Sql, from: string, to: string): Promise<void> {
  if (await statedOf(sql, to)) return
  const stated = (await statedOf(sql, from)) ?? {}
  const kept = carriedStatements(stated, await readerOf(sql, from), await readerOf(sql, to))
  if (kept) await override(sql, to, kept)
}

/** Removes a person's statements. */
export async function forgetStatements(sql: Sql, documentId: string): Promise<void> {
  await sql.run('DELETE FROM overrides WHERE document_id = $1', [documentId])
}

async function readerOf(sql: Sql, documentId: string): Promise<ReaderMetadata | null> {
  const row = await sql.get<{ reader: string }>('SELECT reader FROM documents WHERE document_id = $1', [documentId])
  return row ? JSON.parse(row.reader) : null
}

/** A person's statements; null if there are none. */
export async function statedOf(sql: Sql, documentId: string): Promise<StatedMetadata | null> {
  const row = await sql.get<{ stated: string }>('SELECT stated FROM overrides WHERE document_id = $1', [documentId])
  return row ? JSON.parse(row.stated) : null
}
