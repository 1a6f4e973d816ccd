import type { DocumentRecord, NewDocument, PageText, Passage } from './document.ts'

/** A passage with the document it stands in, and how well it matched. */
export interface PassageMatch {
  readonly passage: Passage
  readonly document: DocumentRecord
  /** BM25 as SQLite gives it, negated: greater is better. Not comparable between queries. */
  readonly bm25: number
}

export interface MatchQuery {
  /** Plain words; the index quotes them for its own query language and joins them with OR. */
  readonly terms: readonly string[]
  readonly limit: number
  /** Only these documents; all, if null. */
  readonly documents: readonly string[] | null
}

/** What the index knows of one file on disk, so that an unchanged file is not read again. */
export interface SourceRecord {
  readonly source: string
  readonly documentId: string
  readonly size: number
  readonly modifiedMs: number
}

/** Where documents, pages and passages are kept and found. Implemented once per storage. */
export interface PassageIndex {
  /** Stores a document with its pages, passages and source in one transaction, replacing what the source held before. */
  put(document: NewDocument, source: SourceRecord): Promise<void>
  /** What is known of a path or URL. */
  source(source: string): Promise<SourceRecord | null>
  /** Points one more source at a document that is already stored. */
  linkSource(source: SourceRecord): Promise<void>
  /** Removes a document, its pages, passages and sources. False if it was not there. */
  remove(documentId: string): Promise<boolean>
  /** Documents of the person's own, by title; `web` pages only if asked for. */
  documents(options?: { readonly includeWeb?: boolean }): Promise<readonly DocumentRecord[]>
  document(documentId: string): Promise<DocumentRecord | null>
  page(documentId: string, page: number): Promise<PageText | null>
  passages(passageIds: readonly string[]): Promise<readonly Passage[]>
  /** Passages of one document on one page or on all, in order. */
  passagesOf(documentId: string, page?: number): Promise<readonly Passage[]>
  match(query: MatchQuery): Promise<readonly PassageMatch[]>
  /** In how many passages each term occurs (after the index's stemming), and how many passages there are. */
  frequencies(
    terms: readonly string[],
  ): Promise<{ readonly passages: number; readonly of: ReadonlyMap<string, number> }>
}
