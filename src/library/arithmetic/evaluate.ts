import type { Expression, Operation } from './expression.ts'
import type { Figure } from './figure.ts'
import { equal, fraction, isWhole, one, tenTo, times } from './fraction.ts'
import { difference, power, product, quotient, sum } from './operations.ts'
import { type Computed, constant, isProblem, negative, powerOfTen, type Quantity } from './quantity.ts'

/** What a figure of a formula stands for; null if nothing says so. */
export type OperandOf = (figure: Figure, mayBeConstant: boolean) => Quantity | null

/**
 * Computes a formula exactly. A figure that stands for nothing may still be a number of the formula's own: a factor of
 * 100, 1,000 …, the 1 of "a / b - 1", the number of terms of an average, an exponent.
 */
export function evaluate(expression: Expression, operandOf: OperandOf): Computed {
  return evaluateAs(expression, 'term', operandOf)
}

/** Where a figure stands; a number as a divisor of so many terms. */
type Place = 'term' | 'factor' | 'exponent' | number

function evaluateAs(expression: Expression, place: Place, operandOf: OperandOf): Computed {
  if (expression.kind === 'figure') return operand(expression.figure, place, operandOf)
  if (expression.kind === 'negative') {
    const of = evaluateAs(expression.of, place, operandOf)
    return isProblem(of) ? of : negative(of)
  }
  const [first, second] = placesIn(expression, place)
  const left = evaluateAs(expression.left, first, operandOf)
  if (isProblem(left)) return left
  const right = evaluateAs(expression.right, second, operandOf)
  return isProblem(right) ? right : OPERATIONS[expression.operator](left, right)
}

const OPERATIONS: Readonly<Record<Operation['operator'], (a: Quantity, b: Quantity) => Computed>> = {
  '+': sum,
  '-': difference,
  '*': product,
  '/': quotient,
  '^': power,
}

function placesIn({ operator, left }: Operation, place: Place): readonly [Place, Place] {
  if (place === 'exponent') return [place, place]
  if (operator === '+' || operator === '-') return ['term', 'term']
  if (operator === '^') return ['term', 'exponent']
  return ['factor', operator === '/' ? termsIn(left) : 'factor']
}

function termsIn(expression: Expression): number {
  if (expression.kind !== 'operation' || (expression.operator !== '+' && expression.operator !== '-')) return 1
  return termsIn(expression.left) + termsIn(expression.right)
}

function operand(figure: Figure, place: Place, operandOf: OperandOf): Computed {
  const mayBeConstant = isOwn(figure, place)
  const known = operandOf(figure, mayBeConstant)
  if (known !== null) return known
  return mayBeConstant
    ? constant(figure.unit === 'percent' ? times(figure.value, tenTo(-2)) : figure.value)
    : { problem: `${figure.written} stands in no passage` }
}

/** The figure may be a number of the formula's own here. */
function isOwn({ value, unit, scale }: Figure, place: Place): boolean {
  if (unit === 'percent') return place === 'factor' && equal(value, tenTo(2))
  if (unit !== null || scale !== null) return false
  if (place === 'exponent') return isWhole(value)
  if (place === 'term') return equal(value, one)
  return powerOfTen(value) !== null || (typeof place === 'number' && place > 1 && equal(value, fraction(BigInt(place))))
}
