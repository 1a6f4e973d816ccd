import type { Observation } from '../../events/index.ts'

/** The kinds of file that the library reads. */
export type DocumentFormat = NonNullable<Observation['format']>

/**
 * False for files whose whole text is one page: a place in them is named by its section. A Word file may state its pages;
 * a place beyond the first says that it does.
 */
export function hasPages(format: DocumentFormat, page = 1): boolean {
  return format === 'pdf' || format === 'pptx' || format === 'picture' || page > 1
}

/** "iv", "S12", "1024"; a longer label is no page's. */
const plainLabel = /^[\p{L}\p{N}][\p{L}\p{N}.:-]{0,9}$/u

/** What is printed on a page, where it is a number and another than the page's own; else null. */
export function printedNumber(page: number, label: string | null | undefined): string | null {
  const printed = label?.trim() ?? ''
  return plainLabel.test(printed) && printed !== String(page) ? printed : null
}

/** How a page is called everywhere: "p. 12"; "p. iv (6 of the file)" where its printed number is another. */
export function pageName(page: number, label?: string | null): string {
  const printed = printedNumber(page, label)
  return printed === null ? `p. ${page}` : `p. ${printed} (${page} of the file)`
}

/** A page with a printed number that is not its place in the file. */
export interface PrintedPage {
  readonly documentId: string
  readonly page: number
  readonly printed: string
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

/**
 * An entry of a person's references as an item of CSL JSON of which each field is a text; `id` is the key that the document is
 * cited by: letters, digits and `_:.+/-`. The document itself has title, authors and year.
 */
export type DocumentReference = Readonly<Record<string, string>> & { readonly id: string }

/** What a person states of a document; what is left out is left to the reader. */
export interface StatedMetadata {
  readonly title?: string
  readonly authors?: readonly string[]
  readonly year?: number
  readonly tags?: readonly string[]
  readonly reference?: DocumentReference
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
  /** What of the page stands in no passage; absent where that is not known, as in pages that an earlier version stored. */
  readonly leftOut?: readonly LeftOut[]
  /** Where stretches of the text are printed on the page, in the order in which they are drawn; absent where that is not known. */
  readonly places?: readonly TextPlace[]
  /** How sure the program is that recognised the text in a picture, 0 to 1; absent where it did not say, or there was none. */
  readonly confidence?: number
  /** Its tables, a long one in parts, in their order; absent where the page is read for its text alone. */
  readonly tables?: readonly PageTable[]
}

/** `text.slice(start, end)` of a page. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** A table on a page, or a part of a long one: what each of its cells means, and where it stands. */
export interface PageTable extends Stretch {
  /** All parts of the table on this page. */
  readonly whole: Stretch
  readonly caption: string | null
  /** Of all cells for which no row, column or cell states another, as printed: "CHF million". */
  readonly unit: string | null
  readonly columns: readonly TableColumn[]
  readonly rows: readonly TableRow[]
}

export interface TableColumn {
  /** The cells above it, outermost first, without footnote marks; empty in a table without a header. */
  readonly path: readonly string[]
  readonly unit: string | null
  /** As printed: "Three months ended June 30, 2023". */
  readonly period: string | null
  /** Whether its cells name rows, or groups of rows. */
  readonly isLabel: boolean
}

export interface TableRow extends Stretch {
  /** Without footnote marks; empty where the row has no name. */
  readonly label: string
  /** The lines and groups that the row stands under, outermost first: "Current liabilities". */
  readonly section: readonly string[]
  /** Empty if none of the table's holds for it: earnings per share in a table "in millions, except per share data". */
  readonly unit: string | null
  readonly period: string | null
  /** Those that hold something, labels too. */
  readonly cells: readonly TableCell[]
}

/** A cell is `text.slice(start, end)` of its page; `column` counts from 0. */
export type TableCell = readonly [column: number, start: number, end: number]

/** Text of a page that stands in no passage, and why. */
export interface LeftOut {
  /** `stamp`: printed into the margin by an archive. */
  readonly reason: 'running head' | 'page number' | 'stamp'
  readonly text: string
  /** Where it begins in the page's text; null for what was kept out of that. */
  readonly start: number | null
}

/** The same of a whole document. */
export interface PageLeftOut extends LeftOut {
  readonly page: number
}

/** A sentence, and where it stands in the text of its page. */
export type PageSentence = Pick<Passage, 'page' | 'text' | 'start' | 'end'>

/** A page whose text was recognised in a picture, and how sure the program is of it, 0 to 1. */
export interface RecognisedPage {
  readonly page: number
  readonly confidence: number
}

/** "Recognised in pictures: 3 pages, with a confidence of 0.91, the least 0.74 on page 2"; empty if no page was. */
export function describeRecognised(recognised: readonly RecognisedPage[]): string {
  const [least, ...others] = [...recognised].sort((one, other) => one.confidence - other.confidence)
  if (!least) return ''
  const mean = recognised.reduce((sum, { confidence }) => sum + confidence, 0) / recognised.length
  const pages = others.length === 0 ? '1 page' : `${recognised.length} pages`
  const worst = others.length === 0 ? '' : `, the least ${least.confidence} on page ${least.page}`
  return `Recognised in pictures: ${pages}, with a confidence of ${Number(mean.toFixed(2))}${worst}`
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
  /** The cells of its tables, in their order. */
  readonly grids?: readonly PageGrid[]
}

/** The rows of a table as they were written on a page. */
export interface PageGrid extends Stretch {
  /** What names the table, where the file says so. */
  readonly caption: string | null
  /** Whether a blank cell of the header is known to have nothing to do with the one before it. */
  readonly isExact: boolean
  readonly rows: readonly GridRow[]
}

export interface GridRow extends Stretch {
  /** Whether the file says that it names columns. */
  readonly isHeader: boolean
  readonly cells: readonly PlacedCell[]
}

/** A cell that holds something, over `columns` columns from `column` on; `isGroup` if it stands beside several rows. */
export interface PlacedCell extends Stretch {
  readonly column: number
  readonly columns: number
  readonly isGroup: boolean
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

/** Where a section begins in its page's text, its heading included, and its name: headings, outermost first, joined by " > ". */
export type SectionStart = readonly [start: number, section: string]

/** The unit of retrieval: whole sentences of one section, or of several short ones, on one page. */
export interface Passage {
  /** `<documentId>.<ordinal>` */
  readonly passageId: string
  readonly documentId: string
  readonly ordinal: number
  readonly page: number
  /** Of several, the longest. */
  readonly section: string | null
  /** Of a passage of several sections all, in their order; else absent, also where it was stored before this was kept. */
  readonly sections?: readonly SectionStart[]
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
  /** What a person, or a rule of the settings, sorts it under, in the order of their letters. */
  readonly tags: readonly string[]
  /** When it was added first; null where an earlier version stored it. */
  readonly addedAt: string | null
  /** Absent where none of the person's references is known to be of this document. */
  readonly reference?: DocumentReference
}

/** A document on its way into the library. */
export interface NewDocument {
  /** With the reader's own title, authors and year. */
  readonly record: Omit<DocumentRecord, 'pages' | 'passages' | 'tags' | 'addedAt' | 'reference'> & {
    readonly addedAt?: string | null
  }
  /** How the reader found each of them, for instance `arXiv stamp`. */
  readonly from?: { readonly [K in keyof DocumentMetadata]?: string }
  readonly pages: readonly PageText[]
  readonly passages: readonly Passage[]
}

/** A stretch of a page's text: `text` begins at `start` of the page. Of the tables, it has those that begin in it. */
export interface PagePiece extends PageText {
  readonly start: number
}

/** A part of a document on its way into the library, of bounded size. */
export interface DocumentBatch {
  readonly pages: readonly PagePiece[]
  readonly passages: readonly Passage[]
}

/** UTF-16 code units. A file without pages is one page, however long: its text is sent, kept and read in pieces. */
export const pieceLength = 16_384

/** Cuts the text of a page into pieces, never between the halves of a surrogate pair. */
export function* piecesOf({ tables = [], places, leftOut, ...page }: PageText): Generator<PagePiece> {
  const { text } = page
  const beginning = { ...page, ...(places && { places }), ...(leftOut && { leftOut }) }
  let start = 0
  do {
    const end = endOfPiece(text, start)
    const own = tables.filter((table) => table.start >= start && table.start < end)
    yield {
      ...(start === 0 ? beginning : page),
      ...(own.length > 0 && { tables: own }),
      start,
      text: text.slice(start, end),
    }
    start = end
  } while (start < text.length)
}

function endOfPiece(text: string, start: number): number {
  const end = Math.min(text.length, start + pieceLength)
  return end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end
}
