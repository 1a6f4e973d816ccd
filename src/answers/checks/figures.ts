import {
  compare,
  equal,
  type Fraction,
  fraction,
  magnitude,
  minus,
  over,
  tenTo,
  times,
} from '../../library/arithmetic/fraction.ts'
import { type DecimalMark, decimalMarkOf } from '../../library/arithmetic/numeral.ts'
import { isCurrency } from '../../library/arithmetic/quantity.ts'
import { isShownAs, roundingBefore } from '../../library/arithmetic/rounding.ts'
import { isEnglish } from '../../library/language/english.ts'
import { isTurnedInRow } from '../calculations/columns.ts'
import { decimalMarkNear } from '../calculations/quoted-figures.ts'
import { roundStep } from '../calculations/result.ts'
import { unitSaid } from '../calculations/unit-line.ts'
import { maySpeakOf } from './cells.ts'
import { missingMonth } from './dates.ts'
import { isKnown } from './known-figures.ts'
import { headerOfTable, identityOf, type LocatedQuote, type Surroundings } from './located-quote.ts'
import { grouped, type SaidFigure, saidFigures, withPlainNumbers } from './said-figures.ts'
import { type StatedFigure, statedFigures } from './stated-figures.ts'

/**
 * Why the figures and months of a sentence are not those of its quotes; null if they are. A figure must stand in a quote
 * with its scale, unit and currency, which the unit line, the column or the row may say; in a table, in the row and the
 * column that the sentence speaks of. It may be rounded if it says so ("about"), or if it is in a larger scale ("$5.6
 * billion" for 5,583 million). A year or a label may stand in the document's name or section instead.
 */
export function figureProblem(
  sentence: string,
  located: readonly LocatedQuote[],
  surroundings: Surroundings,
): string | null {
  const month = missingMonth(sentence, placesOf(located))
  if (month) return `its quotes do not state ${month}`
  let read: readonly StatedFigure[] | null = null
  const quoted = () => (read ??= located.flatMap(statedFigures))
  const tries = marksFor(sentence, located).map((mark) => problemWith(mark, sentence, quoted, located, surroundings))
  return tries.includes(null) ? null : (tries[0] ?? null)
}

/** The quotes with the headings of their tables, their sections and the names of their documents. */
function placesOf(located: readonly LocatedQuote[]): readonly string[] {
  return located.flatMap((each) => {
    const { section, table } = each.observation
    return [each.quote, identityOf(each), section ?? '', table ?? '', headerOfTable(each)]
  })
}

/** The decimal marks that the sentence may be written with: those of its language and of the documents. */
function marksFor(sentence: string, located: readonly LocatedQuote[]): readonly DecimalMark[] {
  const own = decimalMarkOf(sentence)
  return own ? [own] : [...new Set([isEnglish(sentence) ? '.' : ',', ...located.map(decimalMarkNear)] as const)]
}

/** A figure of the sentence, and the figures of quotes that it may be. */
interface Borne {
  readonly figure: SaidFigure
  readonly by: readonly StatedFigure[]
}

function problemWith(
  mark: DecimalMark,
  sentence: string,
  quoted: () => readonly StatedFigure[],
  located: readonly LocatedQuote[],
  surroundings: Surroundings,
): string | null {
  const text = grouped(withPlainNumbers(sentence))
  const hasPair = located.some(({ quote }) => PAIR.test(quote))
  const said = saidFigures(sentence, mark).filter(({ written }) => !(hasPair ? PAIR_OR_EXEMPT : EXEMPT).test(written))
  if (said.length === 0) return null
  const scaleSaid = unitSaid(sentence).scale
  const borne = said.map((figure): Borne => {
    return { figure, by: quoted().filter((stated) => bears(stated, figure, text, scaleSaid)) }
  })
  const stated = borne.filter(({ by }) => by.length > 0).map(({ figure }) => figure)
  const missing = borne.filter(
    ({ figure, by }) => by.length === 0 && !isKnown(figure, text, located, surroundings) && !isDerived(figure, stated),
  )
  return missing.length > 0
    ? `its quotes do not state ${missing.map(({ figure }) => signed(figure)).join(', ')}`
    : cellProblem(sentence, borne, quoted(), surroundings.question)
}

/** The difference, or the share in percent, of two figures that the sentence states as its quotes do. */
function isDerived(figure: SaidFigure, stated: readonly SaidFigure[]): boolean {
  const step = tenTo(-figure.decimals)
  const isLike = (a: SaidFigure, b: SaidFigure) => a.scale === b.scale && (a.unit ?? b.unit) === (b.unit ?? a.unit)
  return stated.some((a) =>
    stated.some((b) => {
      if (a === b || !isLike(a, b) || b.value.top === 0n) return false
      const difference = minus(a.value, b.value)
      if (figure.unit !== 'percent') return isMeasured(figure) && isLike(figure, a) && equal(figure.value, difference)
      const shares = [over(a.value, b.value), over(difference, b.value)].map((share) => times(share, fraction(100n)))
      return figure.decimals > 0 && shares.some((share) => isShownAs(share, figure.value, step, 'near'))
    }),
  )
}

