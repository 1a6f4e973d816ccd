import type { FallenClaim } from '../../events/index.ts'
import type {
  Box,
  DocumentFormat,
  DocumentMetadata,
  DocumentRecord,
  MetadataChange,
  PageLeftOut,
  PageSentence,
  PageTable,
  PageText,
  Passage,
  PrintedPage,
  RecognisedPage,
  Stretch,
  TableColumn,
  TableRow,
} from './document.ts'
import type { FilterOptions, Part, TagChange } from './passage-index.ts'
import type { FolderChanges, WatchedFolder, WatchOptions } from './watch.ts'

/** The result of adding one file. */
export interface AddedDocument {
  readonly path: string
  readonly documentId: string | null
  readonly status: 'added' | 'unchanged' | 'updated' | 'failed'
  readonly pages: number
  readonly passages: number
  readonly error: { readonly code: string; readonly message: string } | null
  /** Of an updated file: the document that stood under this path before. */
  readonly replaces?: string
  /** With `sync`: the path that the same content had before. */
  readonly renamedFrom?: string
  /** For a scan: the program that found its text, for instance `ocrmypdf`; also for a picture. */
  readonly recognisedBy?: string
}

/** A document that was removed because its file is gone. */
export interface RemovedDocument {
  readonly path: string
  readonly documentId: string
}

/** The result of adding files and folders. */
export interface AddReport {
  readonly documents: readonly AddedDocument[]
  readonly totals: {
    readonly added: number
    readonly unchanged: number
    readonly updated: number
    readonly failed: number
    readonly removed: number
    /** Files of a type that is not read; their paths stand in `skipped`. */
    readonly skipped: number
    readonly pages: number
    readonly passages: number
  }
  readonly skipped: readonly string[]
  /** Empty without `sync`. */
  readonly removed: readonly RemovedDocument[]
  /** How the passages got vectors; absent where search by meaning is off. Documents are kept whatever comes of it. */
  readonly embeddings?: EmbedReport
  /** Sentences of answers that quote what was replaced or removed, and no longer stand; absent if all do. */
  readonly fallen?: readonly FallenClaim[]
}

/** Reported after each file, for a progress bar. */
export interface AddProgress {
  readonly done: number
  readonly total: number
  readonly path: string
  readonly document: AddedDocument | null
}

/** Reported as passages get their vectors. */
export interface EmbedProgress {
  /** Passages. */
  readonly done: number
  readonly total: number
}

export interface EmbedOptions {
  /** Makes new vectors for all passages, as is needed when the model behind a name has changed. */
  readonly anew?: boolean
  readonly onProgress?: (progress: EmbedProgress) => void
  readonly signal?: AbortSignal
}

/** The result of embedding passages. */
export interface PassagesEmbedded {
  /** Passages that got a vector, new or reused. */
  readonly embedded: number
  /** Texts that were sent; passages with the same text share one. */
  readonly sent: number
  /** What they cost; null if the endpoint did not always say. */
  readonly tokens: number | null
  /** Why it ended before all passages had one. */
  readonly error: { readonly code: string; readonly message: string } | null
}

/** The same, with costs. */
export interface EmbedReport extends PassagesEmbedded {
  readonly model: string
  /** null before the first vector. */
  readonly dimensions: number | null
  /** US dollars; null is unknown. */
  readonly costUsd: number | null
  /** Passages of the library that still have no vector. */
  readonly missing: number
}

/** A problem of a search that was worked around. */
export interface SearchNotice {
  readonly code: string
  readonly message: string
}

/** How many passages have vectors, and the endpoint's problem; null if there is none or it was not asked. */
export interface SemanticStatus {
  readonly model: string
  /** null before the first vector. */
  readonly dimensions: number | null
  readonly passages: number
  readonly embedded: number
  readonly problem: SearchNotice | null
}

export interface AddOptions {
  readonly onProgress?: (progress: AddProgress) => void
  readonly onEmbedProgress?: (progress: EmbedProgress) => void
  readonly signal?: AbortSignal
  /** Passwords to try on encrypted files, in order. */
  readonly passwords?: readonly string[]
  /** Documents whose files are gone from these folders leave the library. */
  readonly sync?: boolean
  /** Reads files again whose stored pages are damaged. */
  readonly repair?: boolean
  /** Each of the documents gets these, besides those that `library.tags` gives it. */
  readonly tags?: readonly string[]
}

