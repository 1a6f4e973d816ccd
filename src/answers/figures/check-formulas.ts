import {
  compare,
  constant,
  type DecimalMark,
  decimalMarkOf,
  equal,
  evaluate,
  type Figure,
  type Fraction,
  figuresIn,
  fraction,
  isProblem,
  magnitude,
  minus,
  parseExpression,
  type Quantity,
  readingsOf,
  shownValue,
  tenTo,
  times,
  toNumber,
  writtenValue,
} from '../../library/index.ts'
import { formsOf, type PageSentence, sentencesOf } from '../quotes/page-sentences.ts'
import type { TabledEvidence } from '../quotes/quoted-table.ts'
import { formulasIn, type NotedFormula } from './formula-marks.ts'

/** A formula that was computed again. */
export interface Computed {
  /** As its writer noted it. */
  readonly expression: string
  /** In the scale of its figures: 569 for 569 million. */
  readonly value: number
  /** The digits with which its sentence says the result, and those of the formula itself. */
  readonly figures: readonly number[]
  /** Its figures, each with the sentence or row of the passages that has it. */
  readonly operands: readonly { readonly value: number; readonly from: PageSentence }[]
}

/** A sentence whose formulas were computed again. */
export interface CheckedFormulas {
  /** The sentence without marks. */
  readonly text: string
  /** Formulas of which each figure stands in the passages, and whose result the sentence says. */
  readonly right: readonly Computed[]
  /** What is wrong with the others, in words for a reader; each is a line. */
  readonly problems: readonly string[]
  /** A formula gives another number than the sentence says. */
  readonly isWrong: boolean
}

/** Where the figures of a formula may stand. */
export interface FigureSources {
  readonly evidence: readonly TabledEvidence[]
  /** Those that the sentence names; a figure that stands there, too, is taken from there. */
  readonly named?: readonly TabledEvidence[]
  /** Its figures are given: the 365 days of a definition. */
  readonly question: string
}

/**
 * Computes the formulas of a sentence again, exactly, over figures of the passages and the question. Whether they are the right
 * figures, in the right unit, and what the result is called, is for the reader to say.
 */
export function checkFormulas(
  sentence: string,
  noted: readonly NotedFormula[],
  { evidence: passages, named = [], question }: FigureSources,
): CheckedFormulas {
  if (!MAY_CALCULATE.test(sentence)) return { text: sentence, right: [], problems: [], isWrong: false }
  const mark = markOf(sentence, noted, passages)
  const { text, formulas } = formulasIn(sentence, noted, mark)
  const known = {
    quoted: nearestFirst(figuresOf(passages, mark), text, named),
    given: figuresIn(question, decimalMarkOf(question) ?? mark),
  }
  const checked = formulas.map((formula) => checkOne(formula, text, known, mark))
  return {
    text,
    right: checked.flatMap(({ computed }) => computed ?? []),
    problems: checked.flatMap(({ problem }) => problem ?? []),
    isWrong: checked.some((each) => each.isWrong === true),
  }
}

/** A mark of a formula, or a sign of equality. */
const MAY_CALCULATE = /[=≈≅\ufdd0-\ufdef]/

function markOf(sentence: string, noted: readonly NotedFormula[], passages: readonly TabledEvidence[]): DecimalMark {
  const own = [sentence, ...noted.map(({ formula, result }) => `${formula} ${result}`)].join('\n')
  return decimalMarkOf(own) ?? decimalMarkOf(passages.map(({ observation }) => observation.text).join('\n')) ?? '.'
}

interface Quoted {
  readonly figure: Figure
  readonly from: PageSentence
}

/** Figures of the passages; a document may write its decimals otherwise than the sentence does. */
function figuresOf(passages: readonly TabledEvidence[], fallback: DecimalMark): readonly Quoted[] {
  return passages.flatMap((passage) => {
    const mark = decimalMarkOf(passage.observation.text) ?? fallback
    return sentencesOf(passage).flatMap((from) => readingsOf(from.text, mark).map((figure) => ({ figure, from })))
  })
}

/** Of several places with one figure: rows and sentences before headers, named passages before others, the nearest words first. */
function nearestFirst(
  figures: readonly Quoted[],
  sentence: string,
  named: readonly TabledEvidence[],
): readonly Quoted[] {
  const forms = formsOf(sentence)
  const weights = new Map<PageSentence, number>()
  const weightOf = ({ from }: Quoted): number => {
    const { evidence, isBesideRows } = from
    const shared = [...from.forms].filter((form) => forms.has(form)).length
    const weight = weights.get(from) ?? (isBesideRows ? 0 : 2e6) + (named.includes(evidence) ? 1e6 : 0) + shared
    weights.set(from, weight)
    return weight
  }
  return figures.toSorted((one, other) => weightOf(other) - weightOf(one))
}

