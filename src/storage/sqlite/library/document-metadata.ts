import type {
  DocumentMetadata,
  MetadataChange,
  NewDocument,
  Provenance,
  StatedMetadata,
} from '../../../library/port/document.ts'
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

/** What the reader found, as it is stored. */
type ReaderMetadata = { readonly [K in keyof DocumentMetadata]?: DocumentMetadata[K][number] | null }

const fields = ['title', 'authors', 'year'] as const
const unnamed = 'the file'

/** Prepares the statements over `documents` and `overrides`. */
export function metadataTable({ connection }: SqliteDatabase): MetadataTable {
  const { readerOf, putReader, statedOf, putStated, forget } = prepare(connection)
  const reader = (documentId: string): ReaderMetadata | null => {
    const row = readerOf.get(documentId)
    return row ? JSON.parse(row.reader) : null
  }
  const stated = (documentId: string): StatedMetadata => JSON.parse(statedOf.get(documentId)?.stated ?? '{}')

  const override = (documentId: string, change: MetadataChange): void => {
    const merged = Object.entries({ ...stated(documentId), ...change }).filter(([, value]) => value !== null)
    if (merged.length > 0) putStated.run(documentId, JSON.stringify(Object.fromEntries(merged)))
    else forget.run(documentId)
  }

  return {
    override,
    of(documentId) {
      const read = reader(documentId)
      if (!read) return null
      const { title, authors, year } = stated(documentId)
      return {
        title: statements(title, read.title),
        authors: statements(authors, read.authors),
        year: statements(year, read.year),
      }
    },
    putReader({ record, from = {} }) {
      const { title, authors, year, documentId } = record
      const read: ReaderMetadata = {
        title: title === null ? null : { value: title, from: from.title ?? unnamed },
        authors: authors.length === 0 ? null : { value: authors, from: from.authors ?? unnamed },
        year: year === null ? null : { value: year, from: from.year ?? unnamed },
      }
      putReader.run(JSON.stringify(read), documentId)
    },
    carryOver(from, to) {
      const [before, after] = [reader(from), reader(to)]
      if (statedOf.get(to)) return
      const kept = Object.entries(stated(from)).filter(([name]) =>
        fields.some((field) => field === name && sameValue(before?.[field], after?.[field])),
      )
      if (kept.length > 0) override(to, Object.fromEntries(kept))
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

/** What a person states comes before what the reader found. */
function statements<T>(stated: T | undefined, read: Provenance<T> | null | undefined): Provenance<T>[] {
  return [...(stated === undefined ? [] : [{ value: stated, from: 'library set' }]), ...(read ? [read] : [])]
}

function sameValue(one: Provenance<unknown> | null | undefined, other: typeof one): boolean {
  return JSON.stringify(one?.value ?? null) === JSON.stringify(other?.value ?? null)
}
