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

  it('begins behind the heading above it, where short sections share a passage', () => {
    const text =
      'Household\nBoiler\nIt is serviced in May.\nTaps\nThe blue tap is in the cellar. It turns left.\nBins\nOn Monday.'
    const at = (words: string) => text.indexOf(words)
    const sections = [
      [0, 'Household > Boiler'],
      [at('Taps'), 'Household > Taps'],
      [at('Bins'), 'Household > Bins'],
    ] as const
    const units = unitsOf({ ...passage(text), section: 'Household > Taps', sections })
    const shown = units.map(({ snippet, section }) => [section, text.slice(snippet.start, snippet.end)])
    const taps = ['Household > Taps', text.slice(at('The blue'))]
    expect(shown).toEqual([
      ['Household > Boiler', text.slice(at('It is'))],
      taps,
      taps,
      ['Household > Bins', text.slice(at('On Monday'))],
    ])
  })
})
