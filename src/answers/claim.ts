import type { Observation } from '../events/index.ts'
import { scaleOf } from '../library/arithmetic/figure.ts'
import { isEnglish, isLatin } from '../library/language/english.ts'
import { isSmallWord, languageOf } from '../library/language/language.ts'
import { numberWords } from '../library/language/numbers.ts'
import { headerOf } from '../library/language/table.ts'
import { isStopWord, tokens } from '../library/language/terms.ts'
import { unitNamed } from '../library/language/units.ts'
import { asRead } from '../library/quote.ts'
import { turnedBound } from './checks/bounds.ts'
import { figureProblem } from './checks/figures.ts'
import { identityOf, type LocatedQuote, type Surroundings } from './checks/located-quote.ts'
import { missingNames } from './checks/names.ts'
import { contradiction, isCutDenial, isNegated, isOnlyDenied } from './checks/negation.ts'
import { oppositeOf } from './checks/opposites.ts'
import { tooGeneral, unsaidCause, unsaidOutcome } from './checks/strength.ts'
import { exchangedNames, exchangedNoun, exchangedSubject, relevantTo, withBeginnings } from './checks/subject.ts'
import { contentForms } from './checks/word-forms.ts'
import { type HeldWords, heldWords } from './checks/words.ts'
import { addressesIn } from './readable-text.ts'

export type { LocatedQuote, Surroundings } from './checks/located-quote.ts'

/**
 * Why the quotes do not support a sentence, in words for its author; null if no check fails. Its numbers must stand in the
 * quotes; its names and references in the quotes, their passages or the names of their documents; it may not say the
 * opposite of its quotes, and must share words with them. In doubt a sentence passes.
 */
export function whyUnsupported(
  sentence: string,
  found: readonly LocatedQuote[],
  surroundings: Surroundings,
): string | null {
  const located = found.map((each) => ({ ...each, quote: asRead(each.quote) }))
  const copied = located.filter(({ quote }) => wordsAlone(quote) === wordsAlone(asRead(sentence)))
  // What is copied whole says what its page says, unless it was cut off behind a "not".
  if (copied.length > 0) return cutDenial(sentence, copied)
  const quotes = located.map(({ quote }) => quote)
  const around = located.map(({ observation }) => contextOf(observation)).join('\n')
  const context = `${quotes.join('\n')}\n${around}`
  // A row, or a sentence, that is copied whole has its own figures.
  const isCopy = quotes.some((quote) => quote.includes(asRead(sentence).trim()))
  return (
    (isCopy
      ? null
      : figureProblem(
          withoutCountOfSources(withoutDocumentNames(sentence, located), located),
          located,
          surroundings,
        )) ??
    referenceProblem(sentence, context, located, surroundings) ??
    addressProblem(sentence, context) ??
    nameProblem(sentence, context, withBeginnings(found), surroundings) ??
    wordProblem(sentence, context, located, surroundings)
  )
}

function contextOf({ text, title, section, table, authors, year, source }: Observation): string {
  return [text, title, section, table, ...authors, year, source].filter((each) => each != null).join('\n')
}

/** The header of a quoted table counts as part of its rows. */
export function columnsOf({ kind, text }: Observation): string {
  return kind === 'table' ? headerOf(text.split('\n')).text : ''
}

const COUNTS = ['two', 'three', 'four', 'five']

/** "The two papers differ" counts the sources, and need not stand in a quote. */
function withoutCountOfSources(sentence: string, located: readonly LocatedQuote[]): string {
  const documents = new Set(located.map(({ observation }) => observation.documentId)).size
  return sentence.replace(
    /\b(two|three|four|five)\s+(?:papers|documents|sources|passages|reports|articles|studies|figures|values|files)\b/giu,
    (words, count: string) => {
      const counted = COUNTS.indexOf(count.toLowerCase()) + 2
      return counted === documents || counted === located.length ? ' ' : words
    },
  )
}

