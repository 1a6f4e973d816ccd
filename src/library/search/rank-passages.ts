import { RELATED, relativesOf, stem } from '../language/stem.ts'
import { isStopWord } from '../language/stop-words.ts'
import { synonymsOf } from '../language/synonyms.ts'
import { stems } from '../language/terms.ts'
import type { PassageMatch } from '../port/passage-index.ts'
import type { AboutDocuments } from './named-documents.ts'

/** In how many passages each term of a query stands. */
export interface Frequencies {
  readonly passages: number
  readonly of: ReadonlyMap<string, number>
}

/** A passage, and how much of what the query asks for it holds: 0 to 1, comparable between queries. */
export interface RankedPassage extends PassageMatch {
  readonly score: number
}

// BM25 as Robertson and Zaragoza give it. All constants here were tuned on even questions of XQuAD, COVID-QA and SciFact.
const K1 = 1.2
const B = 0.6
// A question is found by its rare words: between BM25, which counts rarity once, and the vector model, twice.
const RARITY = 1.3
// A word in the document's title counts twice, one in the section's heading once. The title of a long document says
// less of each of its passages: its weight falls with the root of their number.
const TITLE_WEIGHT = 2
// A table is read by the row, however many it has: it counts as long as a row with its header. Tuned on filings.
const ROW_WORDS = 60
// Two words of the query that stand near each other say more than two apart (after sequential dependence models,
// Metzler and Croft, 2005); the nearer, the more.
const NEARNESS = 1.5
const NEAR_WORDS = 12
// The weight of a synonym where neither the word nor a relative stands.
const SYNONYM = 0.25
// A bibliography holds the words of a subject without saying anything about it.
const REFERENCES_FACTOR = 0.5
const ASKS_FOR_REFERENCES = /\b(references?|bibliograph|cit(e|es|ed|ation|ations|ing))\b/i

// Of a question about documents that it names, a word counts at most so many times its median word: "decimal" is rare in
// them, and stands there by chance. A table that has all years asked about has their columns. Both tuned on filings.
const MOST_OF_MEDIAN = 1.5
const TABLE_OF_YEARS = 1.4

const NONE: AboutDocuments = { shares: new Map(), names: new Set(), years: [] }

