import { numbersIn, type WrittenNumber } from './numbers.ts'
import { plainDigits } from './units.ts'

/**
 * The numbers of a sentence, as written, that none of the quotes states. A number is stated if a quote has the same
 * value, in any written form ("1950" for "1,950", "six" for "6", "3,500,000" for "3.5 million"; not "0.872" for
 * "87.2 %"), and no other unit. A sentence may leave out a sign ("fell by 3.5" for "-3.5") or a unit, but not add a sign.
 * A rounded number must be called one, and be true in that sense at the precision shown: "about 460" and "nearly 470"
 * for 461, "more than 15 million" for 15.2M.
 */
export function unsupportedNumbers(claim: string, written: readonly string[]): readonly string[] {
  const quotes = written.map(withPlainNumbers)
  const sentence = withPlainNumbers(claim).replace(SPACED, (digits) => digits.replaceAll(' ', ''))
  const stated = quotes.flatMap(statedIn)
  // "Both forms" and "twice" state "two", but not "2", which may count anything.
  const hasPair = quotes.some((quote) => /\b(?:both|twice|double)\b/i.test(quote))
  const exempt = hasPair ? /^(?:one|first|second|third|two)$/i : EXEMPT
  return numbersIn(sentence)
    .filter(
      (number) => !exempt.test(number.written) && !isStated(number, stated) && !isRounded(number, sentence, stated),
    )
    .map((number) => number.written)
}

/** "One" is a pronoun as often as a number; "first" to "third" count points as often as things. */
const EXEMPT = /^(?:one|first|second|third)$/i

interface Stated {
  readonly values: readonly number[]
  readonly unit: string | null
}

function statedIn(quote: string): readonly Stated[] {
  const written = numbersIn(quote).map(({ value, also, unit }) => ({
    values: [value, ...also].flatMap(unsigned),
    unit,
  }))
  return [...written, ...otherReadings(quote)]
}

/** A sentence may leave out a sign that the quote has, but not add one. */
function unsigned(value: number): readonly number[] {
  return value < 0 ? [value, -value] : [value]
}

/** "1 950" is a number in many languages, and two in a table; "3,4" two numbers of a list, where it is no fraction. */
function otherReadings(quote: string): readonly Stated[] {
  const text = plainDigits(quote)
  const spaced = Array.from(text.matchAll(SPACED), ([written]) => Number(written.replaceAll(' ', '')))
  const listed = Array.from(text.matchAll(LISTED), ([written]) => written.split(',').map(Number))
  return [...spaced, ...listed.flat()].map((value) => ({ values: [value], unit: null }))
}

const SPACED = /(?<![\p{L}\p{N}.,])[1-9]\d{0,2}(?: \d{3}){1,4}(?![\p{L}\p{N}]|[.,]\d)/gu
const LISTED = /(?<![\p{L}\p{N}.,])\d+,\d{1,2}(?![\p{L}\p{N}%]|[.,]\d|\s?%)/gu

function isStated({ value, also, unit }: WrittenNumber, stated: readonly Stated[]): boolean {
  return stated.some((each) => [value, ...also].some((one) => each.values.includes(one)) && agree(unit, each.unit))
}

/** A number without a unit, as in the cells of a table, may have any. */
function agree(own: string | null, other: string | null): boolean {
  return own === null || other === null || own === other
}

/** A rounded number is at most so far off, as a share of itself. */
const MOST_ROUNDED = 0.1

const ROUNDED: readonly (readonly [RegExp, (shown: number, real: number, step: number) => boolean])[] = [
  [
    /(?:\b(?:about|around|roughly|approximately|some|circa|close to)|\b(?:approx|ca)\.?|[~≈∼])$/i,
    (shown, real, step) => Math.abs(real - shown) <= (step / 2) * SLACK,
  ],
  [
    /\b(?:nearly|almost|under|below|less than|fewer than)$/i,
    (shown, real, step) => real < shown && shown - real <= step * SLACK,
  ],
  [/\b(?:over|above|more than)$/i, (shown, real, step) => real > shown && real - shown < step * SLACK],
]
// 0.3 - 0.25 is a little more than 0.05 in binary.
const SLACK = 1 + 1e-9

function isRounded(number: WrittenNumber, sentence: string, stated: readonly Stated[]): boolean {
  const before = sentence
    .slice(Math.max(0, number.start - 20), number.start)
    .replace(/[$€£¥]$/, '')
    .trimEnd()
  const isTrue = roundingBefore(before)
  if (!isTrue) return false
  const { value: shown, unit } = number
  const step = precisionOf(number)
  return stated.some(
    (each) =>
      agree(unit, each.unit) &&
      each.values.some((real) => Math.abs(real - shown) <= MOST_ROUNDED * shown && isTrue(shown, real, step)),
  )
}

/** What the words before a number say of it as a rounded one ("about", "nearly"); null if they say nothing. */
export function roundingBefore(before: string): ((shown: number, real: number, step: number) => boolean) | null {
  return ROUNDED.find(([word]) => word.test(before))?.[1] ?? null
}

/** The place of the last digit that counts: 0.1 of "4.7", 10 of "460", a million of "15 million". */
function precisionOf({ written, value }: WrittenNumber): number {
  const decimals = /[.,](\d{1,2}|\d{4,})(?!\d)/.exec(written)?.[1]?.length
  const digits = Number(
    /[\d.,]+/
      .exec(written)?.[0]
      .replace(/[.,]$/, '')
      .replaceAll(',', decimals === undefined ? '' : '.'),
  )
  const scale = Number.isFinite(digits) && digits !== 0 ? Math.abs(value / digits) : 1
  if (decimals !== undefined) return scale / 10 ** decimals
  let step = 1
  while (step < value && value % (step * 10) === 0) step *= 10
  return step
}

const OTHER_DIGITS = /[^\P{N}\d⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞]+/gu
/** Raised or lowered digits that belong to no power, unit, formula or footnote: a word of their own, or too many. */
const RAISED = /(?<!\S)[⁰¹²³⁴-⁹₀-₉]+|(?<!\d)[⁰¹²³⁴-⁹₀-₉]{3,}/gu
const POWER_OF_TEN = /(?<![\p{L}\p{N}.,])\d+(?:\.\d+)?e[+-]?\d{1,2}(?![\p{L}\p{N}])/giu
const ROMAN = /[\u2160-\u216b]/gu

/** The text with its numbers in plain digits, however they were typed: "𝟗𝟗", "²⁴⁰⁰", "⑨", "Ⅻ" and "240e3"; "10⁶" stays. */
function withPlainNumbers(text: string): string {
  return text
    .replace(ROMAN, (numeral) => String(numeral.charCodeAt(0) - 0x215f))
    .replace(OTHER_DIGITS, (digits) => digits.normalize('NFKC'))
    .replace(RAISED, (digits) => digits.normalize('NFKC'))
    .replace(POWER_OF_TEN, (written) => String(Number(written)))
}
