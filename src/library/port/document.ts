/** The kinds of file that the library reads. */
export type DocumentFormat =
  | 'pdf'
  | 'markdown'
  | 'html'
  | 'text'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'epub'
  | 'csv'
  | 'eml'
  | 'web'

/**
 * False for files whose whole text is one page: a place in them is named by its section. A Word file may state its pages;
 * a place beyond the first says that it does.
 */
export function hasPages(format: DocumentFormat, page = 1): boolean {
  return format === 'pdf' || format === 'pptx' || page > 1
}

/** A value and how it was found, so that a person can judge and override it. */
export interface Provenance<T> {
  readonly value: T
  /** For instance `largest font on page 1`, `arXiv stamp`, `file name`. */
  readonly from: string
}

/** What is known of a document's title, authors and year: every statement with where it comes from. The first holds. */
export interface DocumentMetadata {
  readonly title: readonly Provenance<string>[]
  readonly authors: readonly Provenance<readonly string[]>[]
  readonly year: readonly Provenance<number>[]
}

/** What a person states of a document; what is left out is left to the reader. */
export interface StatedMetadata {
  readonly title?: string
  readonly authors?: readonly string[]
  readonly year?: number
}

/** New statements; null takes one back, so that the reader's value holds again. */
export type MetadataChange = { readonly [K in keyof StatedMetadata]?: StatedMetadata[K] | null }

/** One page of canonical text. Every offset in the system points into `text` of such a page. */
export interface PageText {
  /** Physical page, from 1. Documents without pages have one page, 1. */
  readonly number: number
  /** What is printed on the page ("iv", "S12"), if the file says so. */
  readonly label: string | null
  readonly text: string
  /** Running header and footer lines, kept out of `text`. */
  readonly header: string | null
  /** Where stretches of the text are printed on the page, in the order in which they are drawn; absent where that is not known. */
  readonly places?: readonly TextPlace[]
}

/** `text.slice(start, end)` of a page, and its rectangle there: points, axes as in PDF. */
export type TextPlace = readonly [start: number, end: number, ...box: Box]

/** Left, bottom, right, top. */
export type Box = readonly [x0: number, y0: number, x1: number, y1: number]

/** Words as a page prints them together. */
export interface PrintedText {
  readonly text: string
  readonly box: Box
}

/** A page as it was read. */
export interface ReadPage extends PageText {
  readonly printed?: readonly PrintedText[]
}

/** A stretch of one page that stands under a heading, or a table. `text.slice(start, end)` of its page. */
export interface Block {
  readonly page: number
  readonly start: number
  readonly end: number
  readonly kind: 'heading' | 'text' | 'table' | 'references'
  /** Heading path, outermost first, for instance ["4 Results", "4.2 Ablation"]. */
  readonly section: readonly string[]
}

/** What a reader makes of one file. */
export interface ReadDocument {
  readonly format: DocumentFormat
  readonly title: Provenance<string> | null
  readonly authors: Provenance<readonly string[]> | null
  readonly year: Provenance<number> | null
  readonly pages: readonly ReadPage[]
  /** In reading order; together they cover what may be retrieved. */
  readonly blocks: readonly Block[]
}

/** The unit of retrieval: whole sentences of one section, on one page. */
export interface Passage {
  /** `<documentId>.<ordinal>` */
  readonly passageId: string
  readonly documentId: string
  readonly ordinal: number
  readonly page: number
  readonly section: string | null
  readonly kind: 'text' | 'table' | 'references'
  /** `page.text.slice(start, end) === text` */
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A document in the library. */
export interface DocumentRecord {
  /** First 16 hexadecimal digits of the SHA-256 of the file's bytes. */
  readonly documentId: string
  readonly title: string | null
  readonly authors: readonly string[]
  readonly year: number | null
  /** The path as it was added, or the URL. */
  readonly source: string
  readonly format: DocumentFormat
  readonly pages: number
  readonly passages: number
}

/** A document on its way into the library. */
export interface NewDocument {
  /** With the reader's own title, authors and year. */
  readonly record: Omit<DocumentRecord, 'pages' | 'passages'>
  /** How the reader found each of them, for instance `arXiv stamp`. */
  readonly from?: { readonly [K in keyof DocumentMetadata]?: string }
  readonly pages: readonly PageText[]
  readonly passages: readonly Passage[]
}

/** A stretch of a page's text: `text` begins at `start` of the page. */
export interface PagePiece extends PageText {
  readonly start: number
}

/** A part of a document on its way into the library, of bounded size. */
export interface DocumentBatch {
  readonly pages: readonly PagePiece[]
  readonly passages: readonly Passage[]
}

/** UTF-16 code units. A file without pages is one page, however long: its text is sent, kept and read in pieces. */
const pieceLength = 16_384

/** Cuts the text of a page into pieces, never between the halves of a surrogate pair. */
export function* piecesOf(page: PageText): Generator<PagePiece> {
  const { text } = page
  let start = 0
  do {
    let end = Math.min(text.length, start + pieceLength)
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1
    const { places: _, ...piece } = page
    yield { ...(start === 0 ? page : piece), start, text: text.slice(start, end) }
    start = end
  } while (start < text.length)
}
