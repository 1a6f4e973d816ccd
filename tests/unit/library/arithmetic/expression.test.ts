import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../../src/library/arithmetic/evaluate.ts'
import { parseExpression } from '../../../../src/library/arithmetic/expression.ts'
import { figuresIn } from '../../../../src/library/arithmetic/figure.ts'
import { tenTo, times, toDecimals, toNumber } from '../../../../src/library/arithmetic/fraction.ts'
import { decimalMarkOf } from '../../../../src/library/arithmetic/numeral.ts'
import { isProblem } from '../../../../src/library/arithmetic/quantity.ts'

function computed(text: string, mark: '.' | ',' = '.'): string {
  const expression = parseExpression(text, mark)
  if (expression === null) return 'unreadable'
  const result = evaluate(expression, ({ value, unit, scale }) => {
    const power = unit === 'percent' ? -2 : (scale ?? 0)
    return {
      value: times(value, tenTo(power)),
      scale: power,
      isSpelled: true,
      kind: unit === 'percent' ? 'share' : 'amount',
    }
  })
  return isProblem(result) ? result.problem : toDecimals(result.value, 4)
}

describe('a formula', () => {
  it.each([
    ['2 + 3 * 4', '14.0000'],
    ['(2 + 3) · 4', '20.0000'],
    ['10 − 4 − 3', '3.0000'],
    ['12 / 4 / 3', '1.0000'],
    ['-2 + 5', '3.0000'],
    ['2 × -3', '-6.0000'],
    ['3 x 4', '12.0000'],
    ['1,875,000 / 1,000', '1875.0000'],
    ['0.1 + 0.2', '0.3000'],
    ['50 % * 30', '15.0000'],
    ['1 million + 500 thousand', '1500000.0000'],
    ['1 / 0', 'it divides by zero'],
    ['51 % + 3', 'it mixes percentages and amounts'],
    ['2 + ', 'unreadable'],
    ['2 3', 'unreadable'],
    ['process.exit()', 'unreadable'],
    ['1.2.3 + 1', 'unreadable'],
  ])('%s is %s', (text, value) => {
    expect(computed(text)).toBe(value)
  })

  it('is computed without the faults of binary numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { minLength: 1, maxLength: 12 }), (cents) => {
        const text = cents.map((each) => (each / 100).toFixed(2)).join(' + ')
        const sum = cents.reduce((total, each) => total + BigInt(each), 0n)
        expect(computed(text)).toBe(`${sum / 100n}.${String(sum % 100n).padStart(2, '0')}00`)
      }),
    )
  })

  it('never fails on any text', () => {
    const piece = fc.constantFrom('1', '2.5', '(', ')', '+', '-', '*', '/', '^', '%', '1,000', ' ', 'million', '$')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(typeof computed(pieces.join(''))).toBe('string')
      }),
      { numRuns: 300 },
    )
  })
})

describe('the figures of a text', () => {
  it.each([
    ['29.239 Mitarbeiter', ',', 29239],
    ['603,5 Mio. Euro', ',', 603.5],
    ['1 875', '.', 1],
    ["1'875", '.', 1875],
    ['5,583', '.', 5583],
  ] as const)('reads %s with the decimal mark %s as %d', (text, mark, value) => {
    expect(toNumber(figuresIn(text, mark)[0]?.value ?? tenTo(9))).toBe(value)
  })

  it.each([
    ['$412 million', 6, 'money'],
    ['8.417 Millionen Euro', 6, 'money'],
    ['603,5 Mio. €', 6, 'money'],
    ['12 mil millones de euros', 9, null],
    ['1,2 milliard d’euros', 9, null],
    ['51 %', null, 'percent'],
    ['5 Prozentpunkte', null, 'point'],
    ['2.6 percentage points', null, 'point'],
    ['€5m', 6, 'money'],
    ['5 m', null, 'measure'],
  ] as const)('reads scale and unit of %s', (text, scale, unit) => {
    expect(figuresIn(text, text.includes(',') || text.includes('8.') ? ',' : '.')).toMatchObject([{ scale, unit }])
  })

  it('tells the decimal mark by numbers that can be read in one way only', () => {
    expect(decimalMarkOf('8.417 and 603,5')).toBe(',')
    expect(decimalMarkOf('1,234.5')).toBe('.')
    expect(decimalMarkOf('1.234.567')).toBe(',')
    expect(decimalMarkOf('5,583 in 2022.')).toBeNull()
  })
})
