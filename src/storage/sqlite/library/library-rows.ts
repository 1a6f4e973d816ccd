import type { DocumentRecord, Passage } from '../../../library/port/document.ts'
import type { SourceRecord } from '../../../library/port/passage-index.ts'

/** A document as the table holds it. */
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

export function sourceOf(row: SourceRow | undefined): SourceRecord | null {
  if (!row) return null
  const { location, sidecar, ...record } = row
  return {
    ...record,
    ...(location !== null && { location }),
    ...(sidecar !== null && { sidecar: JSON.parse(sidecar) }),
  }
}

export function documentOf(row: DocumentRow): DocumentRecord {
  return { ...row, authors: JSON.parse(row.authors) }
}

/** A document that is being stored or removed, and who does it. */
export interface UnfinishedRow {
  readonly documentId: string
  /** Names this one try; empty for what is only to be removed. */
  readonly claim: string
  readonly pid: number
  readonly startedAt: string
  readonly activeAt: number
}