interface Known {
  readonly quoted: readonly Quoted[]
  readonly given: readonly Figure[]
}

interface Checked {
  readonly computed?: Computed
  readonly problem?: string
  readonly isWrong?: boolean
}

function checkOne(
  { formula, result }: NotedFormula,
  text: string,
  { quoted: figures, given }: Known,
  mark: DecimalMark,
): Checked {
  const expression = parseExpression(formula, mark)
  if (expression?.kind !== 'operation') return { problem: `its formula “${formula}” cannot be read` }
  const computedWith = (factor: bigint, operands: Computed['operands'][number][]) =>
    evaluate(expression, (figure, mayBeOwn) => {
      const quoted = mayBeOwn ? undefined : figures.find((each) => isSame(figure, each.figure))
      if (!quoted) return !mayBeOwn && given.some((each) => isSame(figure, each)) ? constant(figure.value) : null
      operands.push({ value: toNumber(figure.value), from: quoted.from })
      return quantityOf({ ...figure, value: times(figure.value, fraction(factor)) })
    })
  const operands: Computed['operands'][number][] = []
  const quantity = computedWith(1n, operands)
  if (isProblem(quantity)) return { problem: `${quantity.problem} (${formula})` }
  // A mean of percentages is one, a ratio of two is none: the first grows with its figures.
  const twice = computedWith(2n, [])
  const grows = !isProblem(twice) && equal(twice.value, times(quantity.value, fraction(2n)))
  const isOfPercent = grows || /(?<!\d)100(?!\d)/.test(formula)
  const isRight = (figure: Figure) => isShownResult(figure, quantity, isOfPercent)
  const noted = readingsOf(result, mark)
  const said = figuresOutside(text, formula, mark).filter(isRight)
  if ((noted.length > 0 && !noted.some(isRight)) || said.length === 0) {
    return {
      problem: `the formula ${formula} gives ${shownValue(quantity)}, which the sentence does not say`,
      isWrong: true,
    }
  }
  const own = [...said, ...figuresIn(formula, mark)].map((figure) => toNumber(figure.value))
  return { computed: { expression: formula, value: toNumber(writtenValue(quantity)), figures: own, operands } }
}

/** Of a formula, digits are what counts: the scale of a table stands above it. */
function quantityOf({ value, scale, unit }: Figure): Quantity {
  const power = scale ?? (unit === 'percent' || unit === 'point' ? -2 : 0)
  return { value: times(value, tenTo(power)), scale: power, isSpelled: scale !== null, kind: 'amount' }
}

function isSame(one: Figure, other: Figure): boolean {
  return equal(magnitude(one.value), magnitude(other.value)) || equal(whole(one), whole(other))
}

function whole({ value, scale }: Figure): Fraction {
  return magnitude(times(value, tenTo(scale ?? 0)))
}

/** The figures with which the sentence may say the result. */
function figuresOutside(text: string, formula: string, mark: DecimalMark): readonly Figure[] {
  const from = text.indexOf(formula)
  return readingsOf(text, mark).filter(({ start }) => from < 0 || start < from || start >= from + formula.length)
}

/**
 * Whether a figure is what a formula gives, rounded at most to the digits that it shows. It may be written in percent, and with
 * a word for its scale where the formula's figures have none, or another: 1,875 of a table in millions is "$1.9 billion".
 * `isOfPercent`: the formula's figures are percentages, or it multiplies by 100.
 */
function isShownResult(figure: Figure, quantity: Quantity, isOfPercent: boolean): boolean {
  if (figure.unit === 'percent' && !isOfPercent) return isRounded(figure, -2, magnitude(quantity.value))
  const powers = figure.scale !== null ? [figure.scale, 0, 3, -3, 6, -6, 9] : [0]
  return [quantity.value, writtenValue(quantity)].some((value) =>
    powers.some((power) => isRounded(figure, power, magnitude(value))),
  )
}

/** A whole number may be off by so much of the value: 0.69 is no 1. */
const MOST_OFF = fraction(1n, 3n)

function isRounded(figure: Figure, power: number, real: Fraction): boolean {
  const shown = times(figure.value, tenTo(power))
  const off = magnitude(minus(real, shown))
  if (figure.decimals === 0 && compare(off, times(real, MOST_OFF)) > 0) return false
  return compare(times(off, fraction(2n)), times(tenTo(power), stepOf(figure))) <= 0
}

/** Of the last digit: 0.1 of "11.3", 10 of "460", since a whole number that ends in zeros may be rounded to them. */
function stepOf({ value, decimals }: Figure): Fraction {
  let zeros = 0
  while (decimals === 0 && value.top !== 0n && value.top % 10n ** BigInt(zeros + 1) === 0n) zeros += 1
  return tenTo(zeros - decimals)
}
