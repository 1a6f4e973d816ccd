import type { PageText, Passage } from './document.ts'

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
    yield { ...page, start, text: text.slice(start, end) }
    start = end
  } while (start < text.length)
}
