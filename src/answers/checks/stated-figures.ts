import { type Fraction, fraction } from '../../library/arithmetic/fraction.ts'
import type { DecimalMark } from '../../library/arithmetic/numeral.ts'
import { isCurrency } from '../../library/arithmetic/quantity.ts'
import { wordsIn } from '../../library/language/characters.ts'
import { unitNamed } from '../../library/language/units.ts'
import { asRead } from '../../library/quote.ts'
import { decimalMarkNear, type QuotedFigure, quotedFigures } from '../calculations/quoted-figures.ts'
import { headerOfTable, type LocatedQuote } from './located-quote.ts'
import { saidFigures } from './said-figures.ts'

/** A figure of a quote as far as a sentence may state it. */
export interface StatedFigure {
  /** As written, without its scale; more than one if it can be read in several ways. */
  readonly digits: readonly Fraction[]
  readonly scale: number
  readonly unit: string | null
  readonly isNegative: boolean
  /** Its scale is that of its table, and stands not beside it. */
  readonly isOfTable: boolean
  /** Where it stands in its table; null in a text. */
  readonly cell: QuotedFigure | null
  /** It may be a percentage though its own unit is not known. */
  readonly mayBePercent: boolean
  /** The currencies that stand on its page. */
  readonly currencies: ReadonlySet<string>
}

const PLAIN = { scale: 0, unit: null, isNegative: false, isOfTable: false, cell: null, mayBePercent: true }

/** The figures of a quote, with what its table and its page say of them. */
export function statedFigures(each: LocatedQuote): readonly StatedFigure[] {
  const mark = decimalMarkNear(each)
  const currencies = currenciesIn(each.near)
  const cells = quotedFigures([each]).filter(({ columns, rows }) => columns.length > 0 || rows.length > 0)
  const quote = asRead(each.quote)
  const found =
    cells.length > 0
      ? [...cells.map(inCell), ...inText(headerOfTable(each), mark)]
      : [...inText(quote, mark), ...inLists(quote), ...inParts(quote)]
  return found.map((stated) => ({ ...stated, currencies }))
}

type Found = Omit<StatedFigure, 'currencies'>

function inCell(cell: QuotedFigure): Found {
  const { figure, scale, unit } = cell
  const isShare = scale === -2
  const { isNegative } = figure
  const place = { isOfTable: figure.scale === null, cell, mayBePercent: true }
  return { digits: [figure.value], scale: isShare ? 0 : scale, unit, isNegative, ...place }
}

function inText(text: string, mark: DecimalMark): readonly Found[] {
  const hasPercent = /[%‰]|(?<!\p{L})(?:per ?cent|prozent|pour cent|por ciento)(?!\p{L})/iu.test(text)
  return saidFigures(text, mark).map(({ value, also, scale, unit, isNegative }) => {
    const mayBePercent = hasPercent || also.length > 0
    return { ...PLAIN, digits: [value, ...also], scale: scale ?? 0, unit, isNegative, mayBePercent }
  })
}

/** "3,4" may be two numbers of a list, and each part of "1.2.3" is a number. */
function inLists(quote: string): readonly Found[] {
  const runs =
    quote.match(
      /(?<![\p{L}\p{N}.,])\d{1,9},\d{1,2}(?![\p{L}\p{N}%]|[.,]\d|\s?%)|(?<![\d.])\d{1,9}(?:\.\d{1,9}){2,9}/gu,
    ) ?? []
  const parts = runs.flatMap((run) => run.split(/[.,]/))
  return parts.map((digits) => ({ ...PLAIN, digits: [fraction(BigInt(digits))] }))
}

const COUNTS = wordsIn('- two/zwei/deux/dos three/drei/trois/tres').map((words) => words.split('/'))
const PARTS =
  /(?:(\p{L}{3,5})[\s-])?(?:(half|halves|hälfte|moitié|mitad)|(thirds?|dritteln?|tiers|tercios?)|(quarters?|vierteln?|quarts?|cuartos?))(?!\p{L})/giu

/** "A third" and "zwei Drittel" are shares, in percent too. */
function inParts(quote: string): readonly Found[] {
  return Array.from(quote.matchAll(PARTS), ([, count = '', half, third]) => {
    const times = BigInt(Math.max(1, COUNTS.findIndex((words) => words.includes(count.toLowerCase())) + 1))
    const parts = half ? 2n : third ? 3n : 4n
    return { ...PLAIN, digits: [fraction(times, parts), fraction(100n * times, parts)] }
  })
}

const CURRENCY = /[$€£¥]|(?<!\p{L})(?:\p{Lu}{3}|euros?|dollars?|dólares|francs?|franken)(?!\p{L})/giu

function currenciesIn(text: string): ReadonlySet<string> {
  const named = Array.from(text.matchAll(CURRENCY), ([word]) => unitNamed(word) ?? '')
  return new Set(named.filter(isCurrency))
}
