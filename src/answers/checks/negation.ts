import { beginsUpper, beginsWithDigit, wordSet, wordsIn } from '../../library/language/characters.ts'
import { synonymsOf } from '../../library/language/synonyms.ts'
import { tokens } from '../../library/language/terms.ts'
import { baseForm, baseForms } from './word-forms.ts'

/**
 * What makes a sentence contradict its quotes, in words for its author; null if nothing does: a "not" that only one side
 * has at the same word.
 */
export function contradiction(sentence: string, quotes: readonly string[], passages: readonly string[]): string | null {
  return negationAdded(sentence, quotes, passages) ?? negationLost(sentence, quotes)
}

/** The quote begins right behind a "not" of its sentence, and the claim has no negative word. */
export function isCutDenial(sentence: string, quote: string, before: string): boolean {
  if (isNegated(sentence) || hasCue(sentence, quote)) return false
  // Read on into the quote, "no more than" is seen to deny nothing.
  const beginning = tokens(quote.slice(0, 80)).slice(0, 2)
  // A heading, or another paragraph, is over where a line begins with a capital.
  const isNewLine = /\n[ \t]{0,9}$/.test(before) && beginsUpper(quote)
  const upToQuote = isNewLine ? '' : wordsIn(before.replace(/\n\s*\n/g, ' | ')).join(' ')
  const clause = clausesOf(`${upToQuote} ${beginning.map(({ word }) => word).join(' ')}`).at(-1) ?? ''
  return tokens(clause)
    .slice(0, -beginning.length)
    .slice(-NEAR_WORDS)
    .some(({ word }) => NEGATORS.has(word))
}

/** Words before a quote among which a "not" denies it. */
const NEAR_WORDS = 3

export const NEGATORS = wordSet(
  `not no never none neither nor nothing nobody cannot without nowhere hardly barely scarcely
   nicht nichts nie niemals weder ohne kein keine keinen keinem keiner keines
   pas jamais aucun aucune rien sans ni nunca jamas ningun ninguna ninguno nada sin tampoco`,
)
const FAR_NEGATORS = wordSet(
  `no none neither nothing nobody without nor weder ohne kein keine keinen keinem keiner keines aucun aucune sans ni
   ningun ninguna sin`,
)
const OBJECTS = wordSet('nothing nobody none nowhere')
/** Words that may mean "not", or replace one: where they occur, nothing is concluded. */
const CUES: ReadonlySet<string> =
  wordSet(`only once except few fewer little less least zero instead rather unlike unless until deny denied denies lost lose loses
   loss losing alone same still stay stays stayed constant unchanged flat free too impossible different beyond against
   minus nil empty outside forbidden worse nur lediglich ausser statt seul seule seulement uniquement sauf plutot solo
   solamente excepto salvo`)
/** The same by their beginnings, with the least number of letters that follow. */
const CUE_BEGINNINGS: readonly (readonly [beginnings: string, more: number])[] = [
  [
    'lack fail rare avoid prevent reject stop drop skip omit remain equal independent differ wrong false forbid weak',
    0,
  ],
  ['invalid incomplete incorrect inability insufficient inadequate inconsistent infrequent invisible ineffective', 0],
  ['imperfect improper', 0],
  ['exclud absen miss refus remov ignor wors neg declin disabl', 1],
  ['fehl mangel verlier verlor wenig gering untersag verweiger manqu perdi refus interdi prohib rechaz falt', 0],
  ['dis un', 4],
]
const BEGINNINGS = CUE_BEGINNINGS.flatMap(([list, more]) => list.split(' ').map((beginning) => ({ beginning, more })))
const CUE_PHRASES: ReadonlySet<string> = new Set(
  'short of|far from|no longer|left out|leave out|leaves out|leaving out|out of|away from'.split('|'),
)

