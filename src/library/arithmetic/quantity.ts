import { endWithout } from '../language/characters.ts'
import { equal, type Fraction, isWhole, negated, tenTo, times, toDecimals, toNumber } from './fraction.ts'

/** What a figure or a formula stands for. */
export interface Quantity {
  /** All of it: 412,000,000 of "$412 million", 0.51 of "51 %". */
  readonly value: Fraction
  /** The power of ten in which it is written: 6 for millions, -2 for percent. */
  readonly scale: number
  /** That power is written at each figure, and not only above a table. */
  readonly isSpelled: boolean
  /** `share`: a ratio of two amounts, or what is made of such; `constant`: of the formula alone. */
  readonly kind: 'amount' | 'share' | 'constant'
}

/** Why there is no result, in words for the author of the formula. */
export interface Problem {
  readonly problem: string
}

export type Computed = Quantity | Problem

export function isProblem(computed: Computed): computed is Problem {
  return 'problem' in computed
}

export function constant(value: Fraction): Quantity {
  return { value, scale: 0, isSpelled: true, kind: 'constant' }
}

export function negative(quantity: Quantity): Quantity {
  return { ...quantity, value: negated(quantity.value) }
}

/** The number as its figures are written: 412 for 412 million. */
export function writtenValue({ value, scale }: Quantity): Fraction {
  return times(value, tenTo(-scale))
}

/** That number for a reader: exact if that takes four decimals at most, else with three digits that count. */
export function shownValue(quantity: Quantity): string {
  const value = writtenValue(quantity)
  const size = Math.abs(toNumber(value))
  const isShort = isWhole(times(value, tenTo(4)))
  const decimals = isShort ? 4 : size >= 1000 ? 1 : Math.max(1, 2 - Math.floor(Math.log10(size || 1)))
  const [whole = '', rest = ''] = toDecimals(value, decimals).split('.')
  const kept = isShort ? withoutZeros(rest) : rest
  return kept === '' ? groupedByThousands(whole) : `${groupedByThousands(whole)}.${kept}`
}

function withoutZeros(decimals: string): string {
  return decimals.slice(
    0,
    endWithout(decimals, (digit) => digit === '0'),
  )
}

function groupedByThousands(digits: string): string {
  const sign = digits.startsWith('-') ? '-' : ''
  const plain = digits.slice(sign.length)
  const first = plain.length % 3 || 3
  const groups = [plain.slice(0, first)]
  for (let at = first; at < plain.length; at += 3) groups.push(plain.slice(at, at + 3))
  return sign + groups.join(',')
}

/** 2, 3, 6, 9 or 12 of a number that only converts; null for any other. */
export function powerOfTen(value: Fraction): number | null {
  return [2, 3, 6, 9, 12].find((each) => equal(value, tenTo(each))) ?? null
}
