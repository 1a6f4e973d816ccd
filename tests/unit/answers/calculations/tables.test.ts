import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CheckedSentence, checkCalculations } from '../../../../src/answers/calculations/check.ts'
import { withMarks } from '../../../../src/answers/calculations/notation.ts'
import { located } from './located.ts'

/** 5583 as "5,583". */
const grouped = (value: number): string => value.toLocaleString('en-US')

interface Table {
  readonly text: string
  readonly quotes: readonly string[]
}

function tableOf(unitLine: string, rows: Readonly<Record<string, readonly (number | string)[]>>): Table {
  const quotes = Object.entries(rows).map(([name, cells]) =>
    [name, ...cells.map((cell) => (typeof cell === 'number' ? grouped(cell) : cell))].join(' | '),
  )
  return { text: [unitLine, 'Year ended December 31, | 2022 | 2021', ...quotes].join('\n'), quotes }
}

function check(draft: string, ...tables: readonly Table[]): CheckedSentence {
  const { text, noted } = withMarks(draft)
  const found = tables.flatMap((table) => table.quotes.map((quote) => located(quote, table.text)))
  return checkCalculations(text, noted, found)
}

const amount = fc.integer({ min: 1000, max: 900_000 })
const twoAmounts = fc.uniqueArray(amount, { minLength: 2, maxLength: 2 }).map(([a = 1, b = 2]) => [a, b] as const)
const millions = '(in millions)'

