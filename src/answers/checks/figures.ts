import {
  compare,
  equal,
  type Fraction,
  fraction,
  magnitude,
  minus,
  tenTo,
  times,
} from '../../library/arithmetic/fraction.ts'
import { type DecimalMark, decimalMarkOf } from '../../library/arithmetic/numeral.ts'
import { isCurrency } from '../../library/arithmetic/quantity.ts'
import { isShownAs, roundingBefore } from '../../library/arithmetic/rounding.ts'
import { isEnglish } from '../../library/language/english.ts'
import { unitNamed } from '../../library/language/units.ts'
import { asRead } from '../../library/quote.ts'
import { isTurnedInRow } from '../calculations/columns.ts'
import { decimalMarkNear, type QuotedFigure, quotedFigures } from '../calculations/quoted-figures.ts'
import { roundStep } from '../calculations/result.ts'
import { unitSaid } from '../calculations/unit-line.ts'
import { maySpeakOf } from './cells.ts'
import { missingMonth } from './dates.ts'
import { headerOfTable, identityOf, type LocatedQuote, type Surroundings } from './located-quote.ts'
import { grouped, type SaidFigure, saidFigures, withPlainNumbers } from './said-figures.ts'

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
  const quoted = located.flatMap(statedBy)
  const tries = marksFor(sentence).map((mark) => problemWith(mark, sentence, quoted, located, surroundings))
  return tries.includes(null) ? null : (tries[0] ?? null)
}

/** The quotes with the headings of their tables, their sections and the names of their documents. */
function placesOf(located: readonly LocatedQuote[]): readonly string[] {
  return located.flatMap((each) => {
    const { section, table } = each.observation
    return [each.quote, identityOf(each), section ?? '', table ?? '', headerOfTable(each)]
  })
}

function marksFor(sentence: string): readonly DecimalMark[] {
  const own = decimalMarkOf(sentence)
  if (own) return [own]
  return isEnglish(sentence) ? ['.', ','] : [',', '.']
}

/** A figure of a quote as far as a sentence may state it. */
interface Stated {
  readonly digits: readonly Fraction[]
  readonly scale: number
  readonly unit: string | null
  readonly isNegative: boolean
  /** Its scale is that of its table, and stands not beside it. */
  readonly isOfTable: boolean
  /** Where it stands in its table; null in a text. */
  readonly cell: QuotedFigure | null
  readonly hasUnits: boolean
  /** The currencies that stand on its page. */
  readonly currencies: ReadonlySet<string>
}

function statedBy(each: LocatedQuote): readonly Stated[] {
  const currencies = currenciesIn(each.near)
  return figuresOf(each).map((stated) => ({ ...stated, currencies }))
}

function currenciesIn(text: string): ReadonlySet<string> {
  const named = Array.from(
    text.matchAll(/[$€£¥]|\p{Lu}{3}(?!\p{L})|(?<!\p{L})(?:euros?|dollars?|dólares|francs?|franken)(?!\p{L})/giu),
  )
  return new Set(
    named
      .map(([word]) => unitNamed(word))
      .filter(isCurrency)
      .map(String),
  )
}

function figuresOf(each: LocatedQuote): readonly Omit<Stated, 'currencies'>[] {
  const mark = decimalMarkNear(each)
  const cells = quotedFigures([each]).filter(({ columns, rows }) => columns.length > 0 || rows.length > 0)
  if (cells.length > 0) return [...cells.map(statedInCell), ...numbersOf(headerOfTable(each), mark)]
  const quote = asRead(each.quote)
  return [...numbersOf(quote, mark), ...loose(quote)]
}

function numbersOf(text: string, mark: DecimalMark): readonly Omit<Stated, 'currencies'>[] {
  const hasUnits = /[%‰]|\b(?:per ?cent|prozent|pour cent|por ciento)\b/iu.test(text)
  return saidFigures(text, mark).map(({ value, also, scale, unit, isNegative }) => ({
    ...{ digits: [value, ...also], scale: scale ?? 0, unit, isNegative, isOfTable: false, cell: null, hasUnits },
  }))
}

function statedInCell(cell: QuotedFigure): Omit<Stated, 'currencies'> {
  const { figure, scale, unit } = cell
  const isOfTable = figure.scale === null
  return {
    digits: [figure.value],
    scale: scale === -2 ? 0 : scale,
    unit,
    isNegative: figure.isNegative,
    isOfTable,
    cell,
    hasUnits: true,
  }
}

/** "3,4" may be two numbers of a list; "both" and "twice" state "two". */
function loose(quote: string): readonly Omit<Stated, 'currencies'>[] {
  const listed = Array.from(
    quote.matchAll(/(?<![\p{L}\p{N}.,])\d{1,9},\d{1,2}(?![\p{L}\p{N}%]|[.,]\d|\s?%)/gu),
    ([run]) => run.split(',').map((digits) => fraction(BigInt(digits))),
  ).flat()
  const versions = Array.from(quote.matchAll(/\d+(?:\.\d+){2,9}/g), ([run]) =>
    run.split('.').map((digits) => fraction(BigInt(digits))),
  ).flat()
  return [...listed, ...versions].map((value) => ({
    ...{ digits: [value], scale: 0, unit: null, isNegative: false, isOfTable: false, cell: null, hasUnits: true },
  }))
}

