import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidToolInput } from '../../../src/errors.ts'
import { calculate } from '../../../src/tools/calculate.ts'
import { runTool } from '../../../src/tools/tool.ts'
import { toolContext } from './tool-context.ts'

const text = [
  'Net sales by segment (in millions)',
  'Segment | 2022 | 2021',
  'Flow | 2,846 | 2,511',
  'Pressure | 1,729 | (40)',
  'Total | 4,575 | 2,471',
].join('\n')

const tool = calculate({ passageOf: async (id) => (id === 'report.1' ? { documentId: 'report', text } : null) })

async function result(args: object, documents: readonly string[] | null = null): Promise<string> {
  return (await runTool(tool, args, toolContext({ documents }))).content
}

describe('calculate', () => {
  it.each([
    ['(1,875 + 689) / 3,720', '0.689'],
    ['(5,583 - 5,014) / 5,014 * 100', '11.3'],
    ['0.1 + 0.2', '0.3'],
    ['12.5 % * 1,000', '125'],
    ['1.875,5 + 1.000,25', '2,875.75'],
    ['1,200,000 / 7', '171,428.6'],
  ])('computes %s', async (expression, value) => {
    expect(await result({ expression })).toBe(`${expression} = ${value}`)
  })

  it('adds up the column of a table, without its total, by heading or number', async () => {
    expect(await result({ passage: 'report.1', column: '2022' })).toBe('2,846 + 1,729 = 4,575')
    expect(await result({ passage: 'report.1', column: '3' })).toBe('2,511 + (-40) = 2,471')
  })

  it('says what is wrong with a call', async () => {
    const refused = (args: object, documents?: readonly string[]) => expect(result(args, documents)).rejects
    await refused({}).toThrow('give an expression')
    await refused({ expression: '1 / 0' }).toThrow('it divides by zero')
    await refused({ expression: 'require("fs")' }).toThrow('cannot be read')
    await refused({ passage: 'none', column: '2022' }).toThrow('there is no passage none')
    await refused({ passage: 'report.1', column: '2020' }).toThrow('the columns are: Segment | 2022 | 2021')
    await refused({ passage: 'report.1', column: '2022' }, ['other']).toThrow(InvalidToolInput)
  })

  it('adds up generated columns exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 10 ** 8 }), { minLength: 2, maxLength: 60 }),
        async (cents) => {
          const shown = cents.map((each) => (each / 100).toLocaleString('en-US', { minimumFractionDigits: 2 }))
          const table = ['Item | Price | Note', ...shown.map((each, at) => `Item ${at} | ${each} | ${each}`)].join('\n')
          const adding = calculate({ passageOf: async () => ({ documentId: 'a', text: table }) })
          const { content } = await runTool(adding, { passage: 'a.0', column: 'Price' }, toolContext())
          const sum = cents.reduce((total, each) => total + each, 0) / 100
          const total = Number(content.split(' = ')[1]?.replaceAll(',', ''))
          expect(Math.abs(total - sum)).toBeLessThanOrEqual(sum >= 1000 ? 0.051 : 0.01)
        },
      ),
      { numRuns: 50 },
    )
  })
})
