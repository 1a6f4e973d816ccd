import { type Unit, unitAt, unitNamed } from '../language/units.ts'
import { type Fraction, fromDigits } from './fraction.ts'
import { type DecimalMark, type Numeral, nextDigit, readNumeral } from './numeral.ts'

/** A figure as it stands in a text. */
export interface Figure {
  readonly start: number
  readonly end: number
  /** As written, with its sign of currency, its scale and its unit. */
  readonly written: string
  /** Of its digits alone, never negative: 412 of "$412 million". */
  readonly value: Fraction
  readonly decimals: number
  /** The power of ten of the word behind it: 6 of "$412 million"; null without one. */
  readonly scale: number | null
  /** What its unit says of it, `point` for a percentage point; null if none is known. */
  readonly unit: Unit | null
  /** A minus before it, or parentheses around it, as in accounts. */
  readonly isNegative: boolean
}

/**
 * The figures of a text. Runs of digits that are no number in this notation, such as "1.2.3", are left out. `hasSpaces`:
 * "406 271" is one figure.
 */
export function figuresIn(text: string, mark: DecimalMark, hasSpaces = false): readonly Figure[] {
  const found: Figure[] = []
  for (let at = nextDigit(text, 0); at >= 0; at = nextDigit(text, at)) {
    const numeral = readNumeral(text, at, { mark, hasSpaces, hasRaisedPoint: true })
    if (numeral.digits !== null && !/\p{L}/u.test(text.charAt(at - 1))) found.push(figureOf(text, at, numeral))
    at = numeral.end
  }
  return found
}

/** The figure of a formula whose first digit stands here, with thousands grouped by spaces too; null if there is none. */
export function figureAt(text: string, at: number, mark: DecimalMark): Figure | null {
  const numeral = readNumeral(text, at, { mark, hasSpaces: true, hasRaisedPoint: false })
  if (numeral.digits === null) return null
  const figure = figureOf(text, at, numeral)
  // In a formula, "×" and "x" multiply.
  if (figure.unit !== 'times') return figure
  return { ...figure, unit: null, end: numeral.end, written: text.slice(figure.start, numeral.end) }
}

/** The figures of a text in both readings: "406 271" is two figures, and one. */
export function readingsOf(text: string, mark: DecimalMark): readonly Figure[] {
  const apart = figuresIn(text, mark)
  const together = / \d{3}/.test(text) ? figuresIn(text, mark, true) : []
  return [
    ...apart,
    ...together.filter(({ start, end }) => !apart.some((each) => each.start === start && each.end === end)),
  ]
}

function figureOf(text: string, at: number, { end: last, digits }: Numeral): Figure {
  const currency = unitBefore(text, at)
  const scale = scaleAt(text, last, currency !== null)
  const end = scale?.end ?? last
  const unit = unitAt(text, end)
  const start = currency === null ? at : startOfCurrency(text, at)
  return {
    start,
    end: unit?.end ?? end,
    written: text.slice(start, unit?.end ?? end),
    value: fromDigits(digits ?? ''),
    decimals: digits?.split('.')[1]?.length ?? 0,
    scale: scale?.power ?? null,
    unit: currency ?? unit?.name ?? null,
    isNegative: isNegative(text, start, unit?.end ?? end),
  }
}

const SCALES: Readonly<Record<string, number>> = {
  ...{ k: 3, thousand: 3, thousands: 3, tsd: 3, tausend: 3, millier: 3, milliers: 3, mil: 3, miles: 3, mille: 3 },
  ...{ mn: 6, million: 6, millions: 6, mio: 6, millionen: 6, millón: 6, millones: 6 },
  ...{ bn: 9, billion: 9, billions: 9, mrd: 9, milliarde: 9, milliarden: 9, milliard: 9, milliards: 9, md: 9, mds: 9 },
  ...{ trillion: 12, trillions: 12, billionen: 12, billones: 12 },
}
interface Scale {
  readonly power: number
  readonly end: number
}

/** "× 10⁶" */
const POWER = /^\s?[×·]\s?10(⁻?[⁰¹²³⁴-⁹]{1,2})/u

function raised(digits: string): number {
  const read = Number([...digits.replace('⁻', '')].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit)).join(''))
  return digits.startsWith('⁻') ? -read : read
}

/** The word for a power of ten that stands here, behind a space or hyphen; null if there is none. */
function scaleAt(text: string, at: number, isMoney: boolean): Scale | null {
  const raisedPower = POWER.exec(text.slice(at, at + 12))
  if (raisedPower) return { power: raised(raisedPower[1] ?? ''), end: at + raisedPower[0].length }
  const from = at + gapAt(text, at, ' -\u00a0\u202f')
  const word = wordAt(text, from)
  const end = from + word.length
  const power = scaleOf(word)
  if (power === null) return letterScale(word, end, isMoney || gapAt(text, end, '€$£') > 0)
  // "mil millones" are a thousand millions.
  const second = power === 3 && text.charAt(end) === ' ' ? wordAt(text, end + 1) : ''
  if (scaleOf(second) === 6) return { power: 9, end: end + 1 + second.length }
  return { power, end: text.charAt(end) === '.' && abbreviated.has(word.toLowerCase()) ? end + 1 : end }
}

/** "m" and "b": metres and bits as often as millions and billions, but not of money. */
function letterScale(letter: string, end: number, isMoney: boolean): Scale | null {
  const power =
    letter === 'M' || (isMoney && letter === 'm') ? 6 : letter === 'B' || (isMoney && letter === 'b') ? 9 : null
  return power === null ? null : { power, end }
}

function gapAt(text: string, at: number, characters: string): number {
  return at < text.length && characters.includes(text.charAt(at)) ? 1 : 0
}

const abbreviated = new Set(['mio', 'mrd', 'tsd'])

/** The power of ten that a word names; null if it names none. */
export function scaleOf(word: string): number | null {
  const lower = word.toLowerCase()
  return Object.hasOwn(SCALES, lower) ? (SCALES[lower] ?? null) : null
}

/** The sign of a currency, or a code such as "CHF", before a figure. */
function unitBefore(text: string, at: number): Unit | null {
  const before = text.slice(Math.max(0, at - 6), at)
  if (/[$€£¥]\s?$/u.test(before)) return 'money'
  const code = /(?<!\p{L})(\p{Lu}{3})\s?$/u.exec(before)?.[1]
  return code === undefined ? null : unitNamed(code)
}

function startOfCurrency(text: string, at: number): number {
  const sign = /(?:US|C|A|R)?[$€£¥]\s?$|\p{Lu}{3}\s?$/u.exec(text.slice(Math.max(0, at - 6), at))
  return at - (sign?.[0].length ?? 0)
}

function isNegative(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 3), start)
  if (before.endsWith('(') && text.charAt(end) === ')') return true
  return /(?:^|[\s(|])[-−–]$/u.test(before)
}

function wordAt(text: string, at: number): string {
  let end = at
  while (end < text.length && /\p{L}/u.test(text.charAt(end))) end += 1
  return text.slice(at, end)
}
