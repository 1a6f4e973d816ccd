import { equal } from '../../library/arithmetic/fraction.ts'
import type { DecimalMark } from '../../library/arithmetic/numeral.ts'
import { wordSet } from '../../library/language/characters.ts'
import { isSmallWord } from '../../library/language/language.ts'
import { isStopWord, tokens } from '../../library/language/terms.ts'
import { asRead } from '../../library/quote.ts'
import { headerOfTable, identityOf, type LocatedQuote, withBeginning } from './located-quote.ts'
import { type KnownNames, missingNames, namesIn } from './names.ts'
import { saidFigures } from './said-figures.ts'
import { contentForms } from './word-forms.ts'
import { type HeldWords, heldWords } from './words.ts'

/** The quotes that share the most words with a sentence: one may be cited for another sentence of the paragraph. */
export function relevantTo(sentence: string, located: readonly LocatedQuote[]): readonly LocatedQuote[] {
  if (located.length < 2) return located
  const words = wordsOf(sentence)
  const shares = located.map(({ quote }) => {
    const held = heldWords([quote])
    return words.filter((word) => held.has(word) || quote.includes(word)).length
  })
  const most = Math.max(...shares)
  const best = located.filter((_, i) => (shares[i] ?? 0) * 3 > most * 2)
  return located.filter((each) => best.some((other) => each === other || isNextTo(each, other)))
}

/** Two phrases of one sentence may be quoted one by one. */
function isNextTo(one: LocatedQuote, other: LocatedQuote): boolean {
  const isSamePage =
    one.observation.documentId === other.observation.documentId && one.observation.page === other.observation.page
  const gap = Math.max(one.start - other.start - other.quote.length, other.start - one.start - one.quote.length)
  return isSamePage && gap < BETWEEN
}

/** Characters between two phrases of one sentence. */
const BETWEEN = 20

function wordsOf(sentence: string): readonly string[] {
  return [...new Set([...contentForms(sentence), ...(sentence.match(/\d[\d.,]*\d|\d/g) ?? [])])]
}

/** The same, each with the beginning of the sentence that it was cut from. */
export function withBeginnings(located: readonly LocatedQuote[]): readonly LocatedQuote[] {
  return located.map((each) => ({ ...each, quote: asRead(withBeginning(each)) }))
}

/** "We", "the company": the document speaks of itself. */
const ITSELF =
  /(?<!\p{L})(?:we|our|us|wir|unser\p{L}*|nous|notre|nos|nuestr\p{L}*|(?:the|this) (?:company|group|registrant|corporation|firm)|(?:der|dem|den) konzern|das unternehmen|die (?:gesellschaft|gruppe)|la société|le groupe|l[’']entreprise|la (?:empresa|compañía|sociedad)|el grupo)(?!\p{L})/iu

/**
 * The names of a sentence that stand in the passage, but not in its quotes, where the quotes are about another: about the
 * document's own organisation, or about a name that the sentence leaves out.
 */
export function exchangedNames(
  sentence: string,
  located: readonly LocatedQuote[],
  known: KnownNames,
): readonly string[] {
  const quotes = relevantTo(sentence, located)
  const own = quotes.map((each) => [each.quote, each.observation.section, each.observation.table, headerOfTable(each)])
  const about = [...own.flat(), ...located.map(identityOf)].filter((each) => each != null).join('\n')
  const exchanged = missingNames(sentence, about, known)
  if (exchanged.length === 0) return []
  const quoted = quotes.map(({ quote }) => quote).join('\n')
  const left = missingNames(
    namesIn(quoted, known).join(' of '),
    `${sentence}\n${located.map(identityOf).join('\n')}`,
    known,
  )
  return ITSELF.test(quoted) || left.length > 0 ? exchanged : []
}

/** "This version": what it is was said before. */
const REFERS_BACK =
  /^\W{0,9}(?:th(?:is|ese|at|ose)|such|dies\p{L}{0,2}|solche\p{L}?|cet(?:te)?|ces?|est[aeo]s?|es[ao]s?)(?!\p{L})/iu

/** A sentence that repeats its quote so far has changed only what it does not repeat. */
const ENOUGH_REPEATED = 2
const MOST_REPEATED = 0.7

/**
 * What a sentence that repeats its quote almost word for word has put before these words in place of what stands there:
 * "Volunteers" for "full-time staff". Only words of the document or the question count, others may be a paraphrase.
 */
export function exchangedSubject(
  sentence: string,
  quotes: readonly string[],
  document: HeldWords,
  identities: readonly string[],
): string | null {
  if (REFERS_BACK.test(sentence)) return null
  const said = contentWords(sentence)
  const identity = heldWords(identities)
  for (const quote of quotes) {
    const held = heldWords([quote])
    const first = said.findIndex((word) => held.has(word))
    const rest = said.slice(first)
    if (
      first < 1 ||
      /^\d/.test(rest[0] ?? '') ||
      rest.filter(held.has).length < Math.max(ENOUGH_REPEATED, MOST_REPEATED * rest.length)
    )
      continue
    const theirs = contentWords(quote)
    const anchor = heldWords([rest[0] ?? ''])
    const before = theirs.slice(0, Math.max(0, theirs.findIndex(anchor.has)))
    const repeated = heldWords([sentence])
    const changed = said.slice(0, first)
    const isOther = before.length > 0 && !before.some(repeated.has)
    if (isOther && changed.every((word) => document.has(word) && !identity.has(word))) return changed.join(' ')
  }
  return null
}

function contentWords(text: string): readonly string[] {
  const content = new Set(contentForms(text))
  return tokens(text)
    .map(({ word }) => word)
    .filter((word) => /^\d/.test(word) || (!isSmallWord(word) && contentForms(word).some((form) => content.has(form))))
}

/** Words that count anything, or anybody. */
const GENERAL = wordSet(
  `people person persons individuals items units things times cases menschen personen leute stuck personnes personas veces
   thousand million billion tausend millionen milliarden mille millions milliards mil millones`,
)

const YEAR = /^(?:19|20)\d\d$/

/** The noun that a sentence counts with a number, where its quote counts another with the same; null if there is none. */
export function exchangedNoun(sentence: string, quotes: readonly string[], mark: DecimalMark): string | null {
  const repeated = heldWords([sentence])
  const quoted = quotes.flatMap((quote) =>
    saidFigures(quote, mark).map(({ value, end }) => ({ value, nouns: nounsAt(quote, end), held: heldWords([quote]) })),
  )
  for (const { value, end, unit, written } of saidFigures(sentence, mark)) {
    const nouns = unit === null && !YEAR.test(written) ? nounsAt(sentence, end) : []
    const same = quoted.filter((each) => equal(each.value, value))
    const isOther = ({ nouns: theirs, held }: (typeof quoted)[number]) =>
      theirs.length > 0 && !theirs.some(repeated.has) && !nouns.some(held.has)
    const isCounted = nouns.length > 0 && !nouns.some((noun) => GENERAL.has(noun))
    if (isCounted && same.length > 0 && same.every(isOther)) return nouns.join(' ')
  }
  return null
}

/** The one or two words that carry meaning right behind a number. */
function nounsAt(text: string, end: number): readonly string[] {
  const run = /^(?: \p{L}[\p{L}\p{M}-]{2,30}){1,2}/u.exec(text.slice(end, end + 64))?.[0] ?? ''
  const words = tokens(run).map(({ word }) => word)
  const last = words.findIndex((word) => isStopWord(word) || isSmallWord(word))
  return last < 0 ? words : words.slice(0, last)
}
