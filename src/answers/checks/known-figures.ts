import { headerOfTable, identityOf, type LocatedQuote, type Surroundings } from './located-quote.ts'
import type { SaidFigure } from './said-figures.ts'

/** A year of the document's name or section, or a label that the document or the question has with the same word. */
export function isKnown(
  { start, end, written, unit, scale, decimals }: SaidFigure,
  text: string,
  located: readonly LocatedQuote[],
  { question, textOf }: Surroundings,
): boolean {
  if (scale !== null && /^[\d.,\s]+\p{Ll}/u.test(written)) return false
  const names = located.flatMap((each) => [
    identityOf(each),
    each.observation.section ?? '',
    each.observation.table ?? '',
  ])
  const texts = located.map(({ observation }) => textOf(observation.documentId) || observation.text)
  const digits = text.slice(start, end)
  if (unit === null && decimals === 0 && /^(?:19|20)\d\d$/.test(digits) && isYear(text, start)) {
    const isAsked = question.includes(digits) && texts.some((each) => each.includes(digits))
    return isAsked || [...names, ...located.map(headerOfTable)].some((each) => each.includes(digits))
  }
  const label = /(?<![\p{L}\p{M}])\p{L}[\p{L}\p{M}]*[ -]$/u.exec(text.slice(Math.max(0, start - 30), start))?.[0] ?? ''
  const behind = /^(?:-?\p{Lu}{1,3}(?![\p{L}\p{N}]))/u.exec(text.slice(end))?.[0] ?? ''
  const whole = /^\p{Lu}/u.test(label) ? label + digits + behind : behind === '' ? '' : digits + behind
  return (
    whole !== '' &&
    unit === null &&
    /^\d{1,4}$/.test(digits) &&
    [...names, ...texts, question].some((each) => holdsWhole(each, whole))
  )
}

/** "Over 2026 turns" counts, and is no year. */
function isYear(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 16), start)
  return BEFORE_YEAR.test(before) || /\p{Lu}\p{L}{2,9}\s$/u.test(before)
}

const BEFORE_YEAR =
  /(?:^|[^\p{L}])(?:in|(?:as|end|beginning|year|quarter) of|since|from|to|until|through|by|year|fiscal|im|jahr|jahre|ende|anfang|seit|von|bis|en|de|del|depuis|desde|fin|année|año)\s$|\($|^$/iu

function holdsWhole(text: string, label: string): boolean {
  const at = text.indexOf(label)
  return (
    at >= 0 &&
    !/[\p{L}\p{N}.,]/u.test(text.charAt(at - 1)) &&
    !/^[.,]?[\p{L}\p{N}]/u.test(text.slice(at + label.length))
  )
}
