import {
  changedTags,
  type DocumentMetadata,
  type MetadataChange,
  type NewDocument,
  type Provenance,
  type StatedMetadata,
} from '../../library/index.ts'
import { all, first, type Work } from './work.ts'

/** Every statement on a document, the one in force first; null if there is no such document. */
export function* metadataOf(documentId: string): Work<DocumentMetadata | null> {
  const read = yield* readerOf(documentId)
  return read && allStatements(read, (yield* statedOf(documentId)) ?? {})
}

export function* override(documentId: string, change: MetadataChange): Work<void> {
  const merged = changedStatements((yield* statedOf(documentId)) ?? {}, change)
  if (!merged) yield* all('DELETE FROM overrides WHERE document_id = $1', [documentId])
  else
    yield* all(
      `INSERT INTO overrides (document_id, stated) VALUES ($1, $2)
     ON CONFLICT (document_id) DO UPDATE SET stated = excluded.stated`,
      [documentId, JSON.stringify(merged)],
    )
}

/**
 * Copies a person's statements to the next version of a file, for each field in which the reader finds the same value as
 * before: a correction stays in force. Tags and the reference stay whatever the reader finds.
 */
export function* carryOver(from: string, to: string): Work<void> {
  const { tags = [], reference: before, ...stated } = (yield* statedOf(from)) ?? {}
  const { tags: own = [], reference = before, ...known } = (yield* statedOf(to)) ?? {}
  const isKnown = Object.keys(known).length > 0
  const kept = isKnown ? null : carriedStatements(stated, yield* readerOf(from), yield* readerOf(to))
  const all = { ...(tags.length > 0 && { tags: changedTags(own, { add: tags }) }), ...(reference && { reference }) }
  if (kept || Object.keys(all).length > 0) yield* override(to, { ...kept, ...all })
}

/** Documents with any of these tags, also of those that are not there any more. */
export function* taggedWith(tags: readonly string[]): Work<readonly string[]> {
  const rows = yield* all<{ documentId: string; stated: string }>(
    `SELECT document_id AS "documentId", stated FROM overrides WHERE stated LIKE '%"tags"%'`,
  )
  const isTagged = ({ tags: own = [] }: StatedMetadata) => own.some((tag) => tags.includes(tag))
  return rows.flatMap(({ documentId, stated }) => (isTagged(JSON.parse(stated)) ? [documentId] : []))
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

/** What the reader found, as it is stored. */
export type ReaderMetadata = { readonly [K in keyof DocumentMetadata]?: DocumentMetadata[K][number] | null }

const fields = ['title', 'authors', 'year'] as const
const unnamed = 'the file'
/** What says that a person stated something. */
export const byPerson = 'library set'

export function readerMetadata({ record, from = {} }: NewDocument): ReaderMetadata {
  const { title, authors, year } = record
  return {
    title: title === null ? null : { value: title, from: from.title ?? unnamed },
    authors: authors.length === 0 ? null : { value: authors, from: from.authors ?? unnamed },
    year: year === null ? null : { value: year, from: from.year ?? unnamed },
  }
}

/** Every statement on a document, the one in force first: what a person states comes before what the reader found. */
export function allStatements(read: ReaderMetadata, { title, authors, year }: StatedMetadata): DocumentMetadata {
  return {
    title: statements(title, read.title),
    authors: statements(authors, read.authors),
    year: statements(year, read.year),
  }
}

function statements<T>(stated: T | undefined, read: Provenance<T> | null | undefined): Provenance<T>[] {
  return [...(stated === undefined ? [] : [{ value: stated, from: byPerson }]), ...(read ? [read] : [])]
}

/** A person's statements after a change; null if none is left. */
export function changedStatements(stated: StatedMetadata, change: MetadataChange): StatedMetadata | null {
  const merged = Object.entries({ ...stated, ...change }).filter(([, value]) => value !== null)
  return merged.length > 0 ? Object.fromEntries(merged) : null
}

/**
 * A person's statements that hold for the next version of a file too, since the reader finds the same value as before;
 * null if there are none.
 */
export function carriedStatements(
  stated: StatedMetadata,
  before: ReaderMetadata | null,
  after: ReaderMetadata | null,
): StatedMetadata | null {
  const kept = Object.entries(stated).filter(([name]) =>
    fields.some((field) => field === name && sameValue(before?.[field], after?.[field])),
  )
  return kept.length > 0 ? Object.fromEntries(kept) : null
}

function sameValue(one: Provenance<unknown> | null | undefined, other: typeof one): boolean {
  return JSON.stringify(one?.value ?? null) === JSON.stringify(other?.value ?? null)
}
