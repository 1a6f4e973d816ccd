import { describe, expect, it } from 'vitest'
import { formulasIn } from '../../../../src/answers/calculations/notation.ts'

describe('formulas that a sentence spells out', () => {
  it('are those before an equals sign that a figure follows', () => {
    const { formulas } = formulasIn('It rose by 2 + 3 = 5, where x = y; then it was 10 / 4 ≈ 2.5, and so on.', [], '.')
    expect(formulas.map(({ result }) => result)).toEqual(['5', '2.5'])
  })

  it('are read up to a number of them, whatever the text', () => {
    const { formulas } = formulasIn('We saw that it is 1 + 1 = 2, as others did; '.repeat(40), [], '.')
    expect(formulas).toHaveLength(32)
  })
})
