import { type Sentence, sentences } from './sentences.ts'
import { isRow } from './table.ts'

/** A line that is an item of a list, by its bullet or number. */
const ITEM = /^(?:[•◦▪‣·*–—-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+\S/
/** A shorter line ends where its author wanted it to end. */
const FULL_LINE = 50

/** The sentences of a text; one that is broken at the end of a full line, or goes on in small letters, is one. */
export function unbrokenSentences(text: string): readonly Sentence[] {
  const joined: Sentence[] = []
  for (const span of sentences(text)) {
    const last = joined.at(-1)
    if (last && goesOn(text, last, span)) joined[joined.length - 1] = { start: last.start, end: span.end }
    else joined.push(span)
  }
  return joined
}

function goesOn(text: string, one: Sentence, next: Sentence): boolean {
  const between = text.slice(one.end, next.start)
  const [line, following] = [text.slice(one.start, one.end), text.slice(next.start, next.end)]
  if (between.split('\n').length !== 2 || /[.!?:;…]["”’)\]]*$/.test(line)) return false
  if (isRow(line) || isRow(following) || isItem(following)) return false
  const lastLine = line.slice(line.lastIndexOf('\n') + 1)
  return /^[\p{Ll}(]/u.test(following) || lastLine.length >= FULL_LINE
}

/** Whether a line is an item of a list. */
export function isItem(line: string): boolean {
  return ITEM.test(line)
}
