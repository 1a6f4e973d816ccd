import { type Citation, isSame } from '../api/requests.ts'

export interface Stretch {
  readonly start: number
  readonly end: number
}

/** A stretch of a page's text that is marked, the one that was asked for more strongly. */
export interface Mark extends Stretch {
  readonly isAsked: boolean
}

/**
 * What is marked on a page: the quote that was asked for, and what else an answer quotes there. Of a quoted row, the cells whose
 * words stand in the sentences that cite it are marked as asked for. In the order of the text, none over another.
 */
export function marksOn(page: readonly Citation[], asked: Citation, sentences: readonly string[]): readonly Mark[] {
  const quotes = page.flatMap((each) => (isSame(each, asked) ? [] : [{ ...placeOf(each), isAsked: false }]))
  const own = page.some((each) => isSame(each, asked)) ? marksOf(asked, sentences) : []
  const apart = quotes.filter((quote) => !own.some((each) => isIn(each, quote)))
  const marks: Mark[] = []
  for (const mark of [...own, ...apart].toSorted((one, other) => one.start - other.start)) {
    if (mark.start >= (marks.at(-1)?.end ?? 0)) marks.push(mark)
  }
  return marks
}

function marksOf(asked: Citation, sentences: readonly string[]): readonly Mark[] {
  const cells = asked.table ? cellsOf(asked) : []
  const said = cells.filter(({ words }) => sentences.some((sentence) => stands(words, sentence)))
  const isTold = said.some(({ words }) => /\d/.test(words)) && said.length < cells.length
  if (!isTold) return [{ ...placeOf(asked), isAsked: true }]
  return cells.map((cell) => ({ ...placeOf(cell), isAsked: said.includes(cell) }))
}

/** The cells of a quoted row, each with its place on the page. */
function cellsOf({ quote, start }: Citation): readonly (Stretch & { readonly words: string })[] {
  return Array.from(quote.matchAll(/[^|\n]+/g)).flatMap(({ 0: cell, index }) => {
    const words = cell.trim()
    const at = start + index + cell.indexOf(words)
    return words === '' ? [] : [{ words, start: at, end: at + words.length }]
  })
}

/** Whether a sentence has these words or this figure, not as a part of others. */
function stands(words: string, sentence: string): boolean {
  for (let at = sentence.indexOf(words); at !== -1; at = sentence.indexOf(words, at + 1)) {
    const isWhole = !/[\p{L}\p{N}]$|\d[.,]$/u.test(sentence.slice(0, at))
    if (isWhole && !/^(?:[\p{L}\p{N}]|[.,]\d)/u.test(sentence.slice(at + words.length))) return true
  }
  return false
}

function placeOf({ start, end }: Stretch): Stretch {
  return { start, end }
}

/** Whether some of a stretch stands in another. */
export function isIn(one: Stretch, { start, end }: Stretch): boolean {
  return one.start < end && start < one.end
}