/** The cues of a text, those of two words as two. */
function cuesIn(text: string): readonly (readonly string[])[] {
  const words = tokens(text)
  return words.flatMap(({ word, end }, i) => {
    const next = words[i + 1]
    const isPair = next && (CUE_PHRASES.has(`${word} ${next.word}`) || (word === 'non' && text[end] === '-'))
    if (isPair) return [[word, next.word]]
    return isCue(word) ? [[word]] : []
  })
}

function isCue(word: string): boolean {
  if (CUES.has(word)) return true
  return BEGINNINGS.some(({ beginning, more }) => word.length >= beginning.length + more && word.startsWith(beginning))
}

/** Words in the middle of a sentence that may introduce a denial. */
const TURNS = /\b(?:but|however|although|though|whereas|while)\b/i

/** Whether a text denies something. */
export function isNegated(text: string): boolean {
  return denialsIn(text).length > 0
}

/** "No more than" and "not only" deny nothing. */
const COMPARATIVES = 'more|less|fewer|later|earlier|longer|larger|greater|higher|lower|smaller|bigger'
const NO_DENIAL = new RegExp(
  String.raw`\b(?:no|not|never)\s+(?:(?:any\s+)?(?:${COMPARATIVES})\s+than|only|just|merely|even)\b`,
  'gi',
)

interface Denial {
  /** Base forms of the words that the negator stands at. */
  readonly focus: readonly string[]
  /** Base forms of all that carries meaning behind the negator, figures among it. */
  readonly scope: readonly string[]
}

const CLAUSE_END = /(?<!\d)[,.]|[,.](?!\d)|[;:!?()|\n]|\b(?:but|and|or|while|whereas|because|since|if|when)\b/i

