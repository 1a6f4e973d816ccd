import { hasDigit } from './characters.ts'

/** Ranking asks for the same few ten thousand words again and again. */
const mostKnown = 50_000

function remembering(find: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>()
  return (word) => {
    const before = known.get(word)
    if (before !== undefined) return before
    const found = find(word)
    if (known.size >= mostKnown) known.clear()
    known.set(word, found)
    return found
  }
}

/**
 * The stem of a word: Porter's, where comparatives are read as their base ("faster" as "fast"). Words with other
 * characters than a to z are returned as they are.
 */
export const stem = remembering((word) => (/^[a-z]+$/.test(word) ? porter(comparatives.get(word) ?? word) : word))

/** The stem as SQLite's `porter` tokenizer makes it: of words with digits, too ("1990s"), and none of comparatives. */
export const porterStem = remembering((word) => (/^[a-z0-9]{1,64}$/.test(word) ? porter(word) : word))

/** Porter's stemmer for English (M. F. Porter, "An algorithm for suffix stripping", Program 14, 1980). */
function porter(word: string): string {
  if (word.length < 3) return word
  const steps = [plurals, pastAndProgressive, finalY, doubleSuffixes, simpleSuffixes, residualSuffixes, finalE]
  return steps.reduce((rest, step) => step(rest), word)
}

/** "How much faster" is answered by "19.6 times as fast", which suffix stripping does not see. */
const comparatives: ReadonlyMap<string, string> = new Map(
  `fast slow large small high low long short big strong weak cheap old new early late light heavy deep wide narrow`
    .split(' ')
    .flatMap((base) => {
      const root = base.endsWith('e') ? base.slice(0, -1) : base.replace(/^(big)$/, '$1g').replace(/y$/, 'i')
      return [
        [`${root}er`, base],
        [`${root}est`, base],
      ]
    }),
)

/** A longer word, in characters, is no word of a language: it is neither stemmed nor searched for. */
export const LONGEST_WORD = 200

const V = '[aeiouy]'
const C = '[^aeiou]'
const consonants = `${C}[^aeiouy]*`
const vowels = `${V}[aeiou]*`
const oneOrMore = new RegExp(`^(${consonants})?${vowels}${consonants}`)
const exactlyOne = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`)
const moreThanOne = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`)
const hasVowel = new RegExp(`^(${consonants})?${V}`)
const endsDouble = /([^aeiouylsz])\1$/
const endsShort = new RegExp(`^${consonants}${V}[^aeiouwxy]$`)

function plurals(word: string): string {
  if (/(ss|i)es$/.test(word)) return word.slice(0, -2)
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

function pastAndProgressive(word: string): string {
  if (word.endsWith('eed')) return oneOrMore.test(word.slice(0, -3)) ? word.slice(0, -1) : word
  const suffix = /(ed|ing)$/.exec(word)
  const rest = suffix ? word.slice(0, suffix.index) : word
  if (!suffix || !hasVowel.test(rest)) return word
  if (/(at|bl|iz)$/.test(rest)) return `${rest}e`
  if (endsDouble.test(rest)) return rest.slice(0, -1)
  return endsShort.test(rest) ? `${rest}e` : rest
}

function finalY(word: string): string {
  return word.endsWith('y') && hasVowel.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word
}

const DOUBLE = replacements(
  `ational ate, tional tion, enci ence, anci ance, izer ize, bli ble, alli al, entli ent, eli e, ousli ous, ization ize,
   ation ate, ator ate, alism al, iveness ive, fulness ful, ousness ous, aliti al, iviti ive, biliti ble, logi log`,
)
const doubleSuffix = suffixes(DOUBLE)

function doubleSuffixes(word: string): string {
  return replaceSuffix(word, doubleSuffix, DOUBLE, oneOrMore)
}

const SIMPLE = replacements('icate ic, ative, alize al, iciti ic, ical ic, ful, ness')
const simpleSuffix = suffixes(SIMPLE)

function simpleSuffixes(word: string): string {
  return replaceSuffix(word, simpleSuffix, SIMPLE, oneOrMore)
}

const residualSuffix = /(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize|(?<=[st])ion)$/

function residualSuffixes(word: string): string {
  const suffix = residualSuffix.exec(word)
  const rest = suffix ? word.slice(0, suffix.index) : word
  return suffix && moreThanOne.test(rest) ? rest : word
}

function finalE(word: string): string {
  const rest = word.replace(/e$/, '')
  const dropped =
    word.endsWith('e') && (moreThanOne.test(rest) || (exactlyOne.test(rest) && !endsShort.test(rest))) ? rest : word
  return dropped.endsWith('ll') && moreThanOne.test(dropped) ? dropped.slice(0, -1) : dropped
}

/** By suffix, what replaces it. */
function replacements(list: string): ReadonlyMap<string, string> {
  const pairs = list.split(',').map((pair) => pair.trim().split(' '))
  return new Map(pairs.map(([suffix = '', by = '']) => [suffix, by]))
}

function suffixes(by: ReadonlyMap<string, string>): RegExp {
  return new RegExp(`(${[...by.keys()].sort((a, b) => b.length - a.length).join('|')})$`)
}

function replaceSuffix(word: string, ending: RegExp, by: ReadonlyMap<string, string>, needs: RegExp): string {
  const suffix = ending.exec(word)
  if (!suffix) return word
  const rest = word.slice(0, suffix.index)
  return needs.test(rest) ? rest + (by.get(suffix[0]) ?? '') : word
}

/** Stems of the vocabulary that are related to each word: what stemming leaves apart of one family. */
export type Relatives = ReadonlyMap<string, readonly string[]>

/** How much a related word counts where the word itself is missing. */
export const RELATED = 0.6

/** Finds, for each stem, those of a vocabulary that share its root: "natur" and "naturalis", "conclud" and "conclus". */
export function relativesOf(stems: Iterable<string>, vocabulary: Iterable<string>): Relatives {
  const relatives = new Map<string, string[]>()
  const wanted = new Map<string, string[]>()
  for (const word of new Set(stems)) {
    relatives.set(word, [])
    if (!isLong(word)) continue
    const root = word.slice(0, LEAST_ROOT)
    wanted.set(root, [...(wanted.get(root) ?? []), word])
  }
  for (const other of new Set(vocabulary)) {
    for (const word of wanted.get(other.slice(0, LEAST_ROOT)) ?? []) {
      if (areRelated(word, other)) relatives.get(word)?.push(other)
    }
  }
  return relatives
}

/** Whether a compound begins or ends with the other word: "betriebsausflug" and "ausflug". */
export function isCompound(one: string, other: string): boolean {
  const [part, whole] = one.length < other.length ? [one, other] : [other, one]
  if (!isLong(part) || part === whole) return false
  return whole.endsWith(part) || (whole.startsWith(part) && whole.length - part.length > LONGER_ENDING)
}

// Five letters in common, and one of the two is almost nothing but the root. Less strictly, "Austria" would be
// related to "Australia" and "protein" to "protease".
const LEAST_ROOT = 5
const SHORTER_ENDING = 1
const LONGER_ENDING = 4

function areRelated(a: string, b: string): boolean {
  if (a === b || !isLong(b)) return false
  const shorter = Math.min(a.length, b.length)
  let root = LEAST_ROOT
  while (root < shorter && a[root] === b[root]) root += 1
  return shorter - root <= SHORTER_ENDING && Math.max(a.length, b.length) - root <= LONGER_ENDING
}

/** A number is never nearly another. */
function isLong(word: string): boolean {
  return word.length >= LEAST_ROOT && !hasDigit(word)
}