/** Orders matches by BM25 with proximity; equal scores keep the order in which they came. */
export function rankPassages(
  query: string,
  terms: readonly string[],
  matches: readonly PassageMatch[],
  frequencies: Frequencies,
  about: AboutDocuments = NONE,
): readonly RankedPassage[] {
  const texts = matches.map(readPassage)
  const weighed = weighTerms(terms, frequencies, texts)
  const all = about.shares.size > 0 ? levelled(weighed, texts) : weighed
  const names = new Set([...about.names].map(stem))
  const withoutNames = all.filter((term) => !names.has(term.stem))
  const named = all.filter((term) => names.has(term.stem)).reduce((sum, { weight }) => sum + weight, 0)
  const best = (K1 + 1) * all.reduce((sum, term) => sum + term.weight, 0)
  const meanLength = texts.reduce((sum, text) => sum + text.length, 0) / (texts.length || 1)
  return matches
    .map((match, i) => {
      const text = texts[i] ?? EMPTY
      const isNamed = about.shares.has(match.passage.documentId)
      const weighted = isNamed ? withoutNames : all
      const held = scoreWords(weighted, text, meanLength) + scoreNearness(weighted, text) + (isNamed ? named : 0)
      const raw = held * factorOf(query, match, text, about)
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
  readonly weight: number
  /** Words of the passages that count for it where it is missing. */
  readonly related: readonly string[]
  readonly synonyms: readonly string[]
}

interface ReadPassage {
  /** Word positions by stem, in the passage's own text. */
  readonly positions: ReadonlyMap<string, readonly number[]>
  readonly headings: ReadonlyMap<string, number>
  readonly length: number
}

const EMPTY: ReadPassage = { positions: new Map(), headings: new Map(), length: 0 }

/** Each word of the query once, whatever its form and however often it is repeated. */
function weighTerms(
  terms: readonly string[],
  frequencies: Frequencies,
  texts: readonly ReadPassage[],
): readonly WeightedTerm[] {
  const words = new Map(terms.map((term) => [stem(term), term]))
  const relatives = relativesOf(words.keys(), vocabularyOf(texts))
  return Array.from(words, ([word, term]) => {
    const idf = inverseFrequency(frequencies.of.get(term) ?? 0, frequencies.passages)
    // A stop word that could not be dropped must not outweigh content words.
    const weight = (idf * (isStopWord(term) ? 0.1 : 1)) ** RARITY
    return { stem: word, weight, related: relatives.get(word) ?? [], synonyms: synonymsOf(word) }
  })
}

/** No term outweighs the others of its query by far. */
function levelled(terms: readonly WeightedTerm[], texts: readonly ReadPassage[]): readonly WeightedTerm[] {
  const known = terms.filter(({ stem }) => texts.some(({ positions }) => positions.has(stem)))
  const weights = known.map(({ weight }) => weight).sort((a, b) => a - b)
  const median = weights[Math.floor(weights.length / 2)] ?? Infinity
  return terms.map((term) => ({ ...term, weight: Math.min(term.weight, MOST_OF_MEDIAN * median) }))
}

function factorOf(
  query: string,
  { passage: { kind, documentId } }: PassageMatch,
  { positions }: ReadPassage,
  { years, shares }: AboutDocuments,
): number {
  if (kind === 'references') return ASKS_FOR_REFERENCES.test(query) ? 1 : REFERENCES_FACTOR
  const hasColumns = kind === 'table' && years.length > 0 && years.every((year) => positions.has(year))
  return hasColumns && shares.has(documentId) ? TABLE_OF_YEARS : 1
}

function vocabularyOf(texts: readonly ReadPassage[]): ReadonlySet<string> {
  const words = new Set<string>()
  for (const { positions } of texts) for (const word of positions.keys()) words.add(word)
  return words
}

function readPassage({ passage, document }: PassageMatch): ReadPassage {
  const words = stems(passage.text)
  const positions = new Map<string, number[]>()
  words.forEach((word, i) => {
    const known = positions.get(word)
    if (known) known.push(i)
    else positions.set(word, [i])
  })
  const titleWeight = TITLE_WEIGHT / Math.sqrt(Math.max(1, document.passages))
  const headings = new Map<string, number>()
  for (const word of stems(passage.section ?? '')) headings.set(word, 1)
  for (const word of stems(document.title ?? '')) headings.set(word, Math.max(titleWeight, headings.get(word) ?? 0))
  const length = passage.kind === 'table' ? Math.min(words.length, ROW_WORDS) : words.length
  return { positions, headings, length }
}

function scoreWords(terms: readonly WeightedTerm[], { positions, headings, length }: ReadPassage, meanLength: number) {
  const norm = K1 * (1 - B + (B * length) / (meanLength || 1))
  const stands = (word: string) => positions.has(word)
  return terms.reduce((score, { stem, weight, related, synonyms }) => {
    const own = (positions.get(stem)?.length ?? 0) + (headings.get(stem) ?? 0)
    const instead = related.some(stands) ? RELATED : synonyms.some(stands) ? SYNONYM : 0
    const count = own > 0 ? own : instead
    return score + (weight * count * (K1 + 1)) / (count + norm)
  }, 0)
}

/** What pairs of the query's words add; a long query has more pairs, so each then counts less. */
function scoreNearness(terms: readonly WeightedTerm[], { positions }: ReadPassage): number {
  const held = terms
    .map(({ stem, weight }) => ({ weight, at: positions.get(stem) ?? [] }))
    .filter(({ at }) => at.length > 0)
  let score = 0
  held.forEach((one, i) => {
    for (const other of held.slice(i + 1)) {
      const distance = distanceBetween(one.at, other.at)
      if (distance <= NEAR_WORDS) score += Math.min(one.weight, other.weight) / Math.sqrt(distance)
    }
  })
  return (2 * NEARNESS * score) / Math.max(1, terms.length - 1)
}

/** The smallest distance, in words, between two ascending lists of positions. */
function distanceBetween(first: readonly number[], second: readonly number[]): number {
  let smallest = Infinity
  let i = 0
  let j = 0
  while (i < first.length && j < second.length) {
    const difference = (first[i] ?? 0) - (second[j] ?? 0)
    smallest = Math.min(smallest, Math.abs(difference))
    if (difference < 0) i += 1
    else j += 1
  }
  return smallest
}

/** Occurrences of words that a search may read in any library: some milliseconds of work. */
const FEWEST_OCCURRENCES = 10_000
/** In a large library it may read this share of its passages. */
const SHARE_OF_PASSAGES = 0.05
/** One word alone is too little of a question. */
const FEWEST_TERMS = 2

/**
 * The words to search the index for, rarest first: the cost of a search is the sum of their occurrences, and common words
 * add no results. The ranking still counts all. Words without an occurrence are left out. On XQuAD, COVID-QA and SciFact
 * a cap at a tenth of the passages costs no top passage, one at a thirtieth does.
 */
export function chooseTerms(terms: readonly string[], { passages, of }: Frequencies): readonly string[] {
  const most = Math.max(FEWEST_OCCURRENCES, SHARE_OF_PASSAGES * passages)
  const occurrences = (term: string) => of.get(term) ?? 0
  const known = [...new Set(terms)].filter((term) => occurrences(term) > 0)
  const rarestFirst = known.sort((a, b) => occurrences(a) - occurrences(b))
  let sum = 0
  const end = rarestFirst.findIndex((term, i) => {
    sum += occurrences(term)
    return i >= FEWEST_TERMS && sum > most
  })
  return end < 0 ? rarestFirst : rarestFirst.slice(0, end)
}
