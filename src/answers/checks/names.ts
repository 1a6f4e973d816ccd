import {
  beginsLower,
  beginsUpper,
  beginsWithDigit,
  endWithout,
  hasDigit,
  wordSet,
  wordsIn,
} from '../../library/language/characters.ts'
import { languageOf } from '../../library/language/language.ts'
import { stem } from '../../library/language/stem.ts'
import { fold, isStopWord, tokens } from '../../library/language/terms.ts'
import { unitNamed } from '../../library/language/units.ts'

/**
 * The proper names of a sentence that a context does not hold. "GPT-4", "S2ORC" and "FTS" are names by their
 * form, other capitalised words by their place. At the start of a sentence only words in `known` count. An abbreviation
 * and the words it is made of stand for each other. German writes each noun with a capital: there only forms count.
 */
export function missingNames(sentence: string, context: string, known: KnownNames): readonly string[] {
  const names = namesIn(sentence, known)
  if (names.length === 0) return []
  const held = heldBy(context)
  const missing = names.filter((name) => !isHeld(name, held))
  if (missing.length === 0) return []
  const spelled = spelledOut(sentence, held)
  return missing.filter((name) => !spelled.has(name))
}

/** Which capitalised words are names. */
export interface KnownNames {
  readonly isName: (word: string) => boolean
}

/** A word is a name where a text writes it with a capital within a sentence, and never without. */
export function knownNames(text: string): KnownNames {
  const capital = new Set<string>()
  const small = new Set<string>()
  for (const { 0: word, index } of text.matchAll(/\p{L}[\p{L}\p{M}]+/gu)) {
    if (beginsLower(word)) small.add(fold(word))
    else if (!beginsSentence(text, index)) capital.add(fold(word))
  }
  return { isName: (word) => capital.has(fold(word)) && !small.has(fold(word)) }
}

// Letters and digits, joined as in "GPT-4", "AT&T" and "R@10".
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:[-‐‑.@&/+][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu
/** Months and days, and words that stand before a number: these are checked with their numbers. */
const NO_NAMES: ReadonlySet<string> =
  wordSet(`table figure fig section chapter appendix equation page note step part eq row column january february march april may
   june july august september october november december monday tuesday wednesday thursday friday saturday sunday`)

/** The proper names of a sentence. */
export function namesIn(sentence: string, known: KnownNames): readonly string[] {
  const hasCapitalNouns = languageOf(sentence) === 'de'
  return Array.from(sentence.matchAll(WORD)).flatMap(({ 0: word, index }) => {
    if (isNoName(word)) return []
    if (isNameByForm(word)) return [word]
    if (!beginsUpper(word) || hasCapitalNouns) return []
    const isFirst = beginsSentence(sentence, index)
    const parts = word.split(/[-‐‑.@&/+]/).filter((part) => /^\p{Lu}\p{L}/u.test(part))
    return parts.filter((part) => !isStopWord(fold(part)) && (!isFirst || known.isName(part)))
  })
}

function isNoName(word: string): boolean {
  const whole = fold(word)
  const isCommon = isStopWord(whole) || NO_NAMES.has(whole.endsWith('s') ? whole.slice(0, -1) : whole)
  return isCommon || unitNamed(word) !== null
}

/** Capitals within the word, or letters with digits; not "15.2M", "50ms", "3rd" or "top-5". */
function isNameByForm(word: string): boolean {
  if (beginsWithDigit(word) || word.length < 2) return false
  const capital = word.search(/\p{Lu}/u)
  if (capital >= 0 && hasDigit(word.slice(capital))) return true
  if (/\p{L}\p{N}/u.test(word)) return true
  return /[\p{L}@&]\p{Lu}/u.test(word.replace(/[-‐‑./+]/g, ' '))
}

/** At the start of a text, of a sentence or clause, of a quotation, of a cell or of an item. */
function beginsSentence(text: string, at: number): boolean {
  const near = text.slice(Math.max(0, at - 6), at)
  const before = near.slice(
    0,
    endWithout(near, (character) => OPENING.includes(character)),
  )
  const isAtStart = before === '' && at <= 6
  return isAtStart || /[.!?:;|\n•–—]$|\s-$/u.test(before) || '"“«'.includes(near.at(-1) ?? '-')
}

/** What may stand between the end of a sentence and its first word. */
const OPENING = ' \t*_("“‘\'«['

interface Held {
  /** Stems of the words, and of neighbours written together. */
  readonly stems: ReadonlySet<string>
  readonly words: readonly string[]
  /** First letters of all words, and of those that carry meaning. */
  readonly initials: readonly string[]
}

function heldBy(context: string): Held {
  const words = tokens(context).map(({ word }) => word)
  const pairs = words.slice(1).map((word, i) => words[i] + word)
  const initialsOf = (list: readonly string[]) => list.map((word) => word.charAt(0)).join('')
  return {
    stems: new Set([...words, ...pairs].map(stem)),
    words: [...new Set(words)],
    initials: [initialsOf(words), initialsOf(words.filter((word) => !isStopWord(word)))],
  }
}

function isHeld(name: string, { stems, words, initials }: Held): boolean {
  const parts = tokens(name).map(({ word }) => word)
  const whole = parts.join('')
  if (stems.has(stem(whole)) || parts.every((part) => stems.has(stem(part)))) return true
  if (/^\p{Lu}{2,6}s?$/u.test(name))
    return initials.some((letters) => letters.includes(fold(name.endsWith('s') ? name.slice(0, -1) : name)))
  return words.some((word) => isDerived(word, whole))
}

/** "German" and "Germany", "Marble" and "Marbles": a long common beginning. */
function isDerived(one: string, other: string): boolean {
  const longest = Math.max(one.length, other.length)
  let common = 0
  while (common < longest && one[common] === other[common]) common += 1
  return common >= 4 && common >= 0.6 * longest && longest - common <= 4
}

/** The words of "World Health Organization" where the context has "WHO". */
function spelledOut(sentence: string, held: Held): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [run] of sentence.matchAll(
    /(?<!\p{L})\p{Lu}\p{L}+(?:[\s-](?:(?:of|for|the|and|in|on)\s){0,2}\p{Lu}\p{L}+){1,7}/gu,
  )) {
    const words = wordsIn(run.replaceAll('-', ' ')).filter(beginsUpper)
    for (let from = 0; from < words.length - 1; from += 1) {
      const tail = words.slice(from)
      if (held.stems.has(stem(tail.map((word) => fold(word.charAt(0))).join(''))))
        for (const word of tail) found.add(word)
    }
  }
  return found
}
