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
}

interface Around {
  /** Unit, caption and header of a table. */
  readonly heads: readonly string[]
  /** What introduces the list that the quote is of, then the sentence in front, which may name what "it" is. */
  readonly before: readonly Stretch[]
  /** The sentences or rows that hold the quote. */
  readonly own: readonly Stretch[]
  /** The sentence behind, on which the claim may rest too. */
  readonly after: readonly Stretch[]
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
  const found = all
    .flatMap(({ before, own, after }) => [...before, ...own, ...after])
    .filter(({ text }) => !heads.includes(text))
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
    before: [],
    own: [{ text: quote.slice(0, MOST), start, end: start + quote.length }],
    after: [],
  }
  const found = near.indexOf(before + quote)
  if (found < 0) return alone
  const at = found + before.length
  const block = blockAround(near, { start: at, end: at + quote.length }, isOfTable(located) ? '\n' : '\n\n')
  const text = near.slice(block.start, block.end)
  const shift = start - at + block.start
  const spans = (isOfTable(located) ? linesIn : unbrokenSentences)(text).map((span) => ({
    text: text.slice(span.start, span.end),
    start: span.start + shift,
    end: span.end + shift,
  }))
  const own = spans.filter((span) => span.end > start && span.start < start + quote.length)
  const left = MOST - lengthOf(own)
  if (own.length === 0 || left < 0) return alone
  return { ...alone, own, ...(isOfTable(located) ? {} : besides(own, spans, left)) }
}

/** The sentences beside those that hold a quote, as far as there is room; a heading or a row beside it is none. */
function besides(own: readonly Stretch[], spans: readonly Stretch[], room: number): Pick<Around, 'before' | 'after'> {
  const first = spans.findIndex(({ start }) => start === own[0]?.start)
  const introduction = isItem(own[0]?.text ?? '') && spans.slice(0, first).findLast(({ text }) => text.endsWith(':'))
  const ahead = [...new Set([introduction || spans[first - 1], spans[first - 1]])].filter(isSentence)
  const before = lengthOf(ahead) <= room ? ahead : []
  const behind = spans.slice(first + own.length, first + own.length + 1).filter(isSentence)
  // What follows a heading or a row does not go on from it.
  const goesOn = own.every(isSentence) && lengthOf([...before, ...behind]) <= room
  return { before, after: goesOn ? behind : [] }
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
