import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import {
  type DocumentRecord,
  initialsIn,
  namesTogether,
  type PageTable,
  partsOfWords,
  pieceLength,
  type StatedMetadata,
  type Stretch,
  type TextPlace,
} from '../library/index.ts'

/** A row of the table `documents`; authors, tags and what a person stated are JSON. */
export interface DocumentRow extends Omit<DocumentRecord, 'authors' | 'tags' | 'reference'> {
  readonly authors: string
  readonly tags: string
  readonly stated: string | null
}

export function documentOf({ stated, ...row }: DocumentRow): DocumentRecord {
  const { reference }: StatedMetadata = JSON.parse(stated ?? '{}')
  return { ...row, authors: JSON.parse(row.authors), tags: JSON.parse(row.tags), ...(reference && { reference }) }
}

/** The columns of a document that follow from what is stated of it and from its files. */
export type DescriptionRow = Pick<DocumentRow, 'documentId' | 'title' | 'authors' | 'year' | 'source'>

/** What each passage of a document is found by, besides its own text. */
export function titlesOf({ title, source }: Pick<DocumentRecord, 'title' | 'source'>): string {
  return joined(title, basename(source))
}

/** What a document is named by, also in short: with initials and with the parts of "2023Q2". */
export function nameOf({ title, authors, year, source }: Omit<DescriptionRow, 'documentId'>): string {
  const names: readonly string[] = [title, ...JSON.parse(authors), basename(source)].filter(Boolean)
  const short = names.flatMap((name) => [...initialsIn(name, 2), ...namesTogether(name), ...partsOfWords(name)])
  return [...names, year, ...short].filter(Boolean).join(' ')
}

/** Parts of a passage's heading. */
export function joined(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ')
}

/** Characters of page 1 that name a document: what stands on a title page, or above the fold of a report. */
export const headLength = 1500

/** A term that stands for more documents than this names none of them. A few may all be of one company. */
export function mostNamedBy(documents: number): number {
  return Math.max(10, documents * 0.2)
}

/** Each term costs time, and few of a query distinguish passages. */
export const mostTerms = 256

/** Where texts are printed, as a page keeps it. */
export function placesJson(places: readonly TextPlace[]): string | null {
  return places.length > 0 ? JSON.stringify(places) : null
}

/** The tables that begin in a piece of a page, as it keeps them. */
export function tablesJson(tables: readonly PageTable[] = []): string | null {
  return tables.length > 0 ? JSON.stringify(tables) : null
}

/** Where the pieces begin that may keep a table of a stretch: one may reach into the next piece, and a long row further. */
export function piecesWithTables({ start, end }: Stretch): { readonly first: number; readonly last: number } {
  return { first: start - 2 * pieceLength, last: end - 1 }
}

/** Of the tables of some pieces, those that overlap a stretch. */
export function readTables(pieces: readonly { readonly tables: string }[], { start, end }: Stretch): PageTable[] {
  return pieces
    .flatMap(({ tables }): readonly PageTable[] => JSON.parse(tables))
    .filter((table) => table.start < end && table.end > start)
}

/** All of a page's text. */
export const wholeText: Stretch = { start: 0, end: Number.MAX_SAFE_INTEGER }

/** A page whose stored text is not what was stored: it was changed behind the library's back. */
export interface DamagedPage {
  readonly documentId: string
  readonly page: number
}

/** Of a text in a page or a piece of one. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
