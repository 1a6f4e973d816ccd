import { stem } from '../language/stem.ts'
import { contentWords } from '../language/terms.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import { chooseTerms, type Frequencies, inverseFrequency, type RankedPassage, rankPassages } from './rank-passages.ts'

interface FirstSearch {
  readonly query: string
  readonly terms: readonly string[]
  readonly frequencies: Frequencies
  /** What was found, best first. */
  readonly ranked: readonly RankedPassage[]
}

interface WideningOptions {
  /** How many further passages the index proposes. */
  readonly proposed: number
  readonly documents: readonly string[] | null
}

/** The best passages, which are assumed to be relevant. */
const TRUSTED = 5
/** Words of theirs that are added to the search. */
const ADDED = 20
/**
 * What the words of the query weigh against those added (RM3: Abdul-Jaleel et al., TREC 2004). On development questions
 * of COVID-QA, 3 to 10 passages, 10 to 30 words and weights from 0.6 find the answer for one in a hundred more or less.
 */
const QUERY_WEIGHT = 0.8
/** Words that are counted before the best of them are chosen. */
const CONSIDERED = 60

/**
 * Searches once more, for words that the best passages of the first search share (pseudo-relevance feedback), which finds
 * passages that say the same in other words. The scores stay those of the query alone.
 */
export async function widen(
  index: PassageIndex,
  { query, terms, frequencies, ranked }: FirstSearch,
  { proposed, documents }: WideningOptions,
): Promise<readonly RankedPassage[]> {
  const words = await relatedWords(index, terms, ranked.slice(0, TRUSTED))
  if (words.length === 0) return ranked
  const of = new Map(words.map(({ word, occurrences }) => [word, occurrences]))
  const added = chooseTerms([...of.keys()], { passages: frequencies.passages, of })
  const matches = await index.match({ terms: added, limit: proposed, documents })
  const known = new Set(ranked.map(({ passage }) => passage.passageId))
  const further = matches.filter(({ passage }) => !known.has(passage.passageId))
  return rankPassages(query, terms, [...ranked, ...further], frequencies)
    .map((found) => ({ found, combined: QUERY_WEIGHT * found.score + (1 - QUERY_WEIGHT) * shareHeld(words, found) }))
    .sort((a, b) => b.combined - a.combined)
    .map(({ found }) => found)
}

interface RelatedWord {
  readonly word: string
  readonly stem: string
  /** How characteristic it is of the passages. */
  readonly weight: number
  readonly occurrences: number
}

/** Words that distinguish the passages from the rest of the library, each passage weighted by its score. */
async function relatedWords(
  index: PassageIndex,
  terms: readonly string[],
  passages: readonly RankedPassage[],
): Promise<readonly RelatedWord[]> {
  const asked = new Set(terms.map(stem))
  const words = new Map<string, { readonly word: string; readonly share: number }>()
  for (const { passage, score } of passages) {
    const own = contentWords(passage.text)
    for (const word of own) {
      const key = stem(word)
      if (asked.has(key) || word.length < 2 || /^\p{N}+$/u.test(word)) continue
      const known = words.get(key)
      words.set(key, { word: known?.word ?? word, share: (known?.share ?? 0) + score / own.length })
    }
  }
  const considered = [...words].sort(([, a], [, b]) => b.share - a.share).slice(0, CONSIDERED)
  const frequencies = await index.frequencies(considered.map(([, { word }]) => word))
  return considered
    .map(([key, { word, share }]) => {
      const occurrences = frequencies.of.get(word) ?? 0
      return { word, stem: key, occurrences, weight: share * inverseFrequency(occurrences, frequencies.passages) }
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, ADDED)
}

/** 0 to 1: how much of the words' weight a passage holds. */
function shareHeld(words: readonly RelatedWord[], { passage }: RankedPassage): number {
  const own = new Set(contentWords(passage.text).map(stem))
  const total = words.reduce((sum, { weight }) => sum + weight, 0)
  const held = words.reduce((sum, word) => sum + (own.has(word.stem) ? word.weight : 0), 0)
  return total > 0 ? held / total : 0
}
