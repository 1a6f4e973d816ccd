import { sentences } from '../../library/language/sentences.ts'
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
  /** The sentence in front, which may name what "it" is; null for none. */
  readonly lead: Stretch | null
  /** The sentences or rows that hold the quote. */
  readonly own: readonly Stretch[]
}

/** The sentences or rows that hold a quote. */
export function ownWords(located: LocatedQuote): string {
  return around(located)
    .own.map(({ text }) => text)
    .join(' ')
}

/**
 * The words of one passage that carry these quotes, as few as possible, each once and in the order of the page: sentences,
 * with the one in front, or rows below the unit line, caption and header of their table. "…" parts sentences that do not
 * follow each other.
 */
export function wordsAround(quotes: readonly LocatedQuote[]): string {
  const all = quotes.map(around)
  const heads = [...new Set(all.flatMap((each) => each.heads))]
  const isTable = quotes.some(isOfTable)
  const found = all
    .flatMap(({ lead, own }) => (lead ? [lead, ...own] : own))
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
  const heads = headsOf(located)
  const only = [{ text: quote.slice(0, MOST), start, end: start + quote.length }]
  const found = near.indexOf(before + quote)
  if (found < 0) return { heads, lead: null, own: only }
  const at = found + before.length
  const from = near.lastIndexOf('\n', at - 1) + 1
  const lineEnd = near.indexOf('\n', at + quote.length)
  const lines = near.slice(from, lineEnd < 0 ? near.length : lineEnd)
  const stretch = (span: { readonly start: number; readonly end: number }): Stretch => {
    const shift = start - at + from
    return { text: lines.slice(span.start, span.end), start: span.start + shift, end: span.end + shift }
  }
  const spans = isOfTable(located) ? linesIn(lines) : sentences(lines)
  const holding = spans.filter((span) => from + span.end > at && from + span.start < at + quote.length)
  const own = holding.map(stretch)
  const length = own.reduce((sum, { text }) => sum + text.length, 0)
  if (length === 0 || length > MOST) return { heads, lead: null, own: only }
  const previous = isOfTable(located)
    ? undefined
    : spans[spans.findIndex((span) => span.start === holding[0]?.start) - 1]
  const lead = previous ? stretch(previous) : null
  return { heads, lead: lead && length + lead.text.length <= MOST ? lead : null, own }
}

/** What stands above a row: lines of the page that say its unit, then the caption and header of the table. */
function headsOf(located: LocatedQuote): readonly string[] {
  const lines = [...headingsAbove(located), ...headerOfTable(located).split('\n')]
  return lines.join('\n').length <= MOST ? lines.filter((line) => line !== '') : []
}

function linesIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/[^\n]+/g), ({ 0: line, index }) => ({ start: index, end: index + line.length }))
}
