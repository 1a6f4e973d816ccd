import { unsupportedMultiples } from './multiples.ts'
import { numbersIn, type WrittenNumber } from './numbers.ts'
import { withPlainNumbers } from './plain-numbers.ts'
import { stem } from './stem.ts'
import { isStopWord, tokens } from './terms.ts'
import { plainDigits } from './units.ts'

/** True when every number of the sentence is stated by one of the quotes. */
export function numbersSupported(sentence: string, quotes: readonly string[]): boolean {
  return unsupportedNumbers(sentence, quotes).length === 0
}

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
  const figures = numbersIn(sentence)
    .filter(
      (number) => !isExempt(number) && !isStated(number, sentence, stated) && !isRounded(number, sentence, stated),
    )
    .map((number) => number.written)
  return [...figures, ...unsupportedMultiples(sentence, quotes)]
}

/** "One" is a pronoun as often as a number; "first" to "third" count points as often as things. */
function isExempt({ written }: WrittenNumber): boolean {
  return /^(?:one|first|second|third)$/i.test(written)
}

interface Stated {
  readonly values: readonly number[]
  readonly unit: string | null
  /** What is counted without a figure, where it is: only the same things may be said to be so many. */
  readonly counts?: (sentence: string, number: WrittenNumber) => boolean
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
  const figures = [...spaced, ...listed.flat()].map((value) => ({ values: [value], unit: null }))
  return [...figures, ...pairsIn(text), ...doublesIn(text)]
}

/** "Both quoted forms" are two forms, and not two of anything else. */
function pairsIn(text: string): readonly Stated[] {
  return Array.from(text.matchAll(/\bboth\b/gi), ({ 0: both, index }) => {
    const pair = thingsAfter(text, index + both.length, 3)
    return {
      values: [2],
      unit: null,
      counts: (sentence, { end }) => thingsAfter(sentence, end, 2).some((thing) => pair.includes(thing)),
    }
  })
}

/** "Twice" and "double" are two times, and a factor of two. */
function doublesIn(text: string): readonly Stated[] {
  const counts = (sentence: string, { start, unit }: WrittenNumber) =>
    unit === 'times' || /\bfactor of $/.test(sentence.slice(0, start))
  return /\b(?:twice|double)\b/i.test(text) ? [{ values: [2], unit: null, counts }] : []
}

/** The stems of the next words that carry meaning, within the same clause. */
function thingsAfter(text: string, at: number, most: number): readonly string[] {
  const clause = /^[^.,;:!?()]{0,80}/.exec(text.slice(at))?.[0] ?? ''
  return tokens(clause)
    .filter(({ word }) => !isStopWord(word))
    .slice(0, most)
    .map(({ word }) => stem(word))
}

const SPACED = /(?<![\p{L}\p{N}.,])[1-9]\d{0,2}(?: \d{3}){1,4}(?![\p{L}\p{N}]|[.,]\d)/gu
const LISTED = /(?<![\p{L}\p{N}.,])\d+,\d{1,2}(?![\p{L}\p{N}%]|[.,]\d|\s?%)/gu

function isStated(number: WrittenNumber, sentence: string, stated: readonly Stated[]): boolean {
  const { value, also, unit } = number
  return stated.some(
    (each) =>
      [value, ...also].some((one) => each.values.includes(one)) &&
      agree(unit, each.unit) &&
      (each.counts?.(sentence, number) ?? true),
  )
}

/** What has no unit at it, as the cells of a table, may have any. */
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
  const isTrue = ROUNDED.find(([word]) => word.test(before))?.[1]
  if (!isTrue) return false
  const { value: shown, unit } = number
  const step = precisionOf(number)
  return stated.some(
    (each) =>
      each.counts === undefined &&
      agree(unit, each.unit) &&
      each.values.some((real) => Math.abs(real - shown) <= MOST_ROUNDED * shown && isTrue(shown, real, step)),
  )
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