function problemWith(
  mark: DecimalMark,
  sentence: string,
  quoted: readonly Stated[],
  located: readonly LocatedQuote[],
  surroundings: Surroundings,
): string | null {
  const text = grouped(withPlainNumbers(sentence))
  const hasPair = located.some(({ quote }) => PAIR.test(quote))
  const exempt = hasPair ? /^(?:one|first|second|third|two)$/i : /^(?:one|first|second|third)$/i
  const said = saidFigures(sentence, mark).filter(({ written }) => !exempt.test(written))
  const scaleSaid = unitSaid(sentence).scale
  const borne = said.map((figure) => ({
    figure,
    by: quoted.filter((stated) => bears(stated, figure, text, scaleSaid)),
  }))
  const missing = borne.filter(({ figure, by }) => by.length === 0 && !isKnown(figure, text, located, surroundings))
  if (missing.length > 0)
    return `its quotes do not state ${missing.map(({ figure }) => figure.written.trim()).join(', ')}`
  const inTables = borne.filter(({ by }) => by.length > 0 && by.every(({ cell }) => cell !== null))
  const asked = namesPlace(
    sentence,
    inTables.flatMap(({ by }) => by),
  )
    ? sentence
    : `${sentence} ${surroundings.question}`
  const isAlone = inTables.length === 1
  const wrong = inTables.find(({ by }) => by.every(({ cell }) => cell && !maySpeakOf(cell, asked, isAlone)))
  if (wrong) return `${wrong.figure.written.trim()} stands in another row or column than it says`
  const cells = quoted.flatMap(({ cell }) => cell ?? [])
  const isTurned = isAlone && inTables[0]?.by.every(({ cell }) => cell && isTurnedInRow(sentence, cell, cells))
  return isTurned ? 'it says the opposite of how the figures of its row develop' : null
}

const PAIR = /\b(?:both|twice|double|beide[nr]?|doppelt|deux fois|ambos|doble)\b/i

/** The sentence itself names one of the columns, so that the question need not. */
function namesPlace(sentence: string, stated: readonly Stated[]): boolean {
  return stated.some(({ cell }) =>
    cell?.columns.some((column) => column.split(/\s+/).some((word) => word.length > 1 && sentence.includes(word))),
  )
}

/** Whether the quote states what the sentence says. */
function bears(stated: Stated, figure: SaidFigure, text: string, scaleSaid: number | null): boolean {
  if (!isSameUnit(stated, figure)) return false
  const isMinus = figure.isNegative && !/\($/.test(text.slice(0, figure.start))
  if (isMinus && !stated.isNegative) return false
  return [figure.value, ...figure.also].some((value) =>
    stated.digits.some((digits) => isSameValue({ ...figure, value }, { ...stated, digits: [digits] }, text, scaleSaid)),
  )
}

function isSameUnit(stated: Stated, { unit, also }: SaidFigure): boolean {
  if (unit === null || unit === stated.unit) return true
  if (unit === 'cent' || stated.unit === 'cent')
    return isCurrency(unit) || isCurrency(stated.unit) || stated.unit === null
  if (stated.unit !== null) return false
  if (isCurrency(unit) && stated.currencies.size > 0 && !stated.currencies.has(unit ?? '')) return false
  return unit !== 'percent' || stated.hasUnits || also.length > 0
}

function isSameValue(figure: SaidFigure, stated: Stated, text: string, scaleSaid: number | null): boolean {
  const [digits = fraction(0n)] = stated.digits
  const cents = figure.unit === 'cent' && stated.unit !== 'cent' ? -2 : 0
  const centsThere = stated.unit === 'cent' && figure.unit !== 'cent' ? -2 : 0
  const scale = (figure.scale ?? 0) + cents
  const shown = times(figure.value, tenTo(scale))
  const real = times(magnitude(digits), tenTo(stated.scale + centsThere))
  if (equal(shown, real)) return true
  // A bare number is read in the scale of its table, or in that which the sentence says once for all.
  const isBare = figure.scale === null && (figure.unit === null || figure.unit === 'percent')
  const mayShare = (stated.isOfTable && isBare) || (scaleSaid === stated.scale && stated.scale !== 0)
  if (figure.scale === null && mayShare && isShownOrRounded(figure, 0, digits, text, false)) return true
  return isShownOrRounded(figure, scale, real, text, figure.scale !== null && scale > stated.scale)
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

/** A year of the document's name or section, or a label that the document or the question has with the same word. */
function isKnown(
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
  if (unit === null && decimals === 0 && /^(?:19|20)\d\d$/.test(digits)) {
    const isAsked = question.includes(digits) && texts.some((each) => each.includes(digits))
    return isAsked || [...names, ...located.map(headerOfTable)].some((each) => each.includes(digits))
  }
  const label = /\p{L}[\p{L}\p{M}]*[ -]$/u.exec(text.slice(Math.max(0, start - 30), start))?.[0] ?? ''
  const behind = /^(?:-?\p{Lu}{1,3}(?![\p{L}\p{N}]))/u.exec(text.slice(end))?.[0] ?? ''
  const whole = /^\p{Lu}/u.test(label) ? label + digits + behind : behind === '' ? '' : digits + behind
  return (
    whole !== '' &&
    unit === null &&
    /^\d{1,4}$/.test(digits) &&
    [...names, ...texts, question].some((each) => holdsWhole(each, whole))
  )
}

function holdsWhole(text: string, label: string): boolean {
  const at = text.indexOf(label)
  return (
    at >= 0 &&
    !/[\p{L}\p{N}.,]/u.test(text.charAt(at - 1)) &&
    !/^[.,]?[\p{L}\p{N}]/u.test(text.slice(at + label.length))
  )
}