/** A plain number may count anything, so it is no difference of two others by chance. */
function isMeasured({ unit, scale, decimals }: SaidFigure): boolean {
  return (unit ?? scale) !== null && decimals <= 3
}

/** "One" is a pronoun as often as a number; "first" to "third" count points as often as things. */
const EXEMPT = /^(?:one|first|second|third)$/i
/** "Both forms" and "twice" state "two", but not "2", which may count anything. */
const PAIR_OR_EXEMPT = /^(?:one|first|second|third|two)$/i

/** Why the figures are not those of the row and column that the sentence speaks of; null if they may be. */
function cellProblem(
  sentence: string,
  borne: readonly Borne[],
  quoted: readonly StatedFigure[],
  question: string,
): string | null {
  const inTables = borne.filter(({ by }) => by.length > 0 && by.every(({ cell }) => cell !== null))
  const cellsOf = ({ by }: Pick<Borne, 'by'>) => by.flatMap(({ cell }) => cell ?? [])
  const columns = inTables.flatMap(cellsOf).flatMap((cell) => cell.columns)
  const asked = namesColumn(sentence, columns) || !/\d/.test(columns.join('')) ? sentence : `${sentence} ${question}`
  const isAlone = inTables.length === 1
  const wrong = inTables.find((each) => !cellsOf(each).some((cell) => maySpeakOf(cell, asked, isAlone)))
  if (wrong) return `${signed(wrong.figure)} stands in another row or column than it says`
  const [only] = inTables
  const all = cellsOf({ by: quoted })
  const isTurned = isAlone && only && cellsOf(only).every((cell) => isTurnedInRow(sentence, cell, all))
  return isTurned ? 'it says the opposite of how the figures of its row develop' : null
}

function signed({ written, isNegative }: SaidFigure): string {
  return `${isNegative ? '-' : ''}${written.trim()}`
}

const PAIR = /\b(?:both|twice|double|beide[nr]?|doppelt|deux fois|ambos|doble)\b/i

/** The sentence itself names a column, so that the question need not. */
function namesColumn(sentence: string, columns: readonly string[]): boolean {
  const words = columns.flatMap((column) => column.split(/\s+/))
  return words.some((word) => word.length > 1 && sentence.includes(word))
}

/** Whether the quote states what the sentence says. */
function bears(stated: StatedFigure, figure: SaidFigure, text: string, scaleSaid: number | null): boolean {
  if (!isSameUnit(stated, figure)) return false
  const isMinus = figure.isNegative && !/\($/.test(text.slice(0, figure.start))
  if (isMinus && !stated.isNegative) return false
  return [figure.value, ...figure.also].some((value) =>
    stated.digits.some((digits) => isSameValue({ ...figure, value }, { ...stated, digits: [digits] }, text, scaleSaid)),
  )
}

function isSameUnit(stated: StatedFigure, { unit, also }: SaidFigure): boolean {
  if (unit === null || unit === stated.unit) return true
  if (unit === 'cent' || stated.unit === 'cent')
    return isCurrency(unit) || isCurrency(stated.unit) || stated.unit === null
  if (stated.unit !== null) return false
  if (isCurrency(unit) && stated.currencies.size > 0 && !stated.currencies.has(unit ?? '')) return false
  return unit !== 'percent' || stated.mayBePercent || also.length > 0
}

function isSameValue(figure: SaidFigure, stated: StatedFigure, text: string, scaleSaid: number | null): boolean {
  const [digits = fraction(0n)] = stated.digits
  const scale = (figure.scale ?? 0) + centsOf(figure, stated)
  const shown = times(figure.value, tenTo(scale))
  const real = times(magnitude(digits), tenTo(stated.scale + centsOf(stated, figure)))
  if (equal(shown, real)) return true
  // A bare number is read in the scale of its table, or in that which the sentence says once for all.
  const isBare = figure.unit === null || figure.unit === 'percent' || text.trimStart().startsWith('|')
  const mayShare = (stated.isOfTable && isBare) || (scaleSaid === stated.scale && stated.scale !== 0)
  if (figure.scale === null && mayShare && isShownOrRounded(figure, 0, digits, text, false)) return true
  return isShownOrRounded(figure, scale, real, text, figure.scale !== null && scale > stated.scale)
}

/** "54 cents" are 0.54 dollars. */
function centsOf(one: { readonly unit: string | null }, other: { readonly unit: string | null }): number {
  return one.unit === 'cent' && other.unit !== 'cent' ? -2 : 0
}

/** A rounded number is at most so far off, as a share of itself. */
const MOST_ROUNDED = fraction(1n, 10n)

function isShownOrRounded(figure: SaidFigure, scale: number, real: Fraction, text: string, isLarger: boolean): boolean {
  const shown = times(figure.value, tenTo(scale))
  if (equal(shown, real)) return true
  if (compare(magnitude(minus(real, shown)), times(shown, MOST_ROUNDED)) > 0) return false
  const step = tenTo(scale - figure.decimals)
  if (isLarger && isShownAs(real, shown, step, 'near')) return true
  const rounding = roundingBefore(text.slice(Math.max(0, figure.start - 24), figure.start))
  return rounding !== null && isShownAs(real, shown, roundStep(figure, step), rounding)
}
