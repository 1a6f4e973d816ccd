import type { PassageMatch } from './passage-index.ts'
import { stem } from './stem.ts'
import { isStopWord, stems } from './terms.ts'

/** In how many passages each term of a query stands. */
export interface Frequencies {
  readonly passages: number
  readonly of: ReadonlyMap<string, number>
}

/** A passage, and how much of what the query asks for it holds: 0 to 1, comparable between queries. */
export interface RankedPassage extends PassageMatch {
  readonly score: number
}

// BM25 as Robertson and Zaragoza give it; the weights of pairs are those of sequential dependence models (Metzler and
// Croft, 2005): measured best on SciFact and Cranfield.
const K1 = 1.2
const B = 0.75
const ORDERED_PAIR = 0.1
const NEAR_PAIR = 0.2
const NEAR_WORDS = 8
// A word in the document's title counts twice, one in the section's heading once.
const TITLE_WEIGHT = 2
// A bibliography repeats the words of every subject it touches without saying anything about it.
const REFERENCES_FACTOR = 0.5
const ASKS_FOR_REFERENCES = /\b(references?|bibliograph|cit(e|es|ed|ation|ations|ing))\b/i

/** Orders matches by BM25 with proximity; equal scores keep the order in which they came. */
export function rankPassages(
  query: string,
  terms: readonly string[],
  matches: readonly PassageMatch[],
  frequencies: Frequencies,
): readonly RankedPassage[] {
  const weighted = weighTerms(terms, frequencies)
  const best = (K1 + 1) * weighted.reduce((sum, term) => sum + term.idf, 0)
  const texts = matches.map(readPassage)
  const meanLength = texts.reduce((sum, text) => sum + text.length, 0) / (texts.length || 1)
  return matches
    .map((match, i) => {
      const text = texts[i] ?? EMPTY
      const bibliography = match.passage.kind === 'references' && !ASKS_FOR_REFERENCES.test(query)
      const raw = scoreText(weighted, text, meanLength) * (bibliography ? REFERENCES_FACTOR : 1)
      return { ...match, raw, score: best > 0 ? Math.min(1, raw / best) : 0 }
    })
    .sort((a, b) => b.raw - a.raw)
    .map(({ raw: _, ...ranked }) => ranked)
}

/** How much a word tells texts apart: BM25's inverse document frequency, never negative. */
export function inverseFrequency(occurrences: number, passages: number): number {
  return Math.log(1 + (passages - occurrences + 0.5) / (occurrences + 0.5))
}

interface WeightedTerm {
  readonly stem: string
  readonly idf: number
}

interface ReadPassage {
  /** Word positions by stem, in the passage's own text. */
  readonly positions: ReadonlyMap<string, readonly number[]>
  readonly headings: ReadonlyMap<string, number>
  readonly length: number
}

const EMPTY: ReadPassage = { positions: new Map(), headings: new Map(), length: 0 }

function weighTerms(terms: readonly string[], frequencies: Frequencies): readonly WeightedTerm[] {
  return terms.map((term) => ({
    stem: stem(term),
    // A word that could not be dropped although it says nothing must not outweigh those that do.
    idf: inverseFrequency(frequencies.of.get(term) ?? 0, frequencies.passages) * (isStopWord(term) ? 0.1 : 1),
  }))
}

function readPassage(match: PassageMatch): ReadPassage {
  const words = stems(match.passage.text)
  const positions = new Map<string, number[]>()
  words.forEach((word, i) => {
    const known = positions.get(word)
    if (known) known.push(i)
    else positions.set(word, [i])
  })
  const headings = new Map<string, number>()
  for (const word of stems(match.passage.section ?? '')) headings.set(word, 1)
  for (const word of stems(match.document.title ?? '')) headings.set(word, TITLE_WEIGHT)
  return { positions, headings, length: words.length }
}

function scoreText(terms: readonly WeightedTerm[], text: ReadPassage, meanLength: number): number {
  const norm = K1 * (1 - B + (B * text.length) / (meanLength || 1))
  const saturate = (count: number) => (count * (K1 + 1)) / (count + norm)
  let score = 0
  terms.forEach((term, i) => {
    const here = text.positions.get(term.stem) ?? []
    score += term.idf * saturate(here.length + (text.headings.get(term.stem) ?? 0))
    const next = terms[i + 1]
    const there = next && next.stem !== term.stem ? (text.positions.get(next.stem) ?? []) : []
    if (!next || here.length === 0 || there.length === 0) return
    const { ordered, near } = pairs(here, there)
    const weight = (term.idf + next.idf) / 2
    score += weight * (ORDERED_PAIR * saturate(ordered) + NEAR_PAIR * saturate(near))
  })
  return score
}

/** How often the second word directly follows the first, and how often the two stand within eight words. */
function pairs(first: readonly number[], second: readonly number[]): { ordered: number; near: number } {
  let ordered = 0
  let near = 0
  let from = 0
  for (const position of first) {
    while ((second[from] ?? Infinity) < position - NEAR_WORDS) from += 1
    for (let i = from; (second[i] ?? Infinity) <= position + NEAR_WORDS; i += 1) {
      near += 1
      if (second[i] === position + 1) ordered += 1
    }
  }
  return { ordered, near }
}
