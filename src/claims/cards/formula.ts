import {
  constant,
  type DecimalMark,
  equal,
  evaluate,
  figuresIn,
  isProblem,
  parseExpression,
  toNumber,
  writtenValue,
} from '../../library/index.ts'
import type { Claim, ClaimQuote } from './claim.ts'

const marks: readonly DecimalMark[] = ['.', ',']

/** Why a formula is not computed to its value from figures of these quotes; null if it is. */
export function formulaProblem(
  { expression, value }: Claim['formulas'][number],
  quotes: readonly Pick<ClaimQuote, 'text'>[],
): string | null {
  const problems = marks.map((mark) => {
    const parsed = parseExpression(expression, mark)
    if (!parsed) return `“${expression}” cannot be read`
    const figures = quotes.flatMap(({ text }) => figuresIn(text, mark))
    const computed = evaluate(parsed, ({ value: wanted }) => {
      const found = figures.find((figure) => equal(figure.value, wanted))
      return found ? constant(found.value) : null
    })
    if (isProblem(computed)) return `“${expression}”: ${computed.problem}`
    const now = toNumber(writtenValue(computed))
    return isSame(now, value) ? null : `“${expression}” is ${now}, not ${value}`
  })
  return problems.includes(null) ? null : (problems[0] ?? null)
}

/** The same up to what a number in a file of JSON loses. */
function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
}
