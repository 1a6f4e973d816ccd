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
import { type Computed, constant, type Problem, powerOfTen, type Quantity } from './quantity.ts'

export function sum(a: Quantity, b: Quantity): Computed {
  return combined(a, b, plus(a.value, b.value))
}

export function difference(a: Quantity, b: Quantity): Computed {
  return combined(a, b, minus(a.value, b.value))
}

function combined(a: Quantity, b: Quantity, value: Fraction): Computed {
  if (isConstant(a) && isConstant(b)) return constant(value)
  if (isConstant(a)) return withConstant(b, value)
  if (isConstant(b)) return withConstant(a, value)
  if (a.kind !== b.kind) return { problem: 'it mixes percentages and amounts' }
  const isSpelled = a.isSpelled && b.isSpelled
  if (isShare(a)) return { ...share(value, isSpelled), scale: a.scale === b.scale ? a.scale : -2 }
  return mixedScales(a, b) ?? { ...a, value, isSpelled }
}

/** "a / b - 1" is a share as "a / b" is. */
function withConstant(share: Quantity, value: Fraction): Computed {
  return isShare(share) ? { ...share, value } : { problem: 'it adds a number of its own' }
}

export function product(a: Quantity, b: Quantity): Computed {
  if (isConstant(a) && isConstant(b)) return constant(times(a.value, b.value))
  if (isConstant(a)) return scaled(b, a.value)
  if (isConstant(b)) return scaled(a, b.value)
  const value = times(a.value, b.value)
  const isSpelled = a.isSpelled && b.isSpelled
  if (isShare(a) && isShare(b)) return share(value, isSpelled)
  if (isShare(a)) return { ...b, value, isSpelled }
  if (isShare(b)) return { ...a, value, isSpelled }
  return { value, scale: a.scale + b.scale, isSpelled, kind: 'amount' }
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
  if (isConstant(a)) return { value, scale: -b.scale, isSpelled, kind: b.kind }
  return isShare(b) && !isShare(a) ? { ...a, value, isSpelled } : overLike(a, b, value)
}

/** Two amounts, two shares, or a share and an amount. */
function overLike(a: Quantity, b: Quantity, value: Fraction): Quantity {
  const isSpelled = a.isSpelled && b.isSpelled
  const scale = a.scale - b.scale
  if (isShare(b) || (!isShare(a) && (scale === 0 || isSpelled))) return share(value, isSpelled)
  return { value, scale, isSpelled, kind: 'amount' }
}

function share(value: Fraction, isSpelled: boolean): Quantity {
  return { value, scale: 0, isSpelled, kind: 'share' }
}

function isShare({ kind }: Quantity): boolean {
  return kind === 'share'
}

function isConstant({ kind }: Quantity): boolean {
  return kind === 'constant'
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
  return { value, scale: 0, isSpelled: a.isSpelled, kind: isShare(a) ? 'share' : 'amount' }
}

function wholePower(value: Fraction, exponent: bigint): Fraction {
  const positive = exponent < 0n ? -exponent : exponent
  const raised = fraction(value.top ** positive, value.bottom ** positive)
  return exponent < 0n ? over(one, raised) : raised
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
