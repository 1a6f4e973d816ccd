import { UsageError } from '../errors.ts'
import { hasLetterOrDigit, wordsIn } from './language/characters.ts'
import { stem } from './language/stem.ts'
import { queryTerms, stems } from './language/terms.ts'
import type { Passage } from './port/document.ts'
import type { SearchHit } from './port/library.ts'
import type { PassageIndex } from './port/passage-index.ts'
import {
  type AboutDocuments,
  type AskedPeriods,
  aboutDocuments,
  mostNamed,
  periodsIn,
  possibleNames,
  preferNamed,
} from './search/named-documents.ts'
import type { SearchReports } from './search/optional-service.ts'
import {
  chooseTerms,
  type Frequencies,
  inverseFrequency,
  type RankedPassage,
  rankPassages,
} from './search/rank-passages.ts'
import type { Reranking } from './search/reranking.ts'
import type { SemanticIndex } from './vectors/semantic-index.ts'

export interface SearchOptions extends SearchReports {
  /** How many passages to return. */
  readonly limit?: number
  /** Only these documents; all, if null. */
  readonly documents?: readonly string[] | null
  /** Searches by meaning too, and joins what both find. */
  readonly semantic?: Pick<SemanticIndex, 'nearest'> | null
  /** Ranks the best of what was found again. */
  readonly reranking?: Reranking | null
}

/** How many passages the index proposes, for the more careful ranking to choose from: twice as many find no more. */
const PROPOSED = 100
/** From the documents that a query names, where its names tell nothing apart: tables are proposed late. */
const PROPOSED_FROM_NAMED = 600

/**
 * Finds the passages that hold most of what a query asks for, best first. Any text is a valid query; one without a
 * single letter or digit throws `UsageError`, since there is nothing to look for.
 */
export async function searchPassages(
  index: PassageIndex,
  query: string,
  options: SearchOptions = {},
): Promise<readonly SearchHit[]> {
  const found = await findPassages(index, query, options)
  const documents = found.flatMap(({ document, also }) => [document, ...also.map((each) => each.document)])
  const printed = await index.printedPages([...new Set(documents.map(({ documentId }) => documentId))])
  const labels = new Map(printed.map((each) => [`${each.documentId} ${each.page}`, each.printed]))
  const labelOf = ({ documentId, page }: Passage) => labels.get(`${documentId} ${page}`) ?? null
  return found.map((hit, at) => toSearchHit(hit, at, labelOf))
}

/** A found passage, and where else the same text stands. */
export interface FoundPassage extends RankedPassage {
  readonly also: readonly RankedPassage[]
}

/**
 * The same search, with the records of passages and documents. A text that stands in several places is found once. The section
 * of a passage of several is the one that holds the most of the query.
 */
export async function findPassages(
  index: PassageIndex,
  query: string,
  { limit = 10, documents = null, semantic = null, reranking = null, ...reports }: SearchOptions = {},
): Promise<readonly FoundPassage[]> {
  const all = queryTerms(query)
  if (all.length === 0) {
    // Runs of letters too long to be words are found nowhere.
    if (hasLetterOrDigit(query)) return []
    throw new UsageError('The search is empty: give at least one word to look for')
  }
  const proposed = Math.max(PROPOSED, limit)
  const frequencies = await index.frequencies([...new Set(all)])
  const periods = periodsIn(query)
  const about = await documentsAsked(index, periods, { terms: possibleNames(query, periods), documents, frequencies })
  // The document of a period seldom says "FY2018" where it says 2018.
  const terms = about.names.size > 0 ? all.filter((term) => !periods.words.has(term)) : all
  const [byWords, byMeaning] = await Promise.all([
    findByWords(index, query, { terms, proposed, documents, frequencies, about }),
    semantic?.nearest(query, { limit: proposed, documents, ...reports }) ?? [],
  ])
  const found = fuse(preferNamed(byWords, about), preferNamed(byMeaning, about))
  const best = foldDuplicates(found, Math.max(reranking?.passages ?? 0, limit))
  const ranked = reranking ? await reranking.rank(query, best, reports) : best
  const weights = new Map(
    terms.map((term) => [stem(term), inverseFrequency(frequencies.of.get(term) ?? 0, frequencies.passages)]),
  )
  return ranked.slice(0, limit).map((each) => {
    return { ...each, passage: { ...each.passage, section: sectionNearest(each.passage, weights) } }
  })
}

/**
 * The best passages, each text once: the same text in another place, whatever its case and layout, is listed with the
 * best one.
 */
function foldDuplicates(ranked: readonly RankedPassage[], limit: number): readonly FoundPassage[] {
  const kept: (RankedPassage & { readonly text: string; readonly also: RankedPassage[] })[] = []
  for (const found of ranked) {
    const text = wordsIn(found.passage.text.toLowerCase()).join(' ')
    const same = kept.find((other) => other.text === text)
    if (same) same.also.push(found)
    else if (kept.length < limit) kept.push({ ...found, text, also: [] })
  }
  return kept.map(({ text: _, ...found }) => found)
}

interface WordSearch {
  readonly terms: readonly string[]
  readonly documents: readonly string[] | null
  readonly frequencies: Frequencies
}