function clausesOf(text: string): readonly string[] {
  return text
    .replace(NO_DENIAL, ' ')
    .replace(/(?<=\p{L})n['’]t\b/giu, ' not')
    .split(CLAUSE_END)
}

function denialsIn(text: string): readonly Denial[] {
  return clausesOf(text).flatMap((clause) => {
    const words = tokens(clause).map(({ word }) => word)
    const at = words.findIndex((word) => NEGATORS.has(word))
    if (at < 0) return []
    const negator = words[at] ?? ''
    const behind = words.slice(at + 1).filter((word) => !SMALL.has(word))
    const named = behind.filter(isMeaningful)
    // "Not" stands at the word that it denies; between "no" and its verb stands what the verb is said of; and "lost
    // nothing" denies what stands before it.
    const reach = FAR_NEGATORS.has(negator) ? 3 : 1
    const isObject = named.length === 0 && (OBJECTS.has(negator) || negator === 'nicht')
    const focus = isObject ? words.slice(0, at).filter(isMeaningful).slice(-1) : named.slice(0, reach)
    return [{ focus: focus.map(baseForm), scope: behind.map(baseForm) }]
  })
}

/** One word of a short denial, two of a longer one; or synonyms of them. */
function isSaidIn(focus: readonly string[], forms: ReadonlySet<string>): boolean {
  return focus.length > 0 && focus.filter((form) => isHeld(form, forms)).length >= Math.min(2, focus.length)
}

function isHeld(form: string, forms: ReadonlySet<string>): boolean {
  return forms.has(form) || synonymsOf(form).some((synonym) => forms.has(synonym))
}

const SMALL: ReadonlySet<string> = new Set(
  'a an the be been being is are was were have has had do does did of to in on by at for with it its their any anything anybody anyone more than yet also ever been so very just almost nearly can could will would may might must shall should ist sind war waren wird werden wurde wurden hat haben hatte der die das den dem des ein eine einer zu est sont etait ont ete la le les du un une de se es son fue fueron ha han el los las lo una en'.split(
    ' ',
  ),
)

function isMeaningful(word: string): boolean {
  return !SMALL.has(word) && !beginsWithDigit(word)
}

/** The sentence denies what its quotes state, and nothing in or around the quotes is of a negative kind. */
function negationAdded(sentence: string, quotes: readonly string[], passages: readonly string[]): string | null {
  const denials = denialsIn(sentence)
  // "No, they are far from identical": the "no" answers the question, for which the quote's own words may be the reason.
  const besides = denials.every(({ scope }) => scope.length === 0) ? '' : sentence
  const isTurned =
    denials.some(
      ({ scope }) =>
        quotes.some((quote) => isAffirmed(scope, quote, sentence)) && !isDenied(scope, [...quotes, ...passages]),
    ) ||
    (denials.length > 0 &&
      !quotes.some((quote) => mayDeny(quote, besides)) &&
      (denials.some(({ focus }) => isSaidIn(focus, new Set(quotes.flatMap(baseForms)))) ||
        !passages.some((passage) => mayDeny(passage, sentence))))
  return isTurned ? 'it says "not" where its quotes do not' : null
}

/** One clause of the quote, which denies nothing, holds all that the sentence denies. */
function isAffirmed(scope: readonly string[], quote: string, sentence: string): boolean {
  if (scope.length < ENOUGH_DENIED) return false
  return clausesOf(quote).some((clause) => {
    const said = new Set(baseForms(clause))
    return scope.every((form) => said.has(form)) && !mayDeny(clause, sentence)
  })
}

/** A quote may begin behind the "not" of its passage. */
function isDenied(scope: readonly string[], texts: readonly string[]): boolean {
  return texts.flatMap(denialsIn).some((denial) => scope.every((form) => denial.scope.includes(form)))
}

/** This many words behind a "not" show what is denied, even if the quote denies something else too. */
const ENOUGH_DENIED = 3

/** Cells of a table deny nothing in words; a 0 may stand for "none". */
function mayDeny(text: string, other: string): boolean {
  return isNegated(text) || TURNS.test(text) || hasCue(text, other) || /\||(?<![\d.,])0(?![.,]?[1-9])/.test(text)
}

/** A word that may deny, and that the other text has not as well. */
function hasCue(text: string, other: string): boolean {
  const shared = new Set(baseForms(other))
  return cuesIn(text).some((cue) => !cue.every((word) => shared.has(baseForm(word))))
}

/** The quotes deny at a word that the sentence states without any negative word. */
function negationLost(sentence: string, quotes: readonly string[]): string | null {
  if (isNegated(sentence) || hasCue(sentence, quotes.join('\n'))) return null
  const stated = new Set(baseForms(sentence))
  const affirmed = new Set(quotes.filter((quote) => !isNegated(quote)).flatMap(baseForms))
  const forms = quotes.flatMap(baseForms)
  // "From 48 % without shade to 20 % under shade": a word that stands twice is not only denied.
  const isOnce = (form: string) => forms.indexOf(form) === forms.lastIndexOf(form)
  const denied = quotes
    .flatMap(denialsIn)
    .map(({ focus }) => focus.filter((form) => !affirmed.has(form) && (quotes.length > 1 || isOnce(form))))
  // "Do not sum to 100 %" denies no total: a synonym of a single word may be said of anything.
  const isStated = (focus: readonly string[]) =>
    focus.length === 1 ? focus.every((form) => stated.has(form)) : isSaidIn(focus, stated)
  return denied.some(isStated) ? 'its quotes say "not" where it does not' : null
}

/** All that the sentence shares with a single quote stands behind its "not". */
export function isOnlyDenied(sentence: string, quotes: readonly string[]): boolean {
  if (isNegated(sentence) || hasCue(sentence, quotes.join('\n'))) return false
  const [quote = ''] = quotes
  if (quotes.length !== 1 || !/\b(?:not|cannot|nicht|pas)\b/i.test(quote)) return false
  const held = new Set(baseForms(quote))
  const shared = baseForms(sentence).filter((form) => held.has(form) && isMeaningful(form))
  return shared.length >= 2 && denialsIn(quote).some(({ scope }) => shared.every((form) => scope.includes(form)))
}
