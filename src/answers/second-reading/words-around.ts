import { isItem, unbrokenSentences } from '../../library/language/unbroken-sentences.ts'
import { headingsAbove } from '../calculations/quoted-figures.ts'
import { headerOfTable, type LocatedQuote } from '../checks/located-quote.ts'

/** Characters of the sentences around one quote, and of the headings of a table, that are shown at most. */
const MOST = 900

/** Words of a page, and where they begin and end on it. */
interface Stretch {
  readonly text: string
  readonly start: number
  readonly end: number
  /** It begins on the line on which the one in front of it ends. */
  readonly goesOn?: boolean
}

interface Around {
  /** Unit, caption and header of a table. */
  readonly heads: readonly string[]
  /** The sentences or rows that hold the quote. */
  readonly own: readonly Stretch[]
  /**
   * What introduces the list that the quote is of, the sentence in front, which may name what "it" is, the sentence behind, on
   * which the claim may rest too, and what else the item of the list says.
   */
  readonly beside: readonly Stretch[]
}

/** The sentences or rows that hold a quote. */
export function ownWords(located: LocatedQuote): string {
  return around(located)
    .own.map(({ text }) => text)
    .join(' ')
}

/**
 * The words of one passage that carry these quotes, as few as possible, each once and in the order of the page: sentences,
 * with the one in front and the one behind, or rows below the unit line, caption and header of their table. "…" parts sentences that do not
 * follow each other.
 */
export function wordsAround(quotes: readonly LocatedQuote[]): string {
  const all = quotes.map(around)
  const heads = [...new Set(all.flatMap((each) => each.heads))]
  const isTable = quotes.some(isOfTable)
  const found = all.flatMap(({ own, beside }) => [...own, ...beside]).filter(({ text }) => !heads.includes(text))
  const body = [...new Map(found.map((each) => [each.start, each])).values()].sort((a, b) => a.start - b.start)
  const parts = body.map(({ text, start }, at) => {
    const before = body[at - 1]
    if (!before) return text
    return (isTable ? '\n' : start - before.end > WHITE_SPACE ? ' … ' : ' ') + text
  })
  return [...heads, parts.join('')].filter((each) => each !== '').join('\n')
}

/** Characters between two sentences that follow each other, at most. */
const WHITE_SPACE = 3

function isOfTable({ observation }: LocatedQuote): boolean {
  return observation.kind === 'table'
}

function around(located: LocatedQuote): Around {
  const { quote, start, near, before } = located
  const alone = {
    heads: headsOf(located),
    own: [{ text: quote.slice(0, MOST), start, end: start + quote.length }],
    beside: [],
  }
  const found = near.indexOf(before + quote)
  if (found < 0) return alone
  const at = found + before.length
  const block = blockAround(near, { start: at, end: at + quote.length }, isOfTable(located) ? '\n' : '\n\n')
  const text = near.slice(block.start, block.end)
  const shift = start - at + block.start
  const spans = (isOfTable(located) ? linesIn : unbrokenSentences)(text).map((span, index, all) => ({
    text: text.slice(span.start, span.end),
    start: span.start + shift,
    end: span.end + shift,
    goesOn: index > 0 && !text.slice(all[index - 1]?.end, span.start).includes('\n'),
  }))
  const own = spans.filter((span) => span.end > start && span.start < start + quote.length)
  const left = MOST - lengthOf(own)
  if (own.length === 0 || left < 0) return alone
  return { ...alone, own, beside: isOfTable(located) ? [] : besides(own, spans, left) }
}

/** The sentences beside those that hold a quote, the nearest first, as far as there is room; a heading or a row is none. */
function besides(own: readonly Stretch[], spans: readonly Stretch[], room: number): readonly Stretch[] {
  const first = spans.findIndex(({ start }) => start === own[0]?.start)
  const behind = first + own.length
  const [begin, end] = itemAround(spans, first, behind)
  const introduction = isItem(spans[begin]?.text ?? '')
    ? spans.slice(0, begin).findLast(({ text }) => text.endsWith(':'))
    : undefined
  const before = spans.slice(Math.max(0, Math.min(begin, first - 1)), first)
  const list = listFrom(spans, behind)
  // What follows a heading or a row does not go on from it.
  const after = own.every(isSentence) ? spans.slice(behind + list.length, Math.max(end, behind + 1)) : []
  const nearest = [introduction, ...before.slice(-1), ...after, ...before.slice(0, -1).reverse()]
  let left = room
  return [...list, ...new Set(nearest.filter(isSentence))].filter(({ text }) => {
    const fits = text.length <= left
    if (fits) left -= text.length
    return fits
  })
}

/** The same sentences with the others of their list item, if they are of one. */
function itemAround(spans: readonly Stretch[], first: number, behind: number): readonly [begin: number, end: number] {
  const begin = spans.findLastIndex(({ goesOn }, index) => index <= first && !goesOn)
  const next = spans.findIndex(({ goesOn }, index) => index >= behind && !goesOn)
  return isItem(spans[begin]?.text ?? '') ? [begin, next < 0 ? spans.length : next] : [first, behind]
}

/** The items of the list that the sentence in front of them introduces. */
function listFrom(spans: readonly Stretch[], start: number): readonly Stretch[] {
  if (!spans[start - 1]?.text.endsWith(':')) return []
  const end = spans.findIndex(({ text, goesOn }, index) => index >= start && !isItem(text) && !goesOn)
  return spans.slice(start, end < 0 ? spans.length : end)
}

function isSentence(span: Stretch | undefined): span is Stretch {
  return span !== undefined && /[.!?:;…]["”’)\]]*$/.test(span.text)
}

function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { text }) => sum + text.length, 0)
}

/** From the mark that parts blocks before a span to the one behind it. */
function blockAround(text: string, { start, end }: Omit<Stretch, 'text'>, mark: string): Omit<Stretch, 'text'> {
  const before = text.lastIndexOf(mark, start - 1)
  const behind = text.indexOf(mark, end)
  return { start: before < 0 ? 0 : before + mark.length, end: behind < 0 ? text.length : behind }
}

/** What stands above a row: lines of the page that say its unit, then the caption and header of the table. */
function headsOf(located: LocatedQuote): readonly string[] {
  const lines = [...headingsAbove(located), ...headerOfTable(located).split('\n')]
  return lines.join('\n').length <= MOST ? lines.filter((line) => line !== '') : []
}

function linesIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/[^\n]+/g), ({ 0: line, index }) => ({ start: index, end: index + line.length }))
}
