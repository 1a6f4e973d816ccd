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
  const page = tokensOf(text)
  const left = counted(wanted.map(({ word }) => word))
  let shared = 0
  let best = { shared: 0, start: 0 }
  const width = wanted.length
  for (const [at, { word }] of page.entries()) {
    if ((left.get(word) ?? 0) > 0) shared += 1
    if (left.has(word)) left.set(word, (left.get(word) ?? 0) - 1)
    const out = page[at - width]?.word
    if (out !== undefined && left.has(out)) {
      left.set(out, (left.get(out) ?? 0) + 1)
      if ((left.get(out) ?? 0) > 0) shared -= 1
    }
    if (shared > best.shared) best = { shared, start: Math.max(0, at - width + 1) }
  }
  if (best.shared === 0) return null
  const words = new Set(wanted.map(({ word }) => word))
  const window = page.slice(best.start, best.start + width)
  const inside = window.filter(({ word }) => words.has(word))
  const [first, last] = [inside[0], inside.at(-1)]
  if (!first || !last) return null
  const held = new Set(window.map(({ word }) => word))
  return {
    text: text.slice(first.start, last.end),
    share: best.shared / width,
    missing: [...words].filter((word) => !held.has(word)),
  }
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

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
