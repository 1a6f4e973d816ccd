import type { Expression } from '../../library/arithmetic/expression.ts'
import type { Figure } from '../../library/arithmetic/figure.ts'
import { compare } from '../../library/arithmetic/fraction.ts'
import { wordSet } from '../../library/language/characters.ts'
import { type Operand, type QuotedFigure, signedValue } from './quoted-figures.ts'

/**
 * Why the columns that a formula takes its figures from are not those that the sentence speaks of; null if they may be. A
 * year of the sentence that is a column must have a figure in the formula, and a rise must be one from the earlier to the
 * later column.
 */
export function wrongTime(sentence: string, expression: Expression, operands: readonly Operand[]): string | null {
  return wrongYear(sentence, operands) ?? wrongDirection(sentence, expression, operands)
}

const YEAR = /(?<![\d.,])(?:19|20)\d\d(?![\d.,]\d|\d)/g

function yearsIn(text: string): readonly number[] {
  return Array.from(text.matchAll(YEAR), ([year]) => Number(year))
}

function wrongYear(sentence: string, operands: readonly Operand[]): string | null {
  const used = new Set(operands.flatMap(({ quoted }) => yearsIn(quoted.column)))
  const said = [...new Set(yearsIn(sentence))]
  if (used.size === 0 || said.length === 0) return null
  const hasOne = said.filter((year) => used.has(year))
  if (hasOne.length === 0) return `its figures are those of ${[...used].join(' and ')}`
  if (said.length === 2 && used.size === 2 && hasOne.length === 1) {
    return `its figures are those of ${[...used].join(' and ')}, not of ${said.find((year) => !used.has(year))}`
  }
  // One year alone is the later one, unless the sentence counts from it.
  const isEarlier = said.length === 1 && used.size > 1 && said[0] !== Math.max(...used)
  return isEarlier && !SINCE.test(sentence) ? `its figures are those of ${[...used].join(' and ')}` : null
}

const SINCE =
  /(?:^|[^\p{L}])(?:since|from|than|over|versus|vs|compared|after|seit|gegenüber|nach|als|von|depuis|que|rapport|après|desde|respecto|frente)(?![\p{L}])/iu

/** The figures of a difference that was taken between two columns: "a - b", "(a - b) / b", "a / b - 1". */
function changeIn(expression: Expression): readonly [Figure, Figure] | null {
  if (expression.kind !== 'operation') return null
  const { operator, left, right } = expression
  if (operator === '-' && left.kind === 'figure' && right.kind === 'figure') return [left.figure, right.figure]
  if (operator === '*' || operator === '/') return changeIn(left)
  const isRatio = operator === '-' && left.kind === 'operation' && left.operator === '/'
  if (!isRatio || left.left.kind !== 'figure' || left.right.kind !== 'figure') return null
  return [left.left.figure, left.right.figure]
}

const RISES = wordSet(
  `rose rise rises risen rising grew grow grows grown growing increase increased increases increasing climbed higher up
   gained stieg stiegen gestiegen wuchs wuchsen gewachsen nahm zunahm zugenommen mehr höher augmenté augmente augmentation
   progressé hausse creció crecieron aumentó aumentaron subió aumento`,
)
const FALLS = wordSet(
  `fell fall falls fallen falling declined decline declines declining decreased decrease decreases decreasing dropped drop
   shrank shrunk lower down lost sank sanken gesunken fiel fielen gefallen schrumpfte zurück abnahm niedriger weniger
   diminué diminue diminution baissé baisse recul reculé disminuyó disminuyeron bajó cayó cayeron descenso`,
)

/** 1 for a rise, -1 for a fall; 0 if neither or both are said. */
function directionSaid(sentence: string): number {
  const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? []
  return Number(words.some((word) => RISES.has(word))) - Number(words.some((word) => FALLS.has(word)))
}

/** Whether a sentence says that a figure of a table rose or fell, where the figure of the year before says the opposite. */
export function isTurnedInRow(sentence: string, cell: QuotedFigure, rowOf: readonly QuotedFigure[]): boolean {
  const says = directionSaid(sentence)
  const yearOf = ({ column }: QuotedFigure) => Math.max(...yearsIn(column))
  const before = rowOf.find((each) => each.row === cell.row && yearOf(each) === yearOf(cell) - 1)
  return says !== 0 && before !== undefined && compare(signedValue(cell), signedValue(before)) === -says
}

function wrongDirection(sentence: string, expression: Expression, operands: readonly Operand[]): string | null {
  const change = changeIn(expression)
  const [one, other] = (change ?? []).map((figure) => operands.find((operand) => operand.figure === figure)?.quoted)
  if (!one || !other) return null
  const [first, second] = [Math.max(...yearsIn(one.column)), Math.max(...yearsIn(other.column))]
  if (one.row !== other.row || !Number.isFinite(first) || !Number.isFinite(second) || first === second) return null
  const [later, earlier] = first > second ? [one, other] : [other, one]
  const says = directionSaid(sentence)
  const is = compare(signedValue(later), signedValue(earlier))
  if (says === 0 || is === 0 || says === is) return null
  return `it says that the figure ${says > 0 ? 'rose' : 'fell'}, its quotes the opposite`
}
