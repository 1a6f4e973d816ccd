import { sentences } from '../../library/index.ts'
import { type Located, locateIn, type Sources } from './locate-quotes.ts'
import { formsOf, weightsOf } from './page-sentences.ts'
import type { TabledEvidence } from './quoted-table.ts'

/** Characters of a quote at most, where it is made longer. */
const longest = 1_000
/** Shares of what a passage has of a claim: with so much of it in them, the rest of a sentence, and the one beside it, are quoted too. */
const worth = { within: 0.05, beside: 0.1 }
/** So many sentences away words of a claim may stand; its figures may stand anywhere within reach. */
const beside = 2

/**
 * Quotes that hold what they are to bear out: a writer copies a few words, and the passage may say the rest in the same sentence
 * or in one near it, or in other cells of a table. Each is made longer by whole sentences of its passage while these have figures or telling words of the
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
function longerWords({ start, end }: Located, { observation }: TabledEvidence, wanted: Wanted): string | null {
  const { text } = observation
  const [from, to] = [start - observation.start, end - observation.start]
  const spans = sentences(text).map((span) => ({ ...span, forms: formsOf(text.slice(span.start, span.end)) }))
  let first = spans.findIndex((span) => from < span.end)
  let last = spans.findIndex((span) => to <= span.end)
  const isShort = (one: number, other: number) => (spans[other]?.end ?? 0) - (spans[one]?.start ?? 0) <= longest
  if (from < 0 || first < 0 || last < first || !isShort(first, last)) return null
  const held = new Set(wanted.held)
  const total = sumOf(formsOf(text), wanted.weights)
  const missingIn = (index: number) => [...(spans[index]?.forms ?? [])].filter((form) => !held.has(form))
  const gainOf = (index: number) => sumOf(missingIn(index), wanted.weights) / total
  // A figure of one digit may stand anywhere.
  const hasFigure = (index: number) =>
    missingIn(index).some((form) => wanted.weights.has(form) && /^\d{2,}$/.test(form))
  const inside = spans
    .slice(first, last + 1)
    .some((_, at) => hasFigure(first + at) || gainOf(first + at) >= worth.within)
  let isLonger = inside
  for (;;) {
    for (const { forms } of spans.slice(first, last + 1)) for (const form of forms) held.add(form)
    const around = spans.flatMap((_, index) => {
      const far = index < first ? first - index : index - last
      const isMeant = far > 0 && isShort(Math.min(index, first), Math.max(index, last))
      const isWorth = isMeant && (hasFigure(index) || (far <= beside && gainOf(index) >= worth.beside))
      return isWorth ? [{ index, far, gain: gainOf(index) }] : []
    })
    const [best] = around.sort((one, other) => one.far - other.far || other.gain - one.gain)
    if (!best) break
    first = Math.min(first, best.index)
    last = Math.max(last, best.index)
    isLonger = true
  }
  return isLonger ? text.slice(spans[first]?.start, spans[last]?.end) : null
}

function sumOf(forms: Iterable<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const form of forms) sum += weights.get(form) ?? 0
  return sum
}
