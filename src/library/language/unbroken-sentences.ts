import { isRow } from './characters.ts'
import { type Sentence, sentences } from './sentences.ts'

/** A line that is an item of a list, by its bullet or number. */
const ITEM = /^(?:[•◦▪‣·*–—-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+\S/
/** A shorter line ends where its author wanted it to end. */
const FULL_LINE = 50

const NONE: ReadonlySet<string> = new Set()

/**
 * The sentences of a text; one that is broken at the end of a full line, or goes on in small letters, is one. A line that is
 * one of the headings stands alone.
 */
export function unbrokenSentences(text: string, headings: ReadonlySet<string> = NONE): readonly Sentence[] {
  const isHeading = ({ start, end }: Sentence) => headings.has(text.slice(start, end))
  const joined: Sentence[] = []
  let before: Sentence | undefined
  for (const span of sentences(text)) {
    const last = joined.at(-1)
    if (last && before && !isHeading(last) && !isHeading(span) && goesOn(text, before, span))
      joined[joined.length - 1] = { start: last.start, end: span.end }
    else joined.push(span)
    before = span
  }
  return joined
}

/** Whether the last line of a sentence goes on in the next one. */
function goesOn(text: string, last: Sentence, next: Sentence): boolean {
  const between = text.slice(last.end, next.start)
  const [line, following] = [text.slice(last.start, last.end), text.slice(next.start, next.end)]
  if (between.split('\n').length !== 2 || /[.!?:;…]["”’)\]]*$/.test(line)) return false
  return isOneParagraph(line, following)
}

/** Whether a line and the one below it belong together, as far as their form tells. */
export function isOneParagraph(line: string, following: string): boolean {
  if (isRow(line) || isRow(following) || isItem(following)) return false
  return /^[\p{Ll}(]/u.test(following) || line.length >= FULL_LINE
}

/** Whether a line is an item of a list. */
export function isItem(line: string): boolean {
  return ITEM.test(line)
}
