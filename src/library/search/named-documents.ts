import { beginsUpper, hasDigit, hasLetter } from '../language/characters.ts'
import { isStopWord } from '../language/stop-words.ts'
import { type Token, tokens } from '../language/terms.ts'
import { type DocumentsByTerm, fewestPassages, type NamedDocument } from '../port/passage-index.ts'
import { type Frequencies, inverseFrequency, type RankedPassage } from './rank-passages.ts'

/** What a query says of the documents that it is about. */
export interface AboutDocuments {
  /** How much it is about each document that it names, from 0 to 1; empty if it names none. */
  readonly shares: ReadonlyMap<string, number>
  /** The terms that say so: all passages of the document have them, wherever they stand. */
  readonly names: ReadonlySet<string>
  /** The years asked about, in four digits. */
  readonly years: readonly string[]
}

/**
 * A term names documents if what it is found in belongs to them: "Nike" seldom stands in other documents, "income" does,
 * although it may stand in a title too. This is the least share of a term's passages.
 */
const NAMING_SHARE = 0.7
/** What remains of the score of a passage whose document is not named where others are. */
const UNNAMED = 0.4
/** What a document of another period than the query's keeps of its name. */
const OTHER_PERIOD = 0.5
/** Two letters stand for too much. */
const FEWEST_INITIALS = 3

/**
 * Which documents a query is about: those that its names stand for, the rarer the name among documents, the surer. Of
 * these, the ones of the latest period in the query come first: a report compares its own year with those before.
 */
export function aboutDocuments(
  terms: readonly string[],
  periods: AskedPeriods,
  { documents, of }: DocumentsByTerm,
  frequencies: Frequencies,
): AboutDocuments {
  const { years, parts } = periods
  const names = new Set<string>()
  const weights = new Map<string, number>()
  for (const term of terms.filter((each) => !years.includes(each) && !parts.includes(each))) {
    const own = of.get(term) ?? []
    const share = shareOf(term, own, frequencies)
    if (own.length === documents || share < NAMING_SHARE) continue
    names.add(term)
    const weight = share * inverseFrequency(own.length, documents)
    for (const { documentId } of own) weights.set(documentId, (weights.get(documentId) ?? 0) + weight)
  }
  const sure = Array.from(weights, ([id, weight]) => [id, weight * shareOfPeriods(id, periods, of)] as const)
  const most = Math.max(...sure.map(([, weight]) => weight))
  const shares = new Map(sure.map(([id, weight]) => [id, weight / most] as const))
  return { shares, names: new Set(names.size > 0 ? [...names, ...years] : []), years }
}

/** What a document keeps of its name: less for each period of the query, the latest year and its parts, that is not its own. */
function shareOfPeriods(id: string, { years, parts }: AskedPeriods, of: DocumentsByTerm['of']): number {
  const asked = [...years.slice(-1), ...parts]
  const others = asked.filter((period) => !of.get(period)?.some(({ documentId }) => documentId === id))
  return OTHER_PERIOD ** others.length
}

/**
 * The forms in which a query may name a document: what is written as a name is ("Nike", "3M"), together ("foot locker" in
 * "FOOTLOCKER_2022.pdf") and as initials; all words of a query without a capital, since names are then written small too; and
 * its periods.
 */
export function possibleNames(query: string, { years, parts, words }: AskedPeriods): readonly string[] {
  const own = tokens(query).filter(({ word }) => !isStopWord(word) && !words.has(word) && !years.includes(word))
  const named = own.filter(({ start, end }) => isNameLike(query.slice(start, end)))
  const isSmall = query === query.toLowerCase()
  const found = (isSmall ? own : named).map(({ word }) => word).filter(hasLetter)
  return [...new Set([...found, ...namesTogether(query), ...initialsIn(query, FEWEST_INITIALS), ...years, ...parts])]
}

