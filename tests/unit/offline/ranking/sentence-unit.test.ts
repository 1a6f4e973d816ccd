import { describe, expect, it } from 'vitest'
import { unitsOf } from '../../../../src/offline/ranking/sentence-unit.ts'

const passage = (text: string) => ({ id: 'a', title: null, section: null, kind: 'text', text, score: 1 }) as const
const shownOf = (text: string, line: string) => {
  const unit = unitsOf(passage(text)).find((each) => each.text === line)
  return text.slice(unit?.snippet.start, unit?.snippet.end)
}

describe('what is shown of a line', () => {
  it('is the line with its neighbours, also where they are no sentences', () => {
    const form = 'Savings\n6,300\nAllowance\n72.65'
    expect(shownOf(form, 'Savings')).toBe(form)
  })

  it('goes on before it goes back, up to 700 characters', () => {
    const [before, line, after] = [`B${'b'.repeat(400)}.`, 'It is a number.', `A${'a'.repeat(400)}.`]
    expect(shownOf(`${before} ${line} ${after}`, line)).toBe(`${line} ${after}`)
  })
})