const LABELLED =
  /\b(tab|fig|sec|chap|app|eq|alg|page|p)(?:les?|ures?|tions?|ters?|endix|endices|uations?|orithms?|s|p)?\.?\s?\(?(\d{1,4}(?:\.\d{1,3}){0,4})[a-z]?\b/giu

/** "Table 3", "page 5" and "et al., 2021" must be the place of a passage, or stand in it. */
function referenceProblem(
  sentence: string,
  context: string,
  located: readonly LocatedQuote[],
  { textOf }: Surroundings,
): string | null {
  const missing = missingLabel(labelsIn(sentence), context, located, textOf)
  if (missing) return `no passage that it quotes is or names ${missing}`
  const cited = /\bet al\.?,?\s\(?(\d{4})/u.exec(sentence)?.[1]
  return cited && !context.includes(cited) ? `no passage that it quotes is of ${cited}` : null
}

function missingLabel(
  labels: readonly string[],
  context: string,
  located: readonly LocatedQuote[],
  textOf: Surroundings['textOf'],
): string | undefined {
  if (labels.length === 0) return undefined
  const documents = located.map(({ observation }) => textOf(observation.documentId))
  const places = located.flatMap(({ observation }) => [
    `page ${observation.page}`,
    `page ${observation.pageLabel ?? observation.page}`,
    ...(observation.section ?? '').split(' > ').map((heading) => `section ${heading}`),
  ])
  const known = new Set(labelsIn([context, ...places, ...documents].join('\n')))
  return labels.find((label) => !known.has(label))
}

function labelsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(LABELLED), ([, label = '', number = '']) => {
    const short = label.toLowerCase().slice(0, 3)
    return `${short.startsWith('p') ? 'page' : short} ${number}`
  })
}

function addressProblem(sentence: string, context: string): string | null {
  const missing = addressesIn(sentence).find((address) => !context.includes(address))
  return missing ? 'it holds an address that its sources do not' : null
}

function nameProblem(
  sentence: string,
  context: string,
  located: readonly LocatedQuote[],
  { question, textOf, known }: Surroundings,
): string | null {
  const missing = missingNames(sentence, `${context}\n${located.map(({ near }) => near).join('\n')}`, known)
  // A passage seldom repeats its subject: a name in the question may stand elsewhere in the document.
  const asked = new Set(tokens(question).map(({ word }) => word))
  const documents = [...new Set(located.map(({ observation }) => observation.documentId))].map(textOf).join('\n')
  const left = missing.filter((name) => !tokens(name).every(({ word }) => asked.has(word)))
  const names = [
    ...left,
    ...missingNames(missing.filter((name) => !left.includes(name)).join(' of '), documents, known),
  ]
  if (names.length > 0) return `no passage that it quotes names ${names.join(', ')}`
  const [exchanged] = exchangedNames(sentence, located, known)
  return exchanged === undefined ? null : `its quotes are about another than ${exchanged}`
}

/** A sentence with this many content words must share some with its passages. */
const ENOUGH_WORDS = 3
const LEAST_SHARED = 0.2

function wordProblem(
  sentence: string,
  context: string,
  located: readonly LocatedQuote[],
  surroundings: Surroundings,
): string | null {
  const quotes = relevantTo(sentence, located).map(({ quote }) => quote)
  const quoted = quotes.join('\n')
  const bound = turnedBound(sentence, quotes, isEnglish(sentence) ? '.' : ',')
  if (bound) return `its quotes bound ${bound} from the other side`
  const turned = oppositeOf(sentence, quoted, isNegated(sentence) || isNegated(quoted))
  if (turned) return `it says "${turned}", its quotes the opposite`
  const language = languageOf(sentence)
  const theirs = languageOf(quoted) ?? languageOf(context)
  if (!isLatin(context) || (language !== null && theirs !== null && language !== theirs)) return null
  return denialProblem(sentence, located, quotes) ?? contentProblem(sentence, context, located, surroundings)
}

function denialProblem(sentence: string, located: readonly LocatedQuote[], quotes: readonly string[]): string | null {
  const passages = located.map(({ observation }) => observation.text)
  const all = located.map(({ quote }) => quote)
  const denied = contradiction(sentence, all, passages)
  if (denied) return denied
  if (isOnlyDenied(sentence, quotes)) return 'its quotes say "not" where it does not'
  return cutDenial(sentence, located)
}

function cutDenial(sentence: string, located: readonly LocatedQuote[]): string | null {
  const cut = located.find(({ quote, before }) => isCutDenial(sentence, quote, before))
  return cut ? `its quote begins behind a "not": “${cut.quote}”` : null
}

/** Without the mark at its end. */
function wordsAlone(text: string): string {
  return text.trim().replace(/[.!?:;,…]{1,3}$/, '')
}

