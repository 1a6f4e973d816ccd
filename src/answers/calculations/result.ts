import type { Figure } from '../../library/arithmetic/figure.ts'
import { compare, type Fraction, fraction, magnitude, minus, tenTo, times } from '../../library/arithmetic/fraction.ts'
import { isCurrency, isShare, type Quantity, shownValue, writtenValue } from '../../library/arithmetic/quantity.ts'
import { isShownAs, roundingBefore } from '../../library/arithmetic/rounding.ts'

/** Why a written figure is not what a formula gives, in words for its author; null if it is. */
export function whyNotResult(figure: Figure, before: string, quantity: Quantity): string | null {
  const kind = wrongKind(figure, quantity)
  if (kind) return kind
  const isResult = readings(figure, quantity).some(([value, factor]) => isRounded(figure, factor, before, value))
  return isResult ? null : `the formula gives ${shownResult(quantity)}, not ${figure.written.trim()}`
}

/** The value as the footnote shows it. */
export function shownResult(quantity: Quantity): string {
  return `${shownValue(quantity)}${quantity.unit === 'percent' ? ' %' : ''}`
}

function wrongKind({ unit }: Figure, quantity: Quantity): string | null {
  const isOfShares = quantity.unit === 'point'
  if (unit === 'percent' && isOfShares) return 'the difference of two percentages is given in percentage points'
  if (unit === 'percent' && isAmount(quantity)) return 'the formula gives an amount, not a percentage'
  if (unit === 'point' && !isOfShares) return 'only the difference of two percentages is given in percentage points'
  if (isCurrency(unit) && isShare(quantity)) return 'the formula gives a ratio, not an amount of money'
  const isOther = isCurrency(unit) && isCurrency(quantity.unit) && unit !== quantity.unit
  return isOther ? `its quotes are in ${quantity.unit}, not in ${unit}` : null
}

function isAmount(quantity: Quantity): boolean {
  return quantity.unit !== null && !isShare(quantity) && quantity.unit !== 'constant'
}

/** The values that the figure may mean, each with the power of ten of its last digit before the point. */
function readings({ unit, scale }: Figure, quantity: Quantity): readonly (readonly [Fraction, number])[] {
  if (unit === 'percent' || unit === 'point') return [[quantity.value, -2]]
  if (scale !== null) return [[quantity.value, scale]]
  if (isCurrency(unit)) return [[quantity.value, 0]]
  return [
    [writtenValue(quantity), 0],
    [quantity.value, 0],
  ]
}

/** A whole number may be off by so much of the value: 0.69 is no 1. */
const MOST_OFF = fraction(1n, 3n)

function isRounded(figure: Figure, factor: number, before: string, value: Fraction): boolean {
  const shown = times(figure.value, tenTo(factor))
  const real = magnitude(value)
  const step = tenTo(factor - figure.decimals)
  const off = magnitude(minus(real, shown))
  if (figure.decimals === 0 && compare(off, times(real, MOST_OFF)) > 0) return false
  if (isShownAs(real, shown, step, 'near')) return true
  const rounding = roundingBefore(before)
  return rounding !== null && isShownAs(real, shown, roundStep(figure, step), rounding)
}

/** Of a whole number, the place of its last digit that is no zero: 10 of "about 460". */
export function roundStep({ value, decimals }: Pick<Figure, 'value' | 'decimals'>, step: Fraction): Fraction {
  let zeros = 0
  while (decimals === 0 && value.top !== 0n && value.top % 10n ** BigInt(zeros + 1) === 0n) zeros += 1
  return times(step, tenTo(zeros))
}
