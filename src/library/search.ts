import { UsageError } from '../errors.ts'
import { chooseTerms } from './choose-terms.ts'
import type { SearchHit } from './library.ts'
import type { PassageIndex } from './passage-index.ts'
import { type RankedPassage, rankPassages } from './rank-passages.ts'
import { queryTerms } from './terms.ts'

export interface SearchOptions {
  /** How many passages to return. */
  readonly limit?: number
  /** Only these documents; all, if null. */
  readonly documents?: readonly string[] | null
}

/** How many passages the index proposes, for the more careful ranking to choose from: twice as many find no more. */
const PROPOSED = 100

/**
 * Finds the passages that hold most of what a query asks for, best first. Any text is a valid query; one without a
 * single letter or digit throws `UsageError`, since there is nothing to look for.
 */
export async function searchPassages(
  index: PassageIndex,
  query: string,
  options: SearchOptions = {},
): Promise<readonly SearchHit[]> {
  return (await findPassages(index, query, options)).map(toSearchHit)
}

/** The same search, with all that is known of each passage and its document. */
export async function findPassages(
  index: PassageIndex,
  query: string,
  { limit = 10, documents = null }: SearchOptions = {},
): Promise<readonly RankedPassage[]> {
  const terms = queryTerms(query)
  if (terms.length === 0) throw new UsageError('The search is empty: give at least one word to look for')
  const frequencies = await index.frequencies([...new Set(terms)])
  const chosen = chooseTerms(terms, frequencies)
  const matches = await index.match({ terms: chosen, limit: Math.max(PROPOSED, limit), documents })
  return rankPassages(query, terms, matches, frequencies).slice(0, limit)
}

/** A found passage as `quaero search --json` prints it. */
export function toSearchHit({ passage, document, score }: RankedPassage, index: number): SearchHit {
  return {
    rank: index + 1,
    score: Math.round(score * 10_000) / 10_000,
    passageId: passage.passageId,
    documentId: passage.documentId,
    title: document.title,
    source: document.source,
    page: passage.page,
    section: passage.section,
    start: passage.start,
    end: passage.end,
    text: passage.text,
  }
}
