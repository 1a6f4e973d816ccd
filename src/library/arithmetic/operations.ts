import {
  compare,
  equal,
  type Fraction,
  fraction,
  fromNumber,
  minus,
  one,
  over,
  plus,
  times,
  toNumber,
  zero,
} from './fraction.ts'
import {
  type Computed,
  constant,
  isConstant,
  isCurrency,
  isProblem,
  isShare,
  type Problem,
  powerOfTen,
  type Quantity,
} from './quantity.ts'

export function sum(a: Quantity, b: Quantity): Computed {
  return combined(a, b, plus(a.value, b.value), 'adds')
}

export function difference(a: Quantity, b: Quantity): Computed {
  const result = combined(a, b, minus(a.value, b.value), 'subtracts')
  const isOfShares = isShare(a) && isShare(b)
  return isProblem(result) || !isOfShares ? result : { ...result, unit: 'point' }
}

function combined(a: Quantity, b: Quantity, value: Fraction, does: string): Computed {
  if (isConstant(a) && isConstant(b)) return constant(value)
  if (isConstant(a)) return withConstant(b, value)
  if (isConstant(b)) return withConstant(a, value)
  const isSpelled = a.isSpelled && b.isSpelled
  if (isShare(a) !== isShare(b)) return { problem: 'it mixes percentages and amounts' }
  if (isShare(a)) return { value, scale: a.scale === b.scale ? a.scale : -2, isSpelled, unit: unitOfShares(a, b) }
  const mixed = mixedUnits(a, b, does) ?? mixedScales(a, b)
  return mixed ?? { value, scale: a.scale, isSpelled, unit: a.unit ?? b.unit }
}

/** "a / b - 1" is a share as "a / b" is. */
function withConstant(share: Quantity, value: Fraction): Computed {
  return isShare(share) ? { ...share, value } : { problem: 'it adds a number of its own' }
}

function unitOfShares(a: Quantity, b: Quantity): string | null {
  if (a.unit === b.unit) return a.unit
  return a.unit === 'point' || b.unit === 'point' ? 'percent' : 'ratio'
}

export function product(a: Quantity, b: Quantity): Computed {
  if (isConstant(a) && isConstant(b)) return constant(times(a.value, b.value))
  if (isConstant(a)) return scaled(b, a.value)
  if (isConstant(b)) return scaled(a, b.value)
  const value = times(a.value, b.value)
  const isSpelled = a.isSpelled && b.isSpelled
  if (isShare(a) && isShare(b)) return ratio(value, isSpelled)
  if (isShare(a)) return { ...b, value, isSpelled }
  if (isShare(b)) return { ...a, value, isSpelled }
  const money = [a.unit, b.unit].filter(isCurrency)
  if (money.length === 2) return { problem: 'it multiplies two amounts of money' }
  return { value, scale: a.scale + b.scale, isSpelled, unit: money[0] ?? null }
}

/** Times 100 or 1,000, it is the same in another power of ten. */
function scaled(quantity: Quantity, factor: Fraction): Quantity {
  const power = powerOfTen(factor)
  return power === null
    ? { ...quantity, value: times(quantity.value, factor) }
    : { ...quantity, scale: quantity.scale - power }
}

export function quotient(a: Quantity, b: Quantity): Computed {
  if (equal(b.value, zero)) return { problem: 'it divides by zero' }
  const value = over(a.value, b.value)
  const isSpelled = a.isSpelled && b.isSpelled
  if (isConstant(b)) {
    const power = powerOfTen(b.value)
    return power === null ? { ...a, value } : { ...a, scale: a.scale + power }
  }
  if (isConstant(a)) return { value, scale: -b.scale, isSpelled, unit: isShare(b) ? 'ratio' : null }
  if (isShare(b)) return isShare(a) ? ratio(value, isSpelled) : { ...a, value, isSpelled }
  return amountOverAmount(a, b, value)
}

function amountOverAmount(a: Quantity, b: Quantity, value: Fraction): Computed {
  const isSpelled = a.isSpelled && b.isSpelled
  const scale = a.scale - b.scale
  if (isCurrency(a.unit) && isCurrency(b.unit)) {
    return mixedUnits(a, b, 'divides') ?? mixedScales(a, b) ?? ratio(value, isSpelled)
  }
  if (a.unit === b.unit && (scale === 0 || isSpelled)) return ratio(value, isSpelled)
  // An amount of money for each of something; or both are money, and only one says so.
  const isForEach = isCurrency(a.unit) && (b.unit !== null || scale !== 0)
  return { value, scale, isSpelled, unit: isForEach ? a.unit : null }
}

function ratio(value: Fraction, isSpelled: boolean): Quantity {
  return { value, scale: 0, isSpelled, unit: 'ratio' }
}

const highestPower = 50n
const largestBase = 10n ** 40n

export function power(a: Quantity, b: Quantity): Computed {
  const { top, bottom } = b.value
  const isSmall = top <= highestPower && top >= -highestPower && bottom <= highestPower
  if (!isConstant(b) || !isSmall) return { problem: 'its exponent is no small number' }
  if (a.value.top > largestBase || a.value.bottom > largestBase) return { problem: 'its base is too large' }
  const hasRoot = bottom === 1n || compare(a.value, zero) >= 0
  if (!hasRoot || (top < 0n && equal(a.value, zero))) return { problem: 'its power has no value' }
  const value = bottom === 1n ? wholePower(a.value, top) : fromNumber(toNumber(a.value) ** toNumber(b.value))
  if (isConstant(a)) return constant(value)
  return { value, scale: 0, isSpelled: a.isSpelled, unit: isShare(a) ? 'ratio' : null }
}

function wholePower(value: Fraction, exponent: bigint): Fraction {
  const positive = exponent < 0n ? -exponent : exponent
  const raised = fraction(value.top ** positive, value.bottom ** positive)
  return exponent < 0n ? over(one, raised) : raised
}

function mixedUnits(a: Quantity, b: Quantity, does: string): Problem | null {
  if (a.unit === null || b.unit === null || a.unit === b.unit) return null
  const what = isCurrency(a.unit) && isCurrency(b.unit) ? 'currencies' : 'units'
  return { problem: `it ${does} different ${what} (${a.unit}, ${b.unit})` }
}

function mixedScales(a: Quantity, b: Quantity): Problem | null {
  if (a.scale === b.scale || (a.isSpelled && b.isSpelled)) return null
  return { problem: `it mixes figures in ${scaleName(a.scale)} with figures in ${scaleName(b.scale)}` }
}

const SCALE_NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'units'],
  [3, 'thousands'],
  [6, 'millions'],
  [9, 'billions'],
])

function scaleName(scale: number): string {
  return SCALE_NAMES.get(scale) ?? `powers of ten (${scale})`
}
