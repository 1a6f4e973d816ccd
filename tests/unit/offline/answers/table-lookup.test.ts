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

describe('a superlative in the name of a column', () => {
  const rotors = passage(
    'P1',
    'Rotor | Tubes | Max. speed (rpm) | Max. force (g)\nK-24 | 24 x 2 ml | 14,500 | 21,380\n' +
      'K-12 | 12 x 5 ml | 11,000 | 12,580\nK-6 | 6 x 50 ml | 6,000 | 4,427',
    { kind: 'table' },
  )

  it.each([
    ['What is the maximum speed of the K-12 rotor?', 'K-12, 12 x 5 ml: Max. speed (rpm) **11,000**.'],
    ['What is the maximum speed of the K-6?', 'K-6, 6 x 50 ml: Max. speed (rpm) **6,000**.'],
    ['What maximum force does the K-24 rotor reach?', 'K-24, 24 x 2 ml: Max. force (g) **21,380**.'],
  ])('asks for the cell of the row that the question names: %s', async (question, said) => {
    expect(await read(question, rotors)).toBe(said)
  })

  it('asks for no row where the question names none of the table', async () => {
    const device = passage('P2', 'The Norden reaches a maximum speed of 15,000 rpm.')
    expect(await read('What is the maximum speed of the Norden?', rotors, device)).toBe(
      'The Norden reaches a maximum speed of 15,000 rpm.',
    )
  })

  it('still asks which row has most', async () => {
    expect(await read('Which rotor has the highest speed?', rotors)).toMatch(/^K-24, .*\*\*14,500\*\*/)
  })
})