/** How many of the passages that hold a term are in documents that it might name; all, of initials that stand nowhere. */
function shareOf(term: string, own: readonly NamedDocument[], { of }: Frequencies): number {
  const held = own.reduce((sum, each) => sum + each.held, 0)
  const all = Math.max(held, of.get(term) ?? 0)
  return all === 0 ? 1 : held / all
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

/** The periods that a query names: "FY2022", "Q1 2026", "2023Q2". */
export interface AskedPeriods {
  /** In four digits, the earliest first. */
  readonly years: readonly string[]
  /** Quarters and halves: `q1`, `h2`. */
  readonly parts: readonly string[]
  /** Its words that say so, folded, besides plain years. */
  readonly words: ReadonlySet<string>
}

const PART = '[qh][1-4]|[1-4][qh]'
/** A year with what is written together with it. Two digits are a year behind the mark of a fiscal year alone. */
const YEAR = new RegExp(`^(?:\\p{L}{1,3}|${PART})?((?:19|20)\\d\\d)(?:${PART})?$`, 'u')
const SHORT_YEAR = /^fy(\d\d)$/
const PART_OF_YEAR = new RegExp(`^(?:(?:fy)?(?:19|20)\\d\\d)?(${PART})(?:(?:fy)?(?:19|20)\\d\\d)?$`)

export function periodsIn(query: string): AskedPeriods {
  const years = new Set<string>()
  const parts = new Set<string>()
  const words = new Set<string>()
  for (const { word } of tokens(query)) {
    const year = YEAR.exec(word)?.[1] ?? century(SHORT_YEAR.exec(word)?.[1])
    const part = PART_OF_YEAR.exec(word)?.[1]
    if (year) years.add(year)
    if (part) parts.add(part.replace(/^(\d)(\D)$/, '$2$1'))
    if ((year && word !== year) || part || word === 'fy') words.add(word)
  }
  return { years: [...years].sort(), parts: [...parts].sort(), words }
}

function century(digits: string | undefined): string | undefined {
  return digits && `20${digits}`
}

/** Between the words of one name. */
const WITHIN_NAME = /^[\s&.'’-]{1,3}$/u
const MOST_JOINED = 3
const MOST_INITIALS = 5

/** Names in a text as they may be written together, as in a file's name: "footlocker", "10k", "jj" of "J&J". */
export function namesTogether(text: string): readonly string[] {
  return runsOfNames(text).flatMap((run) =>
    run.flatMap((_, at) =>
      Array.from({ length: MOST_JOINED - 1 }, (_, more) => run.slice(at, at + more + 2))
        .filter(({ length }, more) => length === more + 2)
        .map((words) => words.join('')),
    ),
  )
}

/** The initials of names in a text, with at least so many letters: "amd" of "Advanced Micro Devices". */
export function initialsIn(text: string, fewest: number): readonly string[] {
  return runsOfNames(text).flatMap((run) => {
    const initials = run.map((word) => word.charAt(0)).slice(0, MOST_INITIALS)
    return initials.map((_, at) => initials.slice(0, at + 1).join('')).filter(({ length }) => length >= fewest)
  })
}

/** The parts of words of letters and digits, which an index keeps whole: "2023Q2" is "2023" and "Q2", "3M" stays. */
export function partsOfWords(text: string): readonly string[] {
  return Array.from(text.matchAll(/((?:19|20)\d\d)(\p{L}\d)(?![\p{L}\d])/gu), ([, year, part]) => `${year} ${part}`)
}

/** Words of a text that follow each other and are written as names are, folded. */
function runsOfNames(text: string): readonly (readonly string[])[] {
  const runs: string[][] = []
  let last: Token | undefined
  for (const token of tokens(text)) {
    if (!isNameLike(text.slice(token.start, token.end))) continue
    const isNext = last && WITHIN_NAME.test(text.slice(last.end, token.start))
    if (isNext) runs.at(-1)?.push(token.word)
    else runs.push([token.word])
    last = token
  }
  return runs.filter(({ length }) => length > 1)
}

/** True for a word that may be a name or a part of one: with a capital, or of letters and digits ("3M"). */
export function isNameLike(word: string): boolean {
  return beginsUpper(word) || hasDigit(word) ? !/^\p{N}{3,}$/u.test(word) : false
}
