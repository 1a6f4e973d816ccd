import { isStopWord, queryTerms, tokens } from '../language/terms.ts'
import { type DocumentsByTerm, fewestPassages, type NamedDocument } from '../port/passage-index.ts'
import { type Frequencies, inverseFrequency, type RankedPassage } from './rank-passages.ts'

/** What a query says of the documents that it is about. */
export interface AboutDocuments {
  /** How much it is about each document that it names, from 0 to 1; empty if it names none. */
  readonly shares: ReadonlyMap<string, number>
  /** The terms that say so: all passages of the document have them, wherever they stand. */
  readonly names: ReadonlySet<string>
}

/**
 * A term names documents if what it is found in belongs to them: "Nike" seldom stands in other documents, "income" does,
 * although it may stand in a title too. This is the least share of a term's passages.
 */
const NAMING_SHARE = 0.7
/** What remains of the score of a passage whose document is not named where others are. */
const UNNAMED = 0.4
/** What a document of another year than the query's keeps of its name. */
const OTHER_YEAR = 0.5

/**
 * Which documents a query is about: those that its names stand for, the rarer the name among documents, the surer. Of
 * these, the ones of the latest year in the query come first: a report compares its own year with those before.
 */
export function aboutDocuments(
  terms: readonly string[],
  { documents, of }: DocumentsByTerm,
  frequencies: Frequencies,
): AboutDocuments {
  const years = terms.filter(isYear)
  const names = new Set<string>()
  const weights = new Map<string, number>()
  for (const term of terms.filter((each) => !isYear(each))) {
    const own = of.get(term) ?? []
    const share = shareOf(term, own, frequencies)
    if (own.length === documents || share < NAMING_SHARE) continue
    names.add(term)
    const weight = share * inverseFrequency(own.length, documents)
    for (const { documentId } of own) weights.set(documentId, (weights.get(documentId) ?? 0) + weight)
  }
  const latest = years.sort().at(-1)
  const ofYear = new Set(of.get(latest ?? '')?.map(({ documentId }) => documentId))
  const isOther = (documentId: string) => latest !== undefined && !ofYear.has(documentId)
  const most = Math.max(...weights.values())
  const shares = Array.from(weights, ([id, weight]) => [id, ((isOther(id) ? OTHER_YEAR : 1) * weight) / most] as const)
  return { shares: new Map(shares), names: new Set(names.size > 0 ? [...names, ...years] : []) }
}

/**
 * The words of a query that may name a document: years, and what begins with a capital; all, where none does, since names
 * are then written small too.
 */
export function possibleNames(query: string): readonly string[] {
  const isSmall = query === query.toLowerCase()
  const isName = (start: number) => isSmall || query.charAt(start) !== query.charAt(start).toLowerCase()
  const found = tokens(query).filter(({ word, start }) => isName(start) && !isStopWord(word) && hasCase(word))
  return [...new Set([...found.map(({ word }) => word), ...queryTerms(query).filter(isYear)])]
}

function hasCase(word: string): boolean {
  return word !== word.toUpperCase()
}

/** How many of the passages that hold a term are in documents that it might name. */
function shareOf(term: string, own: readonly NamedDocument[], { of }: Frequencies): number {
  const held = own.reduce((sum, each) => sum + each.held, 0)
  return held / Math.max(held, of.get(term) ?? 0, 1)
}

function isYear(term: string): boolean {
  return /^(?:19|20)\d\d$/.test(term)
}

/** The documents that a query is most about. */
export function mostNamed({ shares }: AboutDocuments): readonly string[] {
  return [...shares].filter(([, share]) => share > 0.5).map(([documentId]) => documentId)
}

/**
 * Orders passages by score: those of documents that the query names come before others that hold as much of it. A small
 * document keeps its score, since it is found by its text, which holds its name.
 */
export function preferNamed(ranked: readonly RankedPassage[], { shares }: AboutDocuments): readonly RankedPassage[] {
  if (shares.size === 0) return ranked
  const keptBy = ({ documentId, passages }: RankedPassage['document']) =>
    passages < fewestPassages ? 1 : UNNAMED + (1 - UNNAMED) * (shares.get(documentId) ?? 0)
  return ranked
    .map((found) => ({ ...found, score: found.score * keptBy(found.document) }))
    .sort((a, b) => b.score - a.score)
}
