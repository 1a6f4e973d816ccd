import { numbersIn } from '../language/numbers.ts'
import type { RankedPassage } from './rank-passages.ts'

/** A found passage, and where else nearly the same text stands. */
export interface FoundPassage extends RankedPassage {
  readonly also: readonly RankedPassage[]
}

/** Runs of so many words are compared (A. Broder, "On the resemblance and containment of documents", 1997). */
const SHINGLE = 3
/** The share of both texts' runs that must be common: three or four words of a hundred may differ. */
const LEAST_RESEMBLANCE = 0.8
/** Similar texts have similar scores; only titles and headings differ. */
const LEAST_RELATIVE_SCORE = 0.7
/** This many runs, spread over the text, tell most texts apart before all are compared. */
const SAMPLES = 8
/** Words that turn a sentence into its opposite. */
const NEGATIONS: ReadonlySet<string> = new Set('no not none never neither nor without cannot n t'.split(' '))

/**
 * The best passages, each text once: nearly the same text in another document is listed with the best one. Repeats within
 * a document stay, since a footnote names the place. Passages that differ in a number or a negation are kept apart, and
 * so are tables unless they are equal.
 */
export function foldDuplicates(ranked: readonly RankedPassage[], limit: number): readonly FoundPassage[] {
  const kept: { readonly text: ComparedText; readonly found: RankedPassage; readonly also: RankedPassage[] }[] = []
  for (const found of ranked) {
    const last = kept.length < limit ? undefined : kept.at(-1)
    // A score so much lower than all kept cannot be of the same text.
    if (last && found.score < LEAST_RELATIVE_SCORE * last.found.score) continue
    const text = comparedText(found)
    const same = kept.find((other) => isNearlySame(other.text, text))
    if (same) same.also.push(found)
    else if (kept.length < limit) kept.push({ text, found, also: [] })
  }
  return kept.map(({ found, also }) => ({ ...found, also }))
}

/** A passage as it is compared; slow parts are computed when first needed. */
interface ComparedText {
  readonly found: RankedPassage
  readonly words: readonly string[]
  readonly shingles: () => ReadonlySet<string>
  readonly samples: () => readonly string[]
  readonly meaning: () => string
}

function comparedText(found: RankedPassage): ComparedText {
  const words = found.passage.text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return {
    found,
    words,
    shingles: once(() => new Set(words.map((_, i) => shingleAt(words, i)))),
    samples: once(() =>
      Array.from({ length: SAMPLES }, (_, i) => shingleAt(words, Math.floor((i * words.length) / SAMPLES))),
    ),
    meaning: once(() => meaningOf(found.passage.text, words)),
  }
}

function isNearlySame(a: ComparedText, b: ComparedText): boolean {
  const [one, other] = [a.found.passage, b.found.passage]
  if (one.documentId === other.documentId || one.kind !== other.kind) return false
  if (b.found.score < LEAST_RELATIVE_SCORE * a.found.score) return false
  const shorter = Math.min(a.words.length, b.words.length)
  const longer = Math.max(a.words.length, b.words.length)
  if (shorter < LEAST_RESEMBLANCE * longer) return false
  if (b.samples().filter((sample) => a.shingles().has(sample)).length < SAMPLES / 2) return false
  if (one.kind === 'table') return a.words.join(' ') === b.words.join(' ') && a.meaning() === b.meaning()
  return resemblance(a.shingles(), b.shingles()) >= LEAST_RESEMBLANCE && a.meaning() === b.meaning()
}

function shingleAt(words: readonly string[], at: number): string {
  return words.slice(at, at + SHINGLE).join(' ')
}

/** The share of the runs of either that both have. */
function resemblance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const each of a) if (b.has(each)) common += 1
  return common / (a.size + b.size - common)
}

/** What may not differ: the numbers, signs and number words included, names with a figure, and the negations. */
function meaningOf(text: string, words: readonly string[]): string {
  const numbers = numbersIn(text).map(({ value }) => value)
  return JSON.stringify([numbers, words.filter((word) => /\p{N}/u.test(word) || NEGATIONS.has(word))])
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
