import { isDeepStrictEqual } from 'node:util'

/**
 * Whether two values of plain data are the same, but for credentials that only one of them holds masked: a log that was
 * written before a key was configured stays as it was, and the state that follows from it is written without the key.
 * By the asterisks alone, since the key may be another by now.
 */
export function isSameButMasked(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') return isSameText(one, other)
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSameButMasked(each, other[index]))
  }
  return isRecord(one) && isRecord(other) ? isSameRecord(one, other) : isDeepStrictEqual(one, other)
}

function isSameRecord(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameButMasked(one[name], other[name]))
  )
}

/** Masks keep lengths, and shorter words are not taken for credentials. */
const masks = /\*{6,}/g

function isSameText(one: string, other: string): boolean {
  if (one === other) return true
  if (one.length !== other.length) return false
  const [ofOne, ofOther] = [maskedAs(other, one), maskedAs(one, other)]
  return ofOne === ofOther
}

/** The text with the masks of another in it. */
function maskedAs(text: string, masked: string): string {
  return Array.from(masked.matchAll(masks)).reduce(
    (so, { 0: mask, index }) => so.slice(0, index) + mask + so.slice(index + mask.length),
    text,
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
