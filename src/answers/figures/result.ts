import type { Figure } from '../../library/arithmetic/figure.ts'
import { compare, type Fraction, fraction, magnitude, minus, tenTo, times } from '../../library/arithmetic/fraction.ts'
import { type Quantity, writtenValue } from '../../library/arithmetic/quantity.ts'

/**
 * Whether a figure is what a formula gives, rounded at most to the digits that it shows. It may be written in percent, and with
 * a word for its scale where the formula's figures have none, or another: 1,875 of a table in millions is "$1.9 billion".
 * \`isOfPercent\`: the formula's figures are percentages, or it multiplies by 100.
 */
export function isShownResult(figure: Figure, quantity: Quantity, isOfPercent: boolean): boolean {
  if (figure.unit === 'percent' && !isOfPercent) return isRounded(figure, -2, magnitude(quantity.value))
  const powers = figure.scale !== null ? [figure.scale, 0, 3, -3, 6, -6, 9] : [0]
  return [quantity.value, writtenValue(quantity)].some((value) =>
    powers.some((power) => isRounded(figure, power, magnitude(value))),
  )
}

/** A whole number may be off by so much of the value: 0.69 is no 1. */
const MOST_OFF = fraction(1n, 3n)

function isRounded(figure: Figure, power: number, real: Fraction): boolean {
  const shown = times(figure.value, tenTo(power))
  const off = magnitude(minus(real, shown))
  if (figure.decimals === 0 && compare(off, times(real, MOST_OFF)) > 0) return false
  return compare(times(off, fraction(2n)), times(tenTo(power), stepOf(figure))) <= 0
}

/** Of the last digit: 0.1 of "11.3", 10 of "460", since a whole number that ends in zeros may be rounded to them. */
function stepOf({ value, decimals }: Figure): Fraction {
  let zeros = 0
  while (decimals === 0 && value.top !== 0n && value.top % 10n ** BigInt(zeros + 1) === 0n) zeros += 1
  return tenTo(zeros - decimals)
}
