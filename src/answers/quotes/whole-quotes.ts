import { type Span, sentences } from '../../library/index.ts'
import { type Located, locateIn, type Sources } from './locate-quotes.ts'
import { formsOf, weightsOf } from './page-sentences.ts'
import type { TabledEvidence } from './quoted-table.ts'

/** Characters of a quote at most, where it is made longer. */
const longest = 700
/** Shares of what a passage has of a claim: with so much of it in them, the rest of a sentence, and the one beside it, are quoted too. */
const worth = { within: 0.05, beside: 0.1 }

/**
 * Quotes that hold what they are to bear out: a writer copies a few words, and the passage may say the rest in the same sentence
 * or in the one beside it. Each is made longer by whole sentences of its passage while these have figures or telling words of the
 * claim that no quote has.
 */
export async function wholeQuotes(
  claim: string,
  quotes: readonly Located[],
  sources: Sources,
): Promise<readonly Located[]> {
  const weights = weightsOf(claim, sources.evidence)
  const held = new Set(quotes.flatMap(({ quote }) => [...formsOf(quote)]))
  const whole: Located[] = []
  for (const quote of quotes) {
    const evidence = sources.evidence.find(({ passage }) => passage.id === quote.passage)
    const words = evidence && !quote.table ? longerWords(quote, evidence, { weights, held }) : null
    const longer = evidence && words !== null ? await locateIn(words, evidence, sources) : null
    for (const form of formsOf(longer?.quote ?? '')) held.add(form)
    whole.push(longer ?? quote)
  }
  return whole
}

interface Wanted {
  /** Of the claim's words and figures: how telling each is. */
  readonly weights: ReadonlyMap<string, number>
  /** Those that a quote has. */
  readonly held: ReadonlySet<string>
}

/** The words of the passage that the quote should have; null where they are its own. */
function longerWords(
  { start, end }: Located,
  { observation }: TabledEvidence,
  { weights, held }: Wanted,
): string | null {
  const { text } = observation
  const [from, to] = [start - observation.start, end - observation.start]
  const spans = sentences(text)
  let first = spans.findIndex((span) => from < span.end)
  let last = spans.findIndex((span) => to <= span.end)
  if (from < 0 || first < 0 || last < first) return null
  const known = new Set(held)
  const total = sumOf(formsOf(text), weights)
  const gainOf = (index: number) => {
    const span = spans[index]
    const missing = span ? [...formsOf(text.slice(span.start, span.end))].filter((form) => !known.has(form)) : []
    // A figure of one digit may stand anywhere.
    const hasFigure = missing.some((form) => weights.has(form) && /^\d{2,}$/.test(form))
    return hasFigure ? 1 : sumOf(missing, weights) / total
  }
  const isShort = (one: number, other: number) => (spans[other]?.end ?? 0) - (spans[one]?.start ?? 0) <= longest
  const inside = Array.from({ length: last - first + 1 }, (_, at) => gainOf(first + at))
  if (!isShort(first, last)) return null
  let isLonger = inside.some((gain) => gain >= worth.within)
  for (;;) {
    for (let at = first; at <= last; at += 1) for (const form of formsIn(spans[at], text)) known.add(form)
    const beside = [first - 1, last + 1].map((index) => ({ index, gain: gainOf(index) }))
    const fitting = beside.filter(
      ({ index, gain }) => gain >= worth.beside && isShort(Math.min(index, first), Math.max(index, last)),
    )
    const best = fitting.sort((a, b) => b.gain - a.gain)[0]
    if (!best) break
    first = Math.min(first, best.index)
    last = Math.max(last, best.index)
    isLonger = true
  }
  return isLonger ? text.slice(spans[first]?.start, spans[last]?.end) : null
}

function formsIn(span: Span | undefined, text: string): ReadonlySet<string> {
  return formsOf(span ? text.slice(span.start, span.end) : '')
}

function sumOf(forms: Iterable<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const form of forms) sum += weights.get(form) ?? 0
  return sum
}
