import { describe, expect, it } from 'vitest'
import { answeringByRule, passage } from './answering.ts'

const { answer, read } = answeringByRule()

const text = `Table 1: Bytes stored after a number of turns, by arm.
Arm | Turn 10 | Turn 100 | Share %
stock | 338,406 | 27,616,858 | 87.0
window | 298,234 | 3,915,416 | 9.5
prune | 14,789 | 135,848 | 3.5`
const table = passage('P1', text, { kind: 'table' })
const header = '<cite id="P1">Arm | Turn 10 | Turn 100 | Share %</cite>'

describe('a question that names a row and a column', () => {
  it('is answered with their cell, row and header quoted', async () => {
    expect(await answer('How many bytes did the stock arm store after turn 100?', table)).toEqual({
      text: `Table 1 — stock: Turn 100 **27,616,858**.<cite id="P1">stock | 338,406 | 27,616,858 | 87.0</cite>${header}`,
      basis: 'cell',
      remarks: [],
    })
  })

  it('is answered with the percentage if it asks for a share', async () => {
    expect(await read('What percentage of the bytes did the window arm store?', table)).toBe(
      'Table 1 — window: Share % **9.5**.',
    )
  })

  it('is not answered with one cell where two tables have such a cell', async () => {
    const other = passage('P2', text.replaceAll('27,616,858', '11'), { kind: 'table' })
    const result = await answer('How many bytes did the stock arm store after turn 100?', table, other)
    expect(result.basis).not.toBe('cell')
  })
})

describe('a question for the row that has most or least', () => {
  it('is answered with that row, and the next', async () => {
    expect(await read('Which arm stored the fewest bytes after turn 100?', table)).toBe(
      'Table 1 — prune: Turn 100 **135,848**. Next comes window: 3,915,416.',
    )
    expect(await read('Which arm has the highest share?', table)).toBe(
      'Table 1 — stock: Share % **87.0**. Next comes window: 9.5.',
    )
  })

  it.each([
    ['the column is not certain', text, 'Which arm stored the most bytes?'],
    ['two rows are equal', text.replace('3.5', '87.0'), 'Which arm has the highest share?'],
    ['a value is missing', text.replace('3.5', 'n/a'), 'Which arm has the highest share?'],
    ['the units differ', text.replace('3.5', '3.5 pt'), 'Which arm has the highest share?'],
    ['the rows are of another kind', text, 'Which author has the highest share?'],
  ])('is not answered so where %s', async (_, rows, question) => {
    expect((await answer(question, passage('P1', rows, { kind: 'table' }))).basis).not.toBe('cell')
  })

  it('does not take a total for a row', async () => {
    const rows = `${text}\nTotal | 651,429 | 31,668,122 | 100.0`
    expect(await read('Which arm has the highest share?', passage('P1', rows, { kind: 'table' }))).toMatch(/— stock:/)
  })
})