/** Which documents the query names, of those that are searched. */
async function documentsAsked(
  index: PassageIndex,
  periods: AskedPeriods,
  { terms, documents, frequencies }: WordSearch,
): Promise<AboutDocuments> {
  const named = await index.namedBy(terms)
  if (!documents) return aboutDocuments(terms, periods, named, frequencies)
  const isSearched = ({ documentId }: { readonly documentId: string }) => documents.includes(documentId)
  const of = new Map(Array.from(named.of, ([term, found]) => [term, found.filter(isSearched)]))
  return aboutDocuments(terms, periods, { documents: documents.length, of }, frequencies)
}

/** The passages that the index proposes, from the documents that the query names and from all. */
async function findByWords(
  index: PassageIndex,
  query: string,
  {
    terms,
    proposed,
    documents,
    frequencies,
    about,
  }: WordSearch & { readonly proposed: number; readonly about: AboutDocuments },
): Promise<readonly RankedPassage[]> {
  const named = mostNamed(about)
  const others = terms.filter((term) => !about.names.has(term))
  const chosen = chooseTerms(others.length > 0 ? others : terms, frequencies)
  const [own, all] = await Promise.all([
    named.length > 0 ? index.match({ terms: chosen, limit: PROPOSED_FROM_NAMED, documents: named }) : [],
    index.match({ terms: chooseTerms(terms, frequencies), limit: proposed, documents }),
  ])
  const matches = new Map([...own, ...all].map((found) => [found.passage.passageId, found]))
  return rankPassages(query, terms, [...matches.values()], frequencies, about)
}

/** Scores given passages by how much of what a query asks for they hold, in their order; 0 for a query without words. */
export async function scorePassages(
  index: PassageIndex,
  query: string,
  passages: readonly Passage[],
): Promise<readonly RankedPassage[]> {
  const documents = await Promise.all(passages.map(({ documentId }) => index.document(documentId)))
  const matches = passages.flatMap((passage, i) => {
    const document = documents[i]
    return document ? [{ passage, document, bm25: 0 }] : []
  })
  const terms = queryTerms(query)
  const ranked = rankPassages(query, terms, matches, await index.frequencies([...new Set(terms)]))
  const scores = new Map(ranked.map(({ passage, score }) => [passage.passageId, score]))
  return matches.map((match) => ({ ...match, score: scores.get(match.passage.passageId) ?? 0 }))
}

/** A found passage as `quaero search --json` prints it. */
function toSearchHit(
  { passage, document, score, also }: FoundPassage,
  index: number,
  labelOf: (passage: Passage) => string | null,
): SearchHit {
  return {
    rank: index + 1,
    score: Math.round(score * 10_000) / 10_000,
    passageId: passage.passageId,
    documentId: passage.documentId,
    title: document.title,
    source: document.source,
    format: document.format,
    page: passage.page,
    pageLabel: labelOf(passage),
    section: passage.section,
    start: passage.start,
    end: passage.end,
    text: passage.text,
    also: also.map((other) => ({
      passageId: other.passage.passageId,
      documentId: other.passage.documentId,
      title: other.document.title,
      source: other.document.source,
      format: other.document.format,
      page: other.passage.page,
      pageLabel: labelOf(other.passage),
    })),
  }
}

/** Of Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet" (SIGIR 2009). */
const RRF_K = 60

/**
 * Joins two ranked lists by reciprocal rank fusion, which needs no common scale. Each passage keeps its better score.
 */
export function fuse(first: readonly RankedPassage[], second: readonly RankedPassage[]): readonly RankedPassage[] {
  if (second.length === 0) return first
  const fused = new Map<string, { passage: RankedPassage; weight: number }>()
  for (const list of [first, second]) {
    list.forEach((passage, at) => {
      const { passageId } = passage.passage
      const known = fused.get(passageId)
      const score = Math.max(passage.score, known?.passage.score ?? 0)
      const weight = (known?.weight ?? 0) + 1 / (RRF_K + at + 1)
      fused.set(passageId, { passage: { ...(known?.passage ?? passage), score }, weight })
    })
  }
  return [...fused.values()].sort((a, b) => b.weight - a.weight).map(({ passage }) => passage)
}

interface InSections {
  readonly section: string | null
  readonly sections?: Passage['sections'] | undefined
}

/** The section of a place on a passage's page, which is the one that begins last before it; null above the first heading. */
export function sectionAt({ section, sections = [] }: InSections, place: number): string | null {
  const [, name = section] = sections.findLast(([start]) => start <= place) ?? []
  return name || null
}

/** The section of a passage that holds the most of some words, by their weights; of equals the one that names the passage. */
export function sectionNearest(passage: Passage, weights: ReadonlyMap<string, number>): string | null {
  const { section, sections = [], start: from, text } = passage
  if (sections.length === 0) return section
  const held = sections.map(([start, name], at) => {
    const own = new Set(stems(text.slice(start - from, (sections[at + 1]?.[0] ?? Infinity) - from)))
    return { name, weight: [...own].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) }
  })
  const most = Math.max(...held.map(({ weight }) => weight))
  const best = held.filter(({ weight }) => weight === most)
  return best.some(({ name }) => name === section) ? section : best[0]?.name || null
}
