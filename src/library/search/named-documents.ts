import type { DocumentsByTerm } from '../port/passage-index.ts'
import { type Frequencies, inverseFrequency, type RankedPassage } from './rank-passages.ts'

/** How much a query is about each document that it names, from 0 to 1; empty if it names none. */
export type AboutDocuments = ReadonlyMap<string, number>

/**
 * A term names documents if what it is found in belongs to them: "Nike" seldom stands in other documents, "income" does,
 * although it may stand in a title too. This is the least share of a term's passages.
 */
const NAMING_SHARE = 0.5
/** What remains of the score of a passage whose document is not named where others are. */
const UNNAMED = 0.4
/** What a document of another year than the query's keeps of its name. */
const OTHER_YEAR = 0.8

/**
 * Which documents a query is about: those that its names stand for, the rarer the name among documents, the surer. Of
 * these, the ones of the latest year in the query come first: a report compares its own year with those before.
 */
export function aboutDocuments(
  terms: readonly string[],
  { documents, of: named }: DocumentsByTerm,
  frequencies: Frequencies,
): AboutDocuments {
  const weights = new Map<string, number>()
  for (const term of new Set(terms)) {
    const own = named.get(term) ?? []
    if (own.length === 0 || own.length === documents || isYear(term)) continue
    const held = own.reduce((sum, each) => sum + each.held, 0)
    const share = held / Math.max(held, frequencies.of.get(term) ?? 0, 1)
    if (share < NAMING_SHARE) continue
    const weight = share * inverseFrequency(own.length, documents)
    for (const { documentId } of own) weights.set(documentId, (weights.get(documentId) ?? 0) + weight)
  }
  const latest = terms.filter(isYear).sort().at(-1)
  const ofYear = latest === undefined ? null : new Set(named.get(latest)?.map(({ documentId }) => documentId))
  for (const [documentId, weight] of weights) {
    if (ofYear && !ofYear.has(documentId)) weights.set(documentId, OTHER_YEAR * weight)
  }
  const most = Math.max(...weights.values())
  return new Map(Array.from(weights, ([documentId, weight]) => [documentId, weight / most]))
}

function isYear(term: string): boolean {
  return /^(?:19|20)\d\d$/.test(term)
}

/** The documents that a query is most about. */
export function mostNamed(about: AboutDocuments): readonly string[] {
  return [...about].filter(([, share]) => share > 0.5).map(([documentId]) => documentId)
}

/** Orders passages anew: those of documents that the query names come before others that hold as much of it. */
export function preferNamed(ranked: readonly RankedPassage[], about: AboutDocuments): readonly RankedPassage[] {
  if (about.size === 0) return ranked
  return ranked
    .map((found) => ({
      ...found,
      score: found.score * (UNNAMED + (1 - UNNAMED) * (about.get(found.passage.documentId) ?? 0)),
    }))
    .sort((a, b) => b.score - a.score)
}
