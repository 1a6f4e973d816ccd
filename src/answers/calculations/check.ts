import { evaluate } from '../../library/arithmetic/evaluate.ts'
import { type Expression, parseExpression } from '../../library/arithmetic/expression.ts'
import { type Figure, figuresIn } from '../../library/arithmetic/figure.ts'
import { toNumber } from '../../library/arithmetic/fraction.ts'
import { type DecimalMark, decimalMarkOf } from '../../library/arithmetic/numeral.ts'
import { isProblem, type Quantity, writtenValue } from '../../library/arithmetic/quantity.ts'
import { wrongTime } from './columns.ts'
import { formulasIn, type NotedFormula, type PlacedFormula } from './notation.ts'
import {
  decimalMarkNear,
  type FoundQuote,
  type Operand,
  type QuotedFigure,
  quotedFigures,
  standsFor,
} from './quoted-figures.ts'
import { shownResult, whyNotResult } from './result.ts'

/** A formula that was computed again from figures of quotes. */
export interface VerifiedCalculation {
  /** As its writer noted it. */
  readonly expression: string
  /** In the scale of its figures: 569 for 569 million. */
  readonly value: number
  /** Its figures, each with the place of its quote among those given. */
  readonly operands: readonly { readonly value: number; readonly quote: number }[]
}

/** A sentence whose formulas were checked. */
export interface CheckedSentence {
  /** Without marks. */
  readonly text: string
  /** Without its formulas and their results, which need no further quote. */
  readonly rest: string
  readonly calculations: readonly VerifiedCalculation[]
  /** Why a formula cannot stand, in words for its author; null if all do. */
  readonly problem: string | null
}

/**
 * Computes the formulas of a sentence again. Each figure of a formula must stand in one of these quotes, with its unit and
 * scale; the sentence must say the result, rounded at most to the digits that it shows.
 */
export function checkCalculations(
  sentence: string,
  noted: readonly NotedFormula[],
  located: readonly FoundQuote[],
): CheckedSentence {
  if (!MAY_CALCULATE.test(sentence)) return nothing(sentence)
  const figures = quotedFigures(located)
  const tries = marksFor(sentence, noted, figures).map((mark) => checkIn(sentence, noted, figures, mark))
  const [first] = tries
  return tries.find(({ problem }) => problem === null) ?? first ?? nothing(sentence)
}

/** A mark, or a sign of equality. */
const MAY_CALCULATE = /[=≈≅\ufdd0-\ufdef]/

function nothing(text: string): CheckedSentence {
  return { text, rest: text, calculations: [], problem: null }
}

/** The decimal marks that the sentence may be written with, the likeliest first. */
function marksFor(
  sentence: string,
  noted: readonly NotedFormula[],
  figures: readonly QuotedFigure[],
): readonly DecimalMark[] {
  const own = decimalMarkOf([sentence, ...noted.map(({ formula, result }) => `${formula} ${result}`)].join('\n'))
  if (own) return [own]
  const theirs = figures[0] ? decimalMarkNear(figures[0].located) : '.'
  return theirs === '.' ? ['.', ','] : [',', '.']
}

function checkIn(
  sentence: string,
  noted: readonly NotedFormula[],
  figures: readonly QuotedFigure[],
  mark: DecimalMark,
): CheckedSentence {
  const { text, formulas } = formulasIn(sentence, noted, mark)
  const calculations: VerifiedCalculation[] = []
  let rest = text
  for (const formula of formulas) {
    const checked = checkOne(formula, text, figures, mark)
    if (typeof checked === 'string') return { text, rest, calculations, problem: checked }
    calculations.push(checked.calculation)
    for (const { start, end } of checked.results) rest = blanked(rest, start, end)
    const at = text.indexOf(formula.formula)
    if (at >= 0) rest = blanked(rest, at, at + formula.formula.length)
  }
  return { text, rest, calculations, problem: null }
}

function blanked(text: string, start: number, end: number): string {
  return text.slice(0, start) + ' '.repeat(end - start) + text.slice(end)
}

interface Checked {
  readonly calculation: VerifiedCalculation
  /** The figures of the sentence that are its result. */
  readonly results: readonly Figure[]
}

/** The formula computed from the quotes, and where the sentence says its result; or why that cannot be. */
function checkOne(
  { formula, result, at }: PlacedFormula,
  text: string,
  figures: readonly QuotedFigure[],
  mark: DecimalMark,
): Checked | string {
  const expression = parseExpression(formula, mark)
  if (expression?.kind !== 'operation') return `its formula “${formula}” cannot be read`
  let reason = ''
  // A number that may be the formula's own (100, or the 2 of an average) is read as such first.
  for (const ownFirst of [true, false]) {
    const computed = compute(expression, figures, ownFirst)
    const problem =
      typeof computed === 'string' ? computed : unsaid({ formula, result, at }, text, computed.quantity, mark)
    if (typeof problem !== 'string' && typeof computed !== 'string') {
      const late = wrongTime(text, expression, computed.operands)
      return late ?? { calculation: calculationOf(formula, computed), results: problem }
    }
    reason ||= typeof problem === 'string' ? problem : ''
  }
  return `${reason} (${formula})`
}

interface ComputedFormula {
  readonly quantity: Quantity
  readonly operands: readonly Operand[]
}

function compute(
  expression: Expression,
  figures: readonly QuotedFigure[],
  ownFirst: boolean,
): ComputedFormula | string {
  const operands: Operand[] = []
  const quantity = evaluate(expression, (figure, mayBeOwn) => {
    if (mayBeOwn && ownFirst) return null
    for (const quoted of figures) {
      const stands = standsFor(figure, quoted)
      if (stands === null) continue
      operands.push({ figure, quoted })
      return stands
    }
    return null
  })
  if (isProblem(quantity)) return quantity.problem
  if (!Number.isFinite(toNumber(writtenValue(quantity)))) return 'its result is too large'
  return operands.length === 0 ? 'no figure of the formula stands in a quote' : { quantity, operands }
}

function calculationOf(expression: string, { quantity, operands }: ComputedFormula): VerifiedCalculation {
  return {
    expression,
    value: toNumber(writtenValue(quantity)),
    operands: operands.map(({ figure, quoted }) => ({ value: toNumber(figure.value), quote: quoted.place })),
  }
}

/** The figures of the sentence that say the result; or why none does. */
function unsaid(
  { formula, result, at }: PlacedFormula,
  text: string,
  quantity: Quantity,
  mark: DecimalMark,
): readonly Figure[] | string {
  const from = text.indexOf(formula)
  const said = figuresIn(text, mark).filter(({ start }) => from < 0 || start < from || start >= from + formula.length)
  const whyNot = (figure: Figure, within: string) =>
    whyNotResult(figure, within.slice(Math.max(0, figure.start - 20), figure.start).trimEnd(), quantity)
  const [noted] = figuresIn(result, mark)
  const wrong = noted ? whyNot(noted, result) : null
  if (wrong) return wrong
  const here = noted && at !== null ? said.find(({ start, end }) => start < at && end >= at) : undefined
  if (here && text.slice(0, at ?? 0).endsWith(result)) {
    const problem = whyNot(here, text)
    if (problem) return problem
  }
  const results = said.filter((figure) => whyNot(figure, text) === null)
  if (results.length > 0) return results
  const last = said.at(-1)
  return (
    (last && said.length === 1 && whyNot(last, text)) ||
    `the formula gives ${shownResult(quantity)}, which the sentence does not say`
  )
}