/** A document with its sources and metadata. */
export interface DocumentDetails {
  readonly document: DocumentRecord
  /** Every path under which it was added, the oldest first. */
  readonly sources: readonly string[]
  readonly metadata: DocumentMetadata
  /** What it says of itself: the first sentences of its abstract, summary or introduction; else of its text. */
  readonly summary: readonly PageSentence[]
  /** What to ask about it, suggested from its title and headings. */
  readonly questions: readonly string[]
  /** What of its pages no search finds, and why; null if an earlier version stored it. */
  readonly leftOut: readonly PageLeftOut[] | null
  /** The pages whose text was recognised in a picture, where the program said how sure it is. */
  readonly recognised: readonly RecognisedPage[]
}

/** The result of reading a person's references. */
export interface CiteReport {
  readonly entries: readonly {
    /** What its document is cited by. */
    readonly key: string
    readonly state: 'matched' | 'ambiguous' | 'no document'
    /** What is the same in the document, or in those that it may be. */
    readonly by: 'file' | 'doi' | 'title' | null
    readonly documentIds: readonly string[]
  }[]
  /** Documents without a reference. */
  readonly uncited: number
}

/** One search result, as `quaero search --json` prints it. */
export interface SearchHit {
  readonly rank: number
  /** 0 to 1: how much of what the query asks for the passage holds, by its words or by its meaning. */
  readonly score: number
  readonly passageId: string
  readonly documentId: string
  readonly title: string | null
  readonly source: string
  /** `docx`, `odt`, `rtf`, `html`, `markdown` and `text` have no pages: all text is on page 1, in sections. */
  readonly format: DocumentFormat
  readonly page: number
  /** What is printed on the page ("iv"), if the file says so. */
  readonly pageLabel: string | null
  readonly section: string | null
  readonly start: number
  readonly end: number
  readonly text: string
  /** Other documents with the same text, for instance a draft; they are no results of their own. */
  readonly also: readonly AlsoFound[]
  /** The passages before and after, in their order; only if asked for with `context`. */
  readonly before?: readonly Passage[]
  readonly after?: readonly Passage[]
}

/** A passage that says the same as one that was found. */
export type AlsoFound = Pick<
  SearchHit,
  'passageId' | 'documentId' | 'title' | 'source' | 'format' | 'page' | 'pageLabel'
>

export interface LibrarySearchOptions extends FilterOptions {
  /** How many passages to return; as the settings say, if absent. */
  readonly limit?: number
  /** Only these: ids of documents, their beginnings, or file names. */
  readonly documents?: readonly string[]
  /** How many passages before and after each to return with it. */
  readonly context?: number
}

/** What a place on a page says, if it lies in a table. */
export interface TablePlace {
  readonly caption: string | null
  /** Of the cell, or else of the row: as printed, "CHF million", "%"; null if none is stated. */
  readonly unit: string | null
  /** Of the cell, or else of the row, as printed: "January–June 2023". */
  readonly period: string | null
  /** What the row is called; null above the rows. */
  readonly row: string | null
  /** The lines and groups that the row stands under, outermost first. */
  readonly section: readonly string[]
  /** The cells above the cell's column, outermost first; null if the place lies in no cell. */
  readonly column: readonly string[] | null
  readonly cell: ShownCell | null
  /** For display: the rows of the table on this page. */
  readonly table: ShownTable
}

export interface ShownTable extends Stretch {
  readonly caption: string | null
  readonly unit: string | null
  readonly columns: readonly TableColumn[]
  readonly rows: readonly ShownRow[]
}

export interface ShownRow extends Omit<TableRow, 'cells'> {
  readonly cells: readonly ShownCell[]
}

export interface ShownCell extends Stretch {
  readonly text: string
  readonly column: number
}

/**
 * The person's documents: added, listed, searched, read, removed. Wherever a document id is asked for, the beginning of
 * one will do if no other shares it, or the name of the file; what fits several throws `DocumentAmbiguous`.
 */
