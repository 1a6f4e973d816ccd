import { numbersIn, type WrittenNumber } from '../library/language/numbers.ts'

/**
 * The number that a sentence bounds from the other side than its quotes, as written: "over 26 h" for "less than 26
 * hours". Null if there is none. English only; a bound within a condition ("what takes longer than 30 minutes is …") or a
 * denial says nothing about its opposite.
 */
export function turnedBound(sentence: string, quotes: readonly string[]): string | null {
  const quoted = quotes.flatMap(boundsIn)
  const turned = boundsIn(sentence).find((bound) => {
    const sides = quoted.filter((each) => isSameNumber(each.number, bound.number)).map(({ side }) => side)
    return sides.length > 0 && !sides.includes(bound.side)
  })
  return turned?.number.written ?? null
}

interface Bound {
  readonly number: WrittenNumber
  readonly side: 'upper' | 'lower'
}

const BEFORE = {
  upper: /\b(?:at most|no more than|not more than|up to|under|below|less than|fewer than|shorter than)\s[$€£]?$/i,
  lower: /\b(?:at least|no less than|no fewer than|over|above|more than|longer than|exceed(?:s|ed|ing)?)\s[$€£]?$/i,
}
const AFTER = {
  upper: /^[^.,;:]{0,30}?\b(?:at (?:the )?most|or (?:less|fewer|shorter))\b/i,
  lower: /^[^.,;:]{0,30}?\b(?:at (?:the )?least|or (?:more|longer))\b/i,
}
const OPEN =
  /\b(?:not|never|nothing|none|nobody|cannot|without|that|which|who|if|when|whenever|unless|until|once|any)\b/i
const BOUNDED = /\b(?:no|not) (?:more|less|fewer) than\s[$€£]?$/i

function boundsIn(text: string): readonly Bound[] {
  return numbersIn(text).flatMap((number): readonly Bound[] => {
    const before = text.slice(0, number.start)
    const after = text.slice(number.end)
    if (OPEN.test(before.replace(BOUNDED, ''))) return []
    const isSide = (side: Bound['side']) => BEFORE[side].test(before) || AFTER[side].test(after)
    if (isSide('upper')) return [{ number, side: 'upper' }]
    return isSide('lower') ? [{ number, side: 'lower' }] : []
  })
}

function isSameNumber(one: WrittenNumber, other: WrittenNumber): boolean {
  return one.value === other.value && (one.unit === null || other.unit === null || one.unit === other.unit)
}