/** Rounded half away from zero, exactly. */
function rounded(top: number, bottom: number, decimals: number): string {
  const scale = 10 ** decimals
  const whole = (2n * BigInt(Math.abs(top)) * BigInt(scale) + BigInt(bottom)) / (2n * BigInt(bottom))
  const digits = whole.toString().padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

describe('a calculation over a table', () => {
  it('verifies sums in the scale of the table, and no other result', () => {
    fc.assert(
      fc.property(twoAmounts, fc.integer({ min: 1, max: 900 }), ([a, b], off) => {
        const table = tableOf(millions, { Cash: [a, 1], Receivables: [b, 2] })
        const draft = (result: number, unit: string) =>
          `Both were <calc expr="${grouped(a)} + ${grouped(b)}">$${grouped(result)}${unit}</calc>.`
        expect(check(draft(a + b, ' million'), table)).toMatchObject({
          problem: null,
          text: `Both were $${grouped(a + b)} million.`,
          calculations: [{ expression: `${grouped(a)} + ${grouped(b)}`, value: a + b }],
        })
        expect(check(draft(a + b + off, ' million'), table).problem).toContain(`the formula gives ${grouped(a + b)}`)
        expect(check(draft(a + b, ' thousand'), table).problem).not.toBeNull()
        expect(check(draft(a + b, ''), table).problem).not.toBeNull()
      }),
      { numRuns: 60 },
    )
  })

  it('verifies growth in percent, rounded to the digits shown, with its direction', () => {
    fc.assert(
      fc.property(twoAmounts, fc.integer({ min: 1, max: 3 }), ([now, before], decimals) => {
        const table = tableOf(millions, { 'Net sales': [now, before] })
        const percent = rounded(100 * (now - before), before, decimals)
        const does = now > before ? 'rose' : 'fell'
        const opposite = now > before ? 'fell' : 'rose'
        const calc = (share: string) =>
          `<calc expr="(${grouped(now)} - ${grouped(before)}) / ${grouped(before)}">${share}</calc>`
        expect(check(`Net sales ${does} by ${calc(`${percent} %`)} in 2022.`, table).problem).toBeNull()
        expect(check(`Net sales ${does} ${calc(`${percent} percentage points`)}.`, table).problem).not.toBeNull()
        expect(check(`Net sales ${opposite} by ${calc(`${percent} %`)}.`, table).problem).toContain('the opposite')
        expect(check(`Net sales ${does} by ${calc(`${percent} %`)} from 2019 to 2020.`, table).problem).toContain(
          '2022',
        )
      }),
      { numRuns: 60 },
    )
  })

  it('verifies shares and ratios, and refuses those that are off by more than their rounding', () => {
    fc.assert(
      fc.property(twoAmounts, ([a, b]) => {
        const table = tableOf('(in thousands)', { Part: [a, 7], Whole: [b, 9] })
        const ratio = rounded(a, b, 3)
        const wrong = rounded(a * 1000 + 3 * b, b * 1000, 3)
        const draft = (result: string) =>
          `The ratio was ${result}.<calc expr="${grouped(a)} / ${grouped(b)}">${result}</calc>`
        expect(check(draft(ratio), table)).toMatchObject({ problem: null, text: `The ratio was ${ratio}.` })
        expect(check(draft(wrong), table).problem).toContain('the formula gives')
        expect(
          check(`The share was ${rounded(100 * a, b, 1)} %, as ${a} / ${b} × 100 = ${rounded(100 * a, b, 1)}.`, table)
            .problem,
        ).toBeNull()
      }),
      { numRuns: 60 },
    )
  })

  it('verifies averages, whose divisor is the number of terms', () => {
    fc.assert(
      fc.property(twoAmounts, ([a, b]) => {
        const table = tableOf('(in thousands)', { Inventories: [a, b] })
        const draft = (terms: number) =>
          `On average it was <calc expr="(${a} + ${b}) / ${terms}">${rounded(a + b, terms, 1)}</calc>.`
        expect(check(draft(2), table).problem).toBeNull()
        expect(check(draft(3), table).problem).toContain('3 stands in none of its quotes')
      }),
      { numRuns: 40 },
    )
  })

  it('refuses a figure that no quote has', () => {
    fc.assert(
      fc.property(twoAmounts, fc.integer({ min: 1, max: 99 }), ([a, b], off) => {
        const table = tableOf(millions, { Cash: [a, 1], Receivables: [b, 2] })
        fc.pre(a + off !== b)
        const draft = `Both were ${grouped(a + off)} + ${grouped(b)} = ${grouped(a + off + b)}.`
        expect(check(draft, table).problem).toContain(`${grouped(a + off)} stands in none of its quotes`)
      }),
      { numRuns: 40 },
    )
  })

  it('reckons between thousands and millions only with a conversion', () => {
    fc.assert(
      fc.property(twoAmounts, ([a, b]) => {
        // Read as the formula's own.
        fc.pre(a !== 1000 && b !== 1000)
        const large = tableOf(millions, { Equity: [a, 1] })
        const small = tableOf('(in thousands)', { Loans: [b, 2] })
        const total = `${grouped(a + Math.floor(b / 1000))}.${String(b % 1000).padStart(3, '0')}`
        const both = [large, small]
        expect(check(`Together <calc expr="${a} + ${b}">${a + b}</calc>.`, ...both).problem).toContain('thousands')
        expect(check(`Together <calc expr="${a} + ${b} / 1,000">$${total} million</calc>.`, ...both).problem).toBeNull()
        expect(
          check(`Together <calc expr="${a} million + ${b} thousand">$${total} million</calc>.`, ...both).problem,
        ).toBeNull()
      }),
      { numRuns: 40 },
    )
  })

  it('refuses to add or compare two currencies', () => {
    const dollars = tableOf('(in millions of dollars)', { Sales: [5583, 5014] })
    const euros = tableOf('(in millions of euros)', { Umsatz: [8417, 7362] })
    fc.assert(
      fc.property(fc.constantFrom('+', '-', '/', '*'), (operator) => {
        const { problem } = check(`It is <calc expr="5,583 ${operator} 8,417">1</calc>.`, dollars, euros)
        expect(problem).toMatch(/currencies|amounts of money/)
      }),
    )
    expect(check('Sales rose by <calc expr="5,583 - 5,014">€569 million</calc>.', dollars).problem).toContain('dollar')
  })

  it('gives the difference of two percentages in percentage points', () => {
    fc.assert(
      fc.property(fc.integer({ min: 51, max: 99 }), fc.integer({ min: 1, max: 50 }), (a, b) => {
        const table = tableOf('Shares', { Renewables: [`${a} %`, `${b} %`] })
        const draft = (unit: string) => `The share rose by ${a - b}${unit}.<calc expr="${a} % - ${b} %"/>`
        expect(check(draft(' percentage points'), table).problem).toBeNull()
        expect(check(draft(' %'), table).problem).toContain('percentage points')
      }),
      { numRuns: 40 },
    )
  })
})

describe('a calculation', () => {
  const balance = tableOf('(in millions)', {
    'Cash and cash equivalents': [1875, 1],
    'Accounts receivable': [689, 2],
    'Current liabilities': [3720, 3],
  })

  it('is shown with its formula, value and figures', () => {
    const draft = 'The quick ratio fell to 0.69.<calc expr="(1,875 + 689) / 3,720">0.69</calc>'
    const { text, rest, calculations } = check(draft, balance)
    expect({ text, rest: rest.trim() }).toEqual({
      text: 'The quick ratio fell to 0.69.',
      rest: 'The quick ratio fell to     .',
    })
    expect(calculations).toMatchObject([{ expression: '(1,875 + 689) / 3,720' }])
    expect(calculations[0]?.value).toBeCloseTo(0.689247, 6)
    expect(calculations[0]?.operands.map(({ value }) => value)).toEqual([1875, 689, 3720])
  })

  it.each([
    ['a division by zero', 'It is <calc expr="1,875 / (689 - 689)">1</calc>.', 'divides by zero'],
    ['another result', 'It is <calc expr="(1,875 + 689) / 3,720">0.71</calc>.', 'the formula gives 0.689, not 0.71'],
    ['an unreadable formula', 'It is <calc expr="1,875 + (689">2,564</calc>.', 'cannot be read'],
    ['a ratio as money', 'It is <calc expr="1,875 / 3,720">$0.50</calc>.', 'not an amount of money'],
    ['an amount as a percentage', 'It is <calc expr="1,875 + 689">2,564 %</calc>.', 'the formula gives'],
    ['0.69 as 1', 'It is about 1.<calc expr="(1,875 + 689) / 3,720"/>', 'the formula gives 0.689'],
    ['no result at all', 'It fell.<calc expr="(1,875 + 689) / 3,720"/>', 'which the sentence does not say'],
  ])('refuses %s', (_, draft, reason) => {
    expect(check(draft, balance).problem).toContain(reason)
  })

  it.each([
    'The quick ratio is (1,875 + 689) / 3,720 = 0.69.',
    'The quick ratio is ($1,875 million + $689 million) / $3,720 million ≈ 0.69.',
    'The quick ratio is <calc expr="(cash 1,875 + receivables 689) / liabilities 3,720">0.689</calc>.',
    'The quick ratio fell to 0.69.<cite id="P1">words</cite><calc expr="(1,875 + 689) / 3,720"/>',
    'Cash and receivables came to about <calc expr="1,875 + 689">$2.6 billion</calc>.',
    'They were 69 % of liabilities, as (1,875 + 689) / 3,720 × 100 % = 69 %.',
    'Die Quote fiel auf 0,69.<calc expr="(1.875 + 689) / 3.720">0,69</calc>',
    'Ils atteignent (1 875 + 689) / 3 720 = 0,69.',
    'The rest is <calc expr="3,720 − 1,875">$1,845 million</calc>.',
  ])('is read in %s', (draft) => {
    expect(check(draft, balance).problem).toBeNull()
    expect(check(draft, balance).calculations).toHaveLength(1)
  })
})
