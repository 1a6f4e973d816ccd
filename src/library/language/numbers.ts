import { wordSet, wordsIn } from './characters.ts'
import { fold, tokens } from './terms.ts'
import { plainDigits, unitAt, unitBefore } from './units.ts'

/** A number as it stands in a text. */
export interface WrittenNumber {
  /** As written, for a person to read. */
  readonly written: string
  readonly value: number
  /** Other readings of the same figure: "15" in "15 to 20 million" is 15 and 15,000,000. */
  readonly also: readonly number[]
  /** What it counts ("percent", "millisecond", "dollar"), where a known unit stands at it. */
  readonly unit: string | null
  /** Where it begins in the text. */
  readonly start: number
  readonly end: number
}

/**
 * The numbers that a text states: figures ("1,950", "81.1M", "87.2 %", "87,2 %", "109.036.858", "-3.5", "4th", full-width ones too),
 * number words ("six", "three billion", "fourth") and the days, months and years of dates. Digits that only name
 * something are left out: "GPT-4", "S2ORC", "Table 2", footnote markers, the numbers of a list; so are Roman numerals.
 */
export function numbersIn(text: string): readonly WrittenNumber[] {
  const body = withoutLabels(plainDigits(text))
  const found = [...figures(body), ...raisedDigits(body), ...monthsIn(body), ...numberWords(body)]
  return found.map((number, i) => withScaleOfRange(number, found[i + 1], body))
}

/** The text with spaces for digits that only name something. */
export function withoutLabels(text: string): string {
  const blank = (name: string) => ' '.repeat(name.length)
  const blankName = (name: string, letters: string) => (/\p{Lu}/u.test(letters) ? blank(name) : name)
  return text.replace(REFERENCE, blank).replace(LETTERS_AND_DIGITS, blank).replace(NAME, blankName)
}

// Digits that are part of a reference, a marker or a name: read as words, checked as words.
const REFERENCE = new RegExp(
  [
    String.raw`\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]`,
    String.raw`\b(?:tables?|tab\.|figures?|figs?\.|sections?|secs?\.|chapters?|appendix|equations?|eqs?\.|pages?|pp?\.|footnotes?|steps?|parts?|rows?|columns?|§)\s?\(?\d[\d.]{0,9}(?:\s?[–-]\s?\d[\d.]{0,9})?[a-z]?\b`,
    String.raw`\bet al\.?,?\s\(?\d{4}[a-z]?`,
    String.raw`^\s{0,9}\(?\d{1,2}[.)]\s`,
  ].join('|'),
  'giu',
)
const LETTERS_AND_DIGITS = /(?<![\p{L}\p{N}])\p{L}{1,40}\d[\p{L}\p{N}]*(?:[-‐‑.]\d+)*/gu
/** A name if there is a capital in its letters. */
const NAME = /(?<![\p{L}\p{N}@])([\p{L}@]{1,40})[-‐‑]?\d[\p{L}\p{N}]*(?:\.\d+)?/gu

// Groups of three digits, or a plain number with a decimal point or comma, and a word that multiplies it.
const GROUP = "[,'’\\u00a0\\u2009\\u202f]"
const FIGURE = new RegExp(
  String.raw`(?<![\p{L}\p{N}]|\p{N}[.,])([-−–](?=[\d.]))?(\d{1,3}(?:${GROUP}\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+){2,9}|\d+,(?:\d{1,2}|\d{4,})(?![\d,]|\.\d)|\d+(?:\.\d+)?|\.\d+)(?:\s?(k|m|b|bn|mn|hundred|thousand|million|billion|trillion)(?![\p{L}\p{N}]))?`,
  'giu',
)

const LARGE = { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 }
const SCALES: Readonly<Record<string, number>> = { ...LARGE, k: 1e3, M: 1e6, mn: 1e6, B: 1e9, b: 1e9, bn: 1e9 }