export interface Library {
  /** Adds files and folders; one bad file stops nothing. Throws `PathNotFound`. */
  add(paths: readonly string[], options?: AddOptions): Promise<AddReport>
  /**
   * Keeps folders and their documents the same until the signal is aborted or the reader leaves: what changed, batch by batch.
   * Throws `PathNotFound`, `UsageError`.
   */
  watch(folders: readonly string[], options?: WatchOptions): AsyncIterable<FolderChanges>
  /** The folders that this engine keeps current now. */
  watched(): readonly WatchedFolder[]
  /** By title; all, or those that a filter means, or a part of them. Throws `FilterInvalid`. */
  list(options?: Part & FilterOptions): Promise<readonly DocumentRecord[]>
  /**
   * Changes the tags of one document, of all below a folder, or of those that a filter means, and returns them. Throws
   * `DocumentNotFound`, `FilterInvalid`, `NothingMatches`, and `UsageError` for what is no tag.
   */
  tag(which: string, change: TagChange): Promise<readonly DocumentRecord[]>
  /** Ids of documents with any of these tags, also of those that are not there any more. */
  tagged(tags: readonly string[]): Promise<readonly string[]>
  /** The same library for a reader from whom some documents are hidden: they are not there. */
  without(documentIds: readonly string[]): Library
  /** What is known of a document, and from where. Throws `DocumentNotFound`. */
  show(documentId: string): Promise<DocumentDetails>
  /** Where the files of a document were when they were added, as absolute paths, the oldest first. Throws `DocumentNotFound`. */
  files(documentId: string): Promise<readonly string[]>
  /**
   * Overrides title, authors or year; null or an empty value removes the override.
   * Throws `DocumentNotFound`, and `UsageError` for an unknown key or a wrong value.
   */
  set(documentId: string, change: MetadataChange): Promise<DocumentDetails>
  /**
   * Gives documents their references: title, authors, year, and a key to cite them by. `source` is a file of BibTeX, RIS or
   * CSL JSON, or the address of Zotero on this machine. Throws `UsageError`, with the place of what cannot be read.
   */
  cite(source: string): Promise<CiteReport>
  /** Returns the sentences of answers that no longer stand without it. Throws `DocumentNotFound`. */
  remove(documentId: string): Promise<readonly FallenClaim[]>
  /** The stored text of one page; citations point into it. Throws `DocumentNotFound`. */
  text(documentId: string, page: number): Promise<PageText>
  /** The pages whose printed number is not their place in the file, in their order. Throws `DocumentNotFound`. */
  printedPages(documentId: string): Promise<readonly PrintedPage[]>
  /**
   * Where a span of a page's text is printed on the page: rectangles in points, or in pixels of a picture, axes as in PDF. Empty where that is not known.
   * Throws `DocumentNotFound`.
   */
  rectangles(
    documentId: string,
    page: number,
    span: { readonly start: number; readonly end: number },
  ): Promise<readonly Box[]>
  /**
   * What a place in a page's text says, if it lies in a table: the caption, the row's label, the column's path, the period and
   * the unit of the cell there, or of the row if it lies in none, and the whole table. Null outside tables, and in documents
   * that were added before tables were kept. Throws `DocumentNotFound`.
   */
  tableAt(documentId: string, page: number, offset: number): Promise<TablePlace | null>
  /** The tables of a page, or the parts of them, that overlap a stretch of its text; all without one. Throws `DocumentNotFound`. */
  tables(documentId: string, page: number, within?: Stretch): Promise<readonly PageTable[]>
  /** The document that is meant. Throws `DocumentNotFound`. */
  document(documentId: string): Promise<DocumentRecord>
  /**
   * A passage with those that stand before and after it in its document, in their order; by default one
   * each. Throws `DocumentNotFound` for an unknown passage.
   */
  passages(
    passageId: string,
    options?: { readonly before?: number; readonly after?: number },
  ): Promise<readonly Passage[]>
  /** Passages that hold most of what a query asks for. Throws `UsageError` for a query without a word, `NothingMatches`. */
  search(query: string, options?: LibrarySearchOptions): Promise<readonly SearchHit[]>
  /**
   * Gives the passages vectors that have none yet, for search by meaning; what was paid for is kept and never paid for
   * again. A failure of the endpoint stands in the report. Throws `UsageError` where `search.embeddings.model` is not set.
   */
  embed(options?: EmbedOptions): Promise<EmbedReport>
  /** How many passages have vectors; `ask` sends the endpoint one word to see whether it answers. null where that is off. */
  embeddings(options?: { readonly ask?: boolean; readonly signal?: AbortSignal }): Promise<SemanticStatus | null>
}
