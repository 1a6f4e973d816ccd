/** An exact number: `top / bottom` in lowest terms, `bottom` above zero. */
export interface Fraction {
  readonly top: bigint
  readonly bottom: bigint
}

export const zero: Fraction = { top: 0n, bottom: 1n }
export const one: Fraction = { top: 1n, bottom: 1n }

/** Throws `RangeError` for a bottom of zero. */
export function fraction(top: bigint, bottom = 1n): Fraction {
  if (bottom === 0n) throw new RangeError('division by zero')
  const divisor = commonDivisor(absolute(top), absolute(bottom)) * (bottom < 0n ? -1n : 1n)
  return { top: top / divisor, bottom: bottom / divisor }
}

/** "1875", "0.69": plain digits with a decimal point. */
export function fromDigits(digits: string): Fraction {
  const [whole = '', decimals = ''] = digits.split('.')
  return fraction(BigInt(`${whole}${decimals}` || '0'), 10n ** BigInt(decimals.length))
}

export function tenTo(power: number): Fraction {
  return power < 0 ? fraction(1n, 10n ** BigInt(-power)) : fraction(10n ** BigInt(power))
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
}

export function minus(a: Fraction, b: Fraction): Fraction {
  return plus(a, negated(b))
}

export function times(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.top, a.bottom * b.bottom)
}

/** Throws `RangeError` for a divisor of zero. */
export function over(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.bottom, a.bottom * b.top)
}

export function negated({ top, bottom }: Fraction): Fraction {
  return { top: -top, bottom }
}

export function magnitude({ top, bottom }: Fraction): Fraction {
  return { top: absolute(top), bottom }
}

/** Negative, zero or positive, as a difference is. */
export function compare(a: Fraction, b: Fraction): number {
  const difference = a.top * b.bottom - b.top * a.bottom
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function equal(a: Fraction, b: Fraction): boolean {
  return compare(a, b) === 0
}

export function isWhole({ bottom }: Fraction): boolean {
  return bottom === 1n
}

/** In decimal digits, rounded half away from zero: "-0.67". */
export function toDecimals({ top, bottom }: Fraction, decimals: number): string {
  const shifted = (2n * absolute(top) * 10n ** BigInt(decimals) + bottom) / (2n * bottom)
  const digits = shifted.toString().padStart(decimals + 1, '0')
  const sign = top < 0n && shifted !== 0n ? '-' : ''
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** The nearest binary number. */
export function toNumber(value: Fraction): number {
  return isWhole(value) ? Number(value.top) : Number(toDecimals(value, 20))
}

/** Of a number that no fraction is, such as a root: its first fifteen digits. */
export function fromNumber(value: number): Fraction {
  const sign = value < 0 ? -1n : 1n
  const digits = fromDigits(Math.abs(value).toFixed(15))
  return { top: sign * digits.top, bottom: digits.bottom }
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x === 0n ? 1n : x
}
