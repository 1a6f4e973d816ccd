import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { DocumentMetadata, DocumentRecord, TextPlace } from '../library/port/document.ts'
import type { SourceRecord } from '../library/port/passage-index.ts'

/** A row of the table `documents`; authors are JSON. */
export interface DocumentRow extends Omit<DocumentRecord, 'authors'> {
  readonly authors: string
}

export function documentOf(row: DocumentRow): DocumentRecord {
  return { ...row, authors: JSON.parse(row.authors) }
}

/** A row of the table `sources`. */
export interface SourceRow extends Pick<SourceRecord, 'source' | 'documentId' | 'size' | 'modifiedMs'> {
  readonly location: string | null
}

export function sourceOf(row: SourceRow | undefined): SourceRecord | null {
  if (!row) return null
  const { location, ...record } = row
  return { ...record, ...(location !== null && { location }) }
}

/** The columns of a document that follow from what is stated of it and from its files. */
export type DescriptionRow = Pick<DocumentRow, 'documentId' | 'title' | 'authors' | 'year' | 'source'>

/** `sources` are the paths of its files, the oldest first. */
export function descriptionOf(
  row: DocumentRow,
  metadata: DocumentMetadata,
  sources: readonly string[],
): DescriptionRow {
  return {
    documentId: row.documentId,
    title: metadata.title[0]?.value ?? null,
    authors: JSON.stringify(metadata.authors[0]?.value ?? []),
    year: metadata.year[0]?.value ?? null,
    source: sources.includes(row.source) ? row.source : (sources[0] ?? row.source),
  }
}

/** What each passage of a document is found by, besides its own text. */
export function titlesOf({ title, source }: Pick<DocumentRecord, 'title' | 'source'>): string {
  return joined(title, basename(source))
}

/** What a document is named by. */
export function nameOf({ title, authors, year, source }: Omit<DescriptionRow, 'documentId'>): string {
  return [title, ...JSON.parse(authors), year, basename(source)].filter(Boolean).join(' ')
}

/** Parts of a passage's heading. */
export function joined(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ')
}

/** Characters of page 1 that name a document: what stands on a title page, or above the fold of a report. */
export const headLength = 1500

/** A term that stands for more documents than this names none of them. */
export function mostNamedBy(documents: number): number {
  return Math.max(2, documents * 0.2)
}

/** Each term costs time, and few of a query distinguish passages. */
export const mostTerms = 256

/** Where texts are printed, as a page keeps it. */
export function placesJson(places: readonly TextPlace[]): string | null {
  return places.length > 0 ? JSON.stringify(places) : null
}

export function readPlaces(json: string | null): readonly TextPlace[] {
  return json === null ? [] : JSON.parse(json)
}

/** A page whose stored text is not what was stored: it was changed behind the library's back. */
export interface DamagedPage {
  readonly documentId: string
  readonly page: number
}

/** Of a text in a page or a piece of one. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
