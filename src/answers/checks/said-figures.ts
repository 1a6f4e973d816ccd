import { type Figure, figuresIn } from '../../library/arithmetic/figure.ts'
import { type Fraction, fraction, fromDigits } from '../../library/arithmetic/fraction.ts'
import type { DecimalMark } from '../../library/arithmetic/numeral.ts'
import { numberWords, withoutLabels } from '../../library/language/numbers.ts'
import { isStopWord } from '../../library/language/terms.ts'
import { plainDigits, unitAt } from '../../library/language/units.ts'
import { numericDates } from './dates.ts'

/** A figure of a running text, in digits or words. */
export interface SaidFigure extends Figure {
  /** Another value that it may have: "four fifths" are 80 percent. */
  readonly also: readonly Fraction[]
}

/** The figures of a text, with what numbers in digits, words and dates say; those of names and references are left out. */
export function saidFigures(text: string, mark: DecimalMark): readonly SaidFigure[] {
  const plain = grouped(withPlainNumbers(text))
  const dates = numericDates(plain)
  const body = withoutLabels(dates.reduce((rest, { start, end }) => blanked(rest, start, end), plain))
  const digits = figuresIn(body, mark).map((figure): SaidFigure => ({ ...figure, also: [] }))
  const words = numberWords(body).map(
    ({ written, value, also, unit, start, end }): SaidFigure => ({
      ...{ start, end, written, unit, decimals: 0, scale: null, isNegative: false },
      value: fractionOf(value),
      also: also.map(fractionOf),
    }),
  )
  const parts = dates.flatMap((date) =>
    date.parts.map(
      ([value = 0, ...also]): SaidFigure => ({
        ...{ start: date.start, end: date.end, unit: null, decimals: 0, scale: null, isNegative: false },
        written: plain.slice(date.start, date.end),
        value: fraction(BigInt(value)),
        also: also.map((each) => fraction(BigInt(each))),
      }),
    ),
  )
  const found = [...digits, ...words, ...parts].sort((a, b) => a.start - b.start)
  return found.map((figure, i) =>
    ofRange({ ...figure, unit: figure.unit ?? farUnit(body, figure.end) }, found[i + 1], body),
  )
}

function blanked(text: string, start: number, end: number): string {
  return text.slice(0, start) + ' '.repeat(end - start) + text.slice(end)
}

function fractionOf(value: number): Fraction {
  return fromDigits(String(Number(value.toPrecision(12))))
}

/** "20,000 operating hours": a word may stand before the unit. */
function farUnit(text: string, end: number): string | null {
  const [gap, word = ''] = /^[ \u00a0](\p{L}{3,20})(?=[ \u00a0]\p{L})/u.exec(text.slice(end, end + 40)) ?? []
  return gap === undefined || isStopWord(word.toLowerCase()) || CONNECTING.test(word)
    ? null
    : (unitAt(text, end + gap.length)?.name ?? null)
}

const CONNECTING = /^(?:to|and|or|bis|und|oder|et|ou|y|o|a|per|pro|par|por|over|within|after|in|dans|nach|en)$/i

/** In "15 to 20 million hours", the first number is meant in million hours too. */
function ofRange(figure: SaidFigure, next: SaidFigure | undefined, text: string): SaidFigure {
  if (!next || !JOINT.test(text.slice(figure.end, next.start))) return figure
  return { ...figure, scale: figure.scale ?? next.scale, unit: figure.unit ?? next.unit }
}

const JOINT = /^\s?(?:[–—-]|to|and|or|bis|und|oder|à|et|ou|a|y|±|,)\s?$/

/** Thousands grouped by plain spaces, with spaces that group. */
export function grouped(text: string): string {
  return text.replace(SPACED, (digits) => digits.replaceAll(' ', '\u202f'))
}

const SPACED = /(?<![\p{L}\p{N}.,])[1-9]\d{0,2}(?: \d{3}){1,4}(?![\p{L}\p{N}]|[.,]\d)/gu
const OTHER_DIGITS = /[^\P{N}\d⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞]+/gu
/** Raised or lowered digits that belong to no power, unit, formula or footnote: a word of their own, or too many. */
const RAISED = /(?<!\S)[⁰¹²³⁴-⁹₀-₉]+|(?<!\d)[⁰¹²³⁴-⁹₀-₉]{3,}/gu
const POWER_OF_TEN = /(?<![\p{L}\p{N}.,])\d+(?:\.\d+)?e[+-]?\d{1,2}(?![\p{L}\p{N}])/giu
const ROMAN = /[\u2160-\u216b]/gu

/** The text with its numbers in plain digits, however they were typed: "𝟗𝟗", "²⁴⁰⁰", "⑨", "Ⅻ" and "240e3"; "10⁶" stays. */
export function withPlainNumbers(text: string): string {
  if (/^[ -~\s]*$/.test(text) && !/\d[e^]/i.test(text)) return text
  return plainDigits(text)
    .replace(ROMAN, (numeral) => String(numeral.charCodeAt(0) - 0x215f))
    .replace(OTHER_DIGITS, (digits) => digits.normalize('NFKC'))
    .replace(RAISED, (digits) => digits.normalize('NFKC'))
    .replace(/(?<=\b10)\^\d{1,2}/g, (power) => [...power.slice(1)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join(''))
    .replace(POWER_OF_TEN, (written) => String(Number(written)))
}