/** Whether the quotes hold what the sentence says: its subject, its "all", its result and cause, and enough of its words. */
function contentProblem(
  sentence: string,
  context: string,
  located: readonly LocatedQuote[],
  { isComputed = false, textOf, question }: Surroundings,
): string | null {
  const quotes = relevantTo(sentence, located).map(({ quote }) => quote)
  const quoted = quotes.join('\n')
  const held = heldWords(located.flatMap((each) => [each.quote, each.observation.section ?? '', identityOf(each)]))
  const general = tooGeneral(sentence, quoted, heldWords(quotes))
  if (general) return `it says "${general}", its quotes do not`
  const unsaid = unsaidOutcome(sentence, held, quoted) ?? unsaidCause(sentence, held)
  if (unsaid) return `its quotes do not say "${unsaid}"`
  const texts = located.map(({ observation }) => textOf(observation.documentId) || observation.text)
  const subject = exchangedSubject(sentence, quotes, heldWords([...texts, question]), located.map(identityOf))
  const other = subject ?? exchangedNoun(sentence, quotes, isEnglish(sentence) ? '.' : ',')
  if (other) return `its quotes do not speak of "${other}"`
  if (isComputed) return null
  const words = [...new Set(contentForms(sentence))].filter((word) => !isSmallWord(word) && !isMeasure(word))
  if (words.length < ENOUGH_WORDS && !sharesAny(sentence, words, located)) return 'its quotes do not say so'
  const isFar = ({ has }: HeldWords) => words.filter(has).length < LEAST_SHARED * words.length
  // All that a quote holds, its passage holds too, which takes longer to read.
  return words.length >= ENOUGH_WORDS && isFar(heldWords(quotes)) && isFar(heldWords([context]))
    ? 'its quotes speak of other things'
    : null
}

function isMeasure(word: string): boolean {
  return unitNamed(word) !== null || scaleOf(word) !== null
}

/** A short sentence repeats a word or a figure of its quotes, their title or section. */
function sharesAny(sentence: string, words: readonly string[], located: readonly LocatedQuote[]): boolean {
  const held = heldWords(
    located.flatMap(({ quote, observation: { title, section } }) => [quote, title ?? '', section ?? '']),
  )
  return /\d/.test(sentence) || numberWords(sentence).length > 0 || words.some(held.has)
}

/**
 * The sentence without the names of the documents that it quotes, so that no quote must state the "2023" of “Annual Report
 * 2023”. A name is a whole title or file name, or a label before a colon ("- **Version 2, May 2023**: …") that holds only
 * words of the document's name, or is a line from the beginning of its first page. The label must name every quoted
 * document: with words or numbers of another one it is checked like the rest.
 */
function withoutDocumentNames(sentence: string, documents: readonly LocatedQuote[]): string {
  const names = documents.flatMap(({ observation }) => wholeNames(observation))
  const rest = names.reduce((text, name) => text.replaceAll(name, ' '), sentence)
  const label = labelsOf(rest).find((each) => documents.every((document) => isNameOf(each, document)))
  return label === undefined ? rest : rest.slice(label.length)
}

/** Characters of a label. */
const LONGEST = 160

function labelsOf(sentence: string): readonly string[] {
  return Array.from(sentence.slice(0, LONGEST).matchAll(/:[”"’')\]*]{0,4}\s/gu), ({ 0: colon, index }) =>
    sentence.slice(0, index + colon.length),
  ).reverse()
}

/** Words that may stand in any label. */
const GENERAL: ReadonlySet<string> = new Set(
  'document documents paper report article file note version edition dated published year title'.split(' '),
)

function isNameOf(label: string, { observation, head }: LocatedQuote): boolean {
  const words = wordsOf(label)
  const telling = words.filter((word) => !isStopWord(word) && !GENERAL.has(word))
  if (telling.length === 0) return false
  const own = new Set(namesOf(observation).flatMap(wordsOf))
  const isLine = head.split(/[\n|]/).some((line) => wordsOf(line).join(' ') === words.join(' '))
  return isLine || telling.every((word) => own.has(word))
}

function wordsOf(text: string): readonly string[] {
  return tokens(text).map(({ word }) => word)
}

function namesOf({ title, source, authors, year }: Observation): readonly string[] {
  return [title ?? '', fileName(source), ...authors, year === null ? '' : `${year}`]
}

function wholeNames({ title, source }: Observation): readonly string[] {
  return [title ?? '', fileName(source)].filter((name) => wordsOf(name).length > 1)
}

function fileName(source: string): string {
  return source.split(/[/\\]/).at(-1) ?? ''
}
