import { compare } from '../../library/arithmetic/fraction.ts'
import type { DecimalMark } from '../../library/arithmetic/numeral.ts'
import { type SaidFigure, saidFigures } from './said-figures.ts'

/**
 * The number that a sentence bounds from the other side than its quotes, as written: "over 26 h" for "less than 26
 * hours". Null if there is none. A bound within a condition ("what takes longer than 30 minutes is …") or a denial says
 * nothing about its opposite.
 */
export function turnedBound(sentence: string, quotes: readonly string[], mark: DecimalMark): string | null {
  const quoted = quotes.flatMap((quote) => boundsIn(quote, mark))
  const turned = boundsIn(sentence, mark).find((bound) => {
    const sides = quoted.filter((each) => compare(each.figure.value, bound.figure.value) === 0).map(({ side }) => side)
    return sides.length > 0 && !sides.includes(bound.side)
  })
  return turned?.figure.written.trim() ?? null
}

interface Bound {
  readonly figure: SaidFigure
  readonly side: 'upper' | 'lower'
}

const anyOf = (phrases: string): string => phrases.replaceAll(' | ', '|')
const NOT_MORE = anyOf(
  'at most | no more than | not more than | up to | not exceed | not to exceed | höchstens | maximal | bis zu | nicht mehr als | au plus | au maximum | jusqu.à | pas plus de | como máximo | a lo sumo | hasta | no más de | at or below',
)
const NOT_LESS = anyOf(
  'at least | no less than | no fewer than | mindestens | wenigstens | au moins | au minimum | al menos | como mínimo | por lo menos',
)
const LESS = anyOf(
  'under | below | less than | fewer than | shorter than | unter | weniger als | moins de | menos de | inférieure? à',
)
const MORE = anyOf(
  'over | above | more than | longer than | exceed | exceeds | exceeded | exceeding | über | mehr als | plus de | más de | supérieure? à',
)
const BEFORE = {
  upper: new RegExp(String.raw`(?<!\p{L})(?:${NOT_MORE}|${LESS})\s[$€£]?$`, 'iu'),
  lower: new RegExp(String.raw`(?<!\p{L})(?:${NOT_LESS}|${MORE})\s[$€£]?$`, 'iu'),
}
const AFTER = {
  upper:
    /^[^.,;:]{0,30}?(?<!\p{L})(?:at (?:the )?most|or (?:less|fewer|shorter)|oder weniger|au plus|au maximum|ou moins|como máximo|o menos)(?!\p{L})/iu,
  lower:
    /^[^.,;:]{0,30}?(?<!\p{L})(?:at (?:the )?least|or (?:more|longer)|oder mehr|au moins|ou plus|como mínimo|o más)(?!\p{L})/iu,
}
const OPEN =
  /\b(?:not|never|nothing|none|nobody|cannot|without|that|which|who|if|when|whenever|unless|until|once|any|nicht|kein\w*|wenn|falls|die|pas|qui|si|lorsque)\b/i
const BOUNDED =
  /\b(?:(?:no|not|nicht|pas) (?:more|less|fewer|mehr|plus|to exceed|exceed)(?: than| als| de)?|no más de)\s[$€£]?$/iu

/** Characters on either side of a number among which a bound stands, and what opens a condition. */
const MOST_BEFORE = 120

function boundsIn(text: string, mark: DecimalMark): readonly Bound[] {
  return saidFigures(text, mark).flatMap((figure): readonly Bound[] => {
    const before = text.slice(Math.max(0, figure.start - MOST_BEFORE), figure.start)
    const after = text.slice(figure.end, figure.end + MOST_BEFORE)
    if (OPEN.test(before.replace(BOUNDED, ''))) return []
    const isSide = (side: Bound['side']) => BEFORE[side].test(before) || AFTER[side].test(after)
    if (isSide('upper')) return [{ figure, side: 'upper' }]
    return isSide('lower') ? [{ figure, side: 'lower' }] : []
  })
}
