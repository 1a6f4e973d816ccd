import { sentences } from '../../library/language/sentences.ts'
import { tokens } from '../../library/language/terms.ts'
import { headerOfTable, type LocatedQuote } from '../checks/located-quote.ts'
import { baseForm } from '../checks/word-forms.ts'

/** A sentence that passed the checks by words, with what it rests on. */
export interface Claim {
  readonly text: string
  /** The heading or the head of the table that it stands under in the answer; null for none. */
  readonly under: string | null
  readonly found: readonly LocatedQuote[]
  /** Formulas that were computed again, with their results. */
  readonly formulas: readonly string[]
}

/**
 * Whether a claim is to be read again: it is not said nearly word for word by a sentence that holds one of its quotes. What
 * rests on a table or a formula, and a cell of a table, means nothing without its headings, and is read in any case.
 */
export function isDoubtful({ text, under, found, formulas }: Claim): boolean {
  const isPlain = under === null && formulas.length === 0
  return !isPlain || !found.some((each) => each.observation.kind !== 'table' && isNearCopy(text, wordsAround(each).own))
}

/**
 * True where the claim's words and figures, apart from articles, stand in the text side by side, in the same order, and make
 * up more than half of it: less is cut out of "if …" or "it was not proved that …".
 */
export function isNearCopy(claim: string, text: string): boolean {
  const said = formsIn(claim)
  const held = formsIn(text)
  return 2 * said.length > held.length && ` ${held.join(' ')} `.includes(` ${said.join(' ')} `)
}

const ARTICLES = new Set('a an the der die das den dem des ein eine le la les un une el los las una'.split(' '))

function formsIn(text: string): readonly string[] {
  return tokens(text).flatMap(({ word }) => (ARTICLES.has(word) ? [] : [baseForm(word)]))
}

/** Characters of the sentences around one quote, and of the headings of a table, that are shown at most. */
const MOST = 900

/** The words of a page that carry a quote, as few as possible. */
export interface WordsAround {
  /** Caption and header of a table; else the sentence in front, which may name what "it" is. Empty if there is none. */
  readonly lead: string
  /** The rows or sentences that hold the quote. */
  readonly own: string
}

export function wordsAround(located: LocatedQuote): WordsAround {
  const { quote, near, before, observation } = located
  const found = near.indexOf(before + quote)
  if (found < 0) return { lead: '', own: quote.slice(0, MOST) }
  const start = found + before.length
  const end = start + quote.length
  const from = near.lastIndexOf('\n', start - 1) + 1
  const lineEnd = near.indexOf('\n', end)
  const lines = near.slice(from, lineEnd < 0 ? near.length : lineEnd)
  if (observation.kind === 'table') {
    return { lead: headerOfTable(located).slice(0, MOST), own: lines.length > MOST ? quote.slice(0, MOST) : lines }
  }
  const spans = sentences(lines)
  const first = spans.findIndex((span) => from + span.end > start)
  const last = spans.findLastIndex((span) => from + span.start < end)
  const [head, tail, previous] = [spans[first], spans[last], spans[first - 1]]
  if (!head || !tail) return { lead: '', own: quote.slice(0, MOST) }
  const own = lines.slice(head.start, tail.end)
  const lead = previous ? lines.slice(previous.start, previous.end) : ''
  return own.length > MOST
    ? { lead: '', own: quote.slice(0, MOST) }
    : { lead: own.length + lead.length > MOST ? '' : lead, own }
}
