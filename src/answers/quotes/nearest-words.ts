import { type Token, tokens } from '../../library/language/terms.ts'

/** The stretch of a text that is nearest to a quote. */
export interface Nearest {
  readonly text: string
  /** 0 to 1: the share of the quote's words that stand in it. */
  readonly share: number
  /** Words of the quote that do not. */
  readonly missing: readonly string[]
}

/** A longer quote is no slip of the pen. */
const mostWords = 80

/** The window of as many words as the quote has that shares most of them, from its first shared word to its last. */
export function nearestWords(quote: string, text: string): Nearest | null {
  const wanted = tokens(quote.slice(0, 2000)).slice(0, mostWords)
  const words = new Set(wanted.map(({ word }) => word))
  const page = tokensOf(text)
  const { start, shared } = bestWindow(wanted, page)
  const window = page.slice(start, start + wanted.length)
  const inside = window.filter(({ word }) => words.has(word))
  const [first, last] = [inside[0], inside.at(-1)]
  if (!first || !last) return null
  const held = new Set(window.map(({ word }) => word))
  return {
    text: text.slice(first.start, last.end),
    share: shared / wanted.length,
    missing: [...words].filter((word) => !held.has(word)),
  }
}

/** Where the window begins, and how many words it shares: counted while it slides, so that the time is linear. */
function bestWindow(wanted: readonly Token[], page: readonly Token[]) {
  const left = new Map<string, number>()
  for (const { word } of wanted) left.set(word, (left.get(word) ?? 0) + 1)
  let best = { shared: 0, start: 0 }
  let shared = 0
  for (const [at, { word }] of page.entries()) {
    shared += counted(left, word, -1)
    shared -= counted(left, page[at - wanted.length]?.word, 1)
    if (shared > best.shared) best = { shared, start: Math.max(0, at - wanted.length + 1) }
  }
  return best
}

/** Changes how often a word is still wanted; 1 if that takes it into the window, or out of it. */
function counted(left: Map<string, number>, word = '', change: 1 | -1): number {
  const count = left.get(word)
  if (count === undefined) return 0
  left.set(word, count + change)
  return Math.max(count, count + change) > 0 ? 1 : 0
}

/** The tokens of the passages that an answer quotes from, which are the same few for all its quotes. */
const known = new Map<string, readonly Token[]>()
const mostKnown = 64

function tokensOf(text: string): readonly Token[] {
  const found = known.get(text) ?? tokens(text)
  if (known.size >= mostKnown) known.clear()
  known.set(text, found)
  return found
}
