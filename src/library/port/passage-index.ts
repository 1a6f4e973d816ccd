import type {
  DocumentBatch,
  DocumentMetadata,
  DocumentRecord,
  MetadataChange,
  NewDocument,
  PageLeftOut,
  PageTable,
  PageText,
  Passage,
  PrintedPage,
  RecognisedPage,
  Stretch,
  TextPlace,
} from './document.ts'

/** A document whose pages and passages arrive one batch after the other. */
export interface IncomingDocument extends Pick<NewDocument, 'record' | 'from'> {
  readonly batches: AsyncIterable<DocumentBatch>
}

/** A stretch of a page's text: `text` begins at `start` of the page. */
export interface PageWindow extends Pick<PageText, 'label' | 'text'> {
  readonly start: number
}

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

/** A document of fewer passages is found by its text: it is not named, and ranks as if it were. */
export const fewestPassages = 10

/** A document in whose name or title page a term stands. */
export interface NamedDocument extends Pick<DocumentRecord, 'documentId'> {
  /**
   * How many of its passages hold the term, all if its title or file name does; 0 for a term that too many documents have
   * for it to name one.
   */
  readonly held: number
}

/** Which documents terms name. */
export interface DocumentsByTerm {
  readonly documents: number
  readonly of: ReadonlyMap<string, readonly NamedDocument[]>
}

/** One file on disk, so that an unchanged file is not read again. */
export interface SourceRecord {
  readonly source: string
  readonly documentId: string
  readonly size: number
  readonly modifiedMs: number
  /** The file's absolute path; absent for what is no file. */
  readonly location?: string
}

/** A file that was opened: its bytes, and what is remembered of it, so that an unchanged file is not read again. */
export interface OpenedFile extends Omit<SourceRecord, 'documentId' | 'size'> {
  readonly bytes: Uint8Array
}

/** Where documents, pages and passages are kept and found. Implemented once per storage. */
/** A part of a list; all of it, if absent. */
export interface Part {
  readonly limit?: number
  readonly offset?: number
}

/** How a person says which documents are meant. */
export interface FilterOptions {
  /** A filter, for instance `year>=2020 and kind=10-K`; an empty one limits nothing. */
  readonly where?: string | undefined
  /** Only documents with each of these tags. */
  readonly tags?: readonly string[] | undefined
}

/** Tags that a document gets, and those that it loses. */
export interface TagChange {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  /** It is the whole id of a document that is still to be added: it will have the tags from the beginning. */
  readonly ahead?: boolean
}

export interface DocumentsOptions extends Part {
  readonly includeWeb?: boolean
}

export interface PassageIndex {
  /**
   * Stores a document with its pages, passages and source in one transaction, replacing what the source held before.
   * Resolves to whether the index did not hold the document yet.
   */
  put(document: NewDocument, source: SourceRecord): Promise<boolean>
  /**
   * The same for a document of any size: each batch is a transaction of its own. The document is invisible until it is
   * complete. Remains of a killed process are removed when the next document is stored.
   */
  putInBatches(document: IncomingDocument, source: SourceRecord): Promise<boolean>
  /** What is known of a path or URL. */
  source(source: string): Promise<SourceRecord | null>
  /** Points one more source at a document that is already stored. */
  linkSource(source: SourceRecord): Promise<void>
  /** All files of the person's documents, the oldest first. */
  sources(): Promise<readonly SourceRecord[]>
  /** Removes a source. True if its document was removed too, since it has no other; a person's overrides stay. */
  unlinkSource(source: string): Promise<boolean>
  /** What is known of a document's title, authors and year: a person's word, then the reader's. */
  metadata(documentId: string): Promise<DocumentMetadata | null>
  /** Overrides metadata, also when the file is read again later. False if there is no such document. */
  override(documentId: string, change: MetadataChange): Promise<boolean>
  /** Changes the tags of documents, also of those that are still to be stored. */
  tag(documentIds: readonly string[], change: TagChange): Promise<void>
  /** Ids of documents with any of these tags, also of those that are not there any more. */
  tagged(tags: readonly string[]): Promise<readonly string[]>
  /** Removes a document, its pages, passages, sources and what was stated of it, but its tags. False if it was not there. */
  remove(documentId: string): Promise<boolean>
  /** Documents of the person's own, by title; `web` pages only if asked for. */
  documents(options?: DocumentsOptions): Promise<readonly DocumentRecord[]>
  document(documentId: string): Promise<DocumentRecord | null>
  page(documentId: string, page: number): Promise<PageText | null>
  /** Documents of which a page's text has changed since it was stored; absent where the storage does not check it. */
  damaged?(): Promise<readonly string[]>
  /** What of a document stands in no passage, page by page; null if an earlier version stored it. */
  leftOut(documentId: string): Promise<readonly PageLeftOut[] | null>
  /** The pages whose text was recognised in a picture, in their order, or one of them, where the program said how sure it is. */
  recognised(documentId: string, page?: number): Promise<readonly RecognisedPage[]>
  /** Where the stretches of a page's text are printed; empty where that is not known. */
  places(documentId: string, page: number): Promise<readonly TextPlace[]>
  /** The pages of these documents whose printed number is not their place in the file, in their order. */
  printedPages(documentIds: readonly string[]): Promise<readonly PrintedPage[]>
  /** The tables of a page, or the parts of them, that overlap a stretch of its text; all without one. */
  tables(documentId: string, page: number, within?: Stretch): Promise<readonly PageTable[]>
  /** The text of a page from `start` to `end` at least: of a long page no more than its pieces that hold them. */
  pageWindow(
    documentId: string,
    page: number,
    range: { readonly start: number; readonly end: number },
  ): Promise<PageWindow | null>
  passages(passageIds: readonly string[]): Promise<readonly Passage[]>
  /** Passages of one document on one page or on all, in order. */
  passagesOf(documentId: string, page?: number): Promise<readonly Passage[]>
  /** A passage with those next to it in its document, in order; empty if it is not there. */
  neighbours(passageId: string, reach: { readonly before: number; readonly after: number }): Promise<readonly Passage[]>
  match(query: MatchQuery): Promise<readonly PassageMatch[]>
  /** In how many passages each term occurs (after the index's stemming), and how many passages there are. */
  frequencies(
    terms: readonly string[],
  ): Promise<{ readonly passages: number; readonly of: ReadonlyMap<string, number> }>
  /**
   * For each term, the documents of more than a few passages whose title, authors, year, file name or head of the first
   * page hold it; and how many documents there are.
   */
  namedBy(terms: readonly string[]): Promise<DocumentsByTerm>
}