function figures(text: string): readonly WrittenNumber[] {
  return Array.from(text.matchAll(FIGURE)).flatMap((match) => {
    const [whole, sign = '', digits = '', scale = ''] = match
    const factor = factorOf(scale)
    const end = match.index + whole.length
    const place = {
      written: whole.trim(),
      unit: unitBefore(text, match.index) ?? unitAt(text, factor === null ? end - scale.length : end)?.name ?? null,
      start: match.index,
      end,
    }
    const sense = sign !== '' && isSign(text.slice(Math.max(0, match.index - 3), match.index)) ? -1 : 1
    return valuesOf(digits, sense * (factor ?? 1)).map((value) => ({ ...place, value, also: [] }))
  })
}

/** What a word behind a number multiplies it by; null if it is none of those: "m" is more often metres. */
function factorOf(scale: string): number | null {
  return SCALES[scale] ?? SCALES[scale === 'm' ? scale : scale.toLowerCase()] ?? null
}

function valuesOf(digits: string, factor: number): readonly number[] {
  if (/^\d{1,3}(?:\.\d{3}){2,}$/.test(digits)) return [exactly(Number(digits.replaceAll('.', '')) * factor)]
  // A version or a date: each part of "1.2.3" counts.
  if (/\..*\./.test(digits)) return digits.split('.').map(Number)
  const hasDecimalComma = /^\d+,(?:\d{1,2}|\d{4,})$/.test(digits)
  const plain = hasDecimalComma ? digits.replace(',', '.') : digits.replace(/[,'’\u00a0\u2009\u202f]/g, '')
  return [exactly(Number(plain) * factor)]
}

/** The 6 of "10⁶" counts, and is no 6 of anything. */
function raisedDigits(text: string): readonly WrittenNumber[] {
  const read = (written: string) => Number([...written].map((digit) => RAISED.indexOf(digit)).join(''))
  return allOf(text, /(?<=\d)[⁰¹²³⁴-⁹]+/gu, 'exponent', read)
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'

function allOf(text: string, pattern: RegExp, unit: string | null, read: (written: string) => number) {
  return Array.from(text.matchAll(pattern), ({ 0: written, index }): WrittenNumber => {
    return { written, value: read(written), also: [], unit, start: index, end: index + written.length }
  })
}

/** A minus joins a range or a word unless it stands apart, and no number before it. */
function isSign(before: string): boolean {
  return /(?:^|[\s([|=:,~±])$/.test(before) && !/[\p{N}%]\s*$/u.test(before)
}

/** 81.1 × 1,000,000 is 81,099,999.99999999 in binary: rounded to what was written. */
function exactly(value: number): number {
  return Number(value.toPrecision(12))
}

/** In "15 to 20 million", the first number is meant in millions too. */
function withScaleOfRange(number: WrittenNumber, next: WrittenNumber | undefined, text: string): WrittenNumber {
  if (!next || !/^\s?(?:[–—-]|to|and|or)\s?$/.test(text.slice(number.end, next.start))) return number
  const scale = /(?:\d\s?)([a-z]+)$/i.exec(next.written)?.[1] ?? ''
  const factor = factorOf(scale)
  const hasOwn = /[a-z]$/i.test(number.written)
  return factor === null || hasOwn ? number : { ...number, also: [...number.also, exactly(number.value * factor)] }
}

const MONTHS = 'january|february|march|april|may|june|july|august|september|october|november|december'.split('|')
const MONTH = new RegExp(
  `\\b(${MONTHS.join('|')})\\b(?=\\s\\d|,\\s\\d)|(?<=\\d(?:st|nd|rd|th)?\\s)(${MONTHS.join('|')})\\b`,
  'gi',
)

/** Months of written dates count as their number, so that "19 March" agrees with "03-19". */
function monthsIn(text: string): readonly WrittenNumber[] {
  return allOf(text, MONTH, null, (written) => MONTHS.indexOf(written.toLowerCase()) + 1)
}

const UNITS =
  wordsIn(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`)
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ORDINALS =
  wordsIn(`zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
  fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth`)
/** From two on, in German, French and Spanish, without words that are others in another language. */
const OTHER_WORDS = `zwei/deux/dos drei/trois/tres vier/quatre/cuatro funf/cinq/cinco sechs/seis sieben/siete acht/huit/ocho
  neun/nueve zehn/dix/diez elf/onze zwolf/douze/doce`
const OTHER_TENS = `zwanzig/vingt/veinte dreißig/trente/treinta vierzig/quarante/cuarenta fünfzig/cinquante/cincuenta
  sechzig/soixante/sesenta`
const WORD_VALUES: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, i): [string, number] => [word, i]),
  ...ORDINALS.map((word, i): [string, number] => [word, i]),
  ...TENS.map((word, i): [string, number] => [word, (i + 2) * 10]),
  ...TENS.map((word, i): [string, number] => [`${word.slice(0, -1)}ieth`, (i + 2) * 10]),
  ['dozen', 12],
  ...inOtherLanguages(OTHER_WORDS, (i) => i + 2),
  ...inOtherLanguages(OTHER_TENS, (i) => (i + 2) * 10),
])
function inOtherLanguages(list: string, value: (index: number) => number): readonly [string, number][] {
  return wordsIn(list).flatMap((words, i) => words.split('/').map((word): [string, number] => [fold(word), value(i)]))
}

const WORD_SCALES: ReadonlyMap<string, number> = new Map(Object.entries(LARGE))

/** Numbers that are written as words. */
export function numberWords(text: string): readonly WrittenNumber[] {
  const found: WrittenNumber[] = []
  const words = tokens(text)
  for (let i = 0; i < words.length; i += 1) {
    const first = words[i]
    if (
      !first ||
      !WORD_VALUES.has(first.word) ||
      isCapitals(text, first) ||
      isSecondOfTime(first.word, words[i - 1]?.word)
    )
      continue
    let last = i
    while (continuesNumber(words[last + 1]?.word, text.slice(words[last]?.end, words[last + 1]?.start))) last += 1
    const run = words.slice(i, last + 1)
    const parts = PARTS.get(words[last + 1]?.word ?? '') ?? null
    const end = words[parts === null ? last : last + 1]?.end ?? first.end
    found.push({
      written: text.slice(first.start, end),
      ...shareOf(readWords(run.map((token) => token.word)), parts),
      unit: unitAt(text, end)?.name ?? null,
      start: first.start,
      end,
    })
    i = last
  }
  return found
}

/** "DOS" is no two. */
function isCapitals(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  return /^\p{Lu}+$/u.test(text.slice(start, end))
}

/** "Nine tenths" are 0.9, and 90 percent too. */
function shareOf(value: number, parts: number | null): Pick<WrittenNumber, 'value' | 'also'> {
  return parts === null ? { value, also: [] } : { value: value / parts, also: [exactly((100 * value) / parts)] }
}

/** The 10 of "nine tenths". */
const PARTS: ReadonlyMap<string, number> = new Map([
  ['halves', 2],
  ['thirds', 3],
  ['quarters', 4],
  ...ORDINALS.slice(4, 11).map((word, i): [string, number] => [`${word}s`, i + 4]),
])

const BEFORE_ORDINAL = wordSet('the a every its their our')

/** "Per second" is a time, "the second run" a place in an order. */
function isSecondOfTime(word: string, before: string | undefined): boolean {
  return word === 'second' && !BEFORE_ORDINAL.has(before ?? '')
}

function continuesNumber(word: string | undefined, between: string): boolean {
  return word !== undefined && /^[\s-]$/.test(between) && (WORD_VALUES.has(word) || WORD_SCALES.has(word))
}

function readWords(words: readonly string[]): number {
  let total = 0
  let group = 0
  for (const word of words) {
    const scale = WORD_SCALES.get(word)
    if (scale === undefined) group += WORD_VALUES.get(word) ?? 0
    else if (scale === 100) group = (group || 1) * scale
    else {
      total += (group || 1) * scale
      group = 0
    }
  }
  return total + group
}

/** Which of `count` things a word picks, from 0: "second", "2nd", "2", "last", "former"; -1 if none. */
export function ordinalIndex(word: string, count: number): number {
  const plain = word.toLowerCase()
  if (plain === 'last' || plain === 'final') return count - 1
  if (plain === 'former') return 0
  if (plain === 'latter') return count === 2 ? 1 : count - 1
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(plain)?.[1]
  const index = (digits === undefined ? ORDINALS.indexOf(plain) : Number(digits)) - 1
  return index >= 0 && index < count ? index : -1
}
