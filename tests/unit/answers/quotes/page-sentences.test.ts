import { describe, expect, it } from 'vitest'
import { nearestSentence } from '../../../../src/answers/quotes/page-sentences.ts'
import { evidenceOf, observation } from '../../agents/observation.ts'

const prose = 'Of the patients with arrhythmia in the magnesium group, all recovered their rhythm in six days.'
const cells = ['Group 1 (n = 64)', 'Group 2 (n = 64)', 'Arrhythmia', '18 (28.1%)', '7 (10.9%)', '0.015*']

const nearest = (claim: string, text: string) =>
  nearestSentence(claim, evidenceOf(observation({ text, start: 0 })))?.sentence.text

describe('the nearest words of a page', () => {
  it('are a block of short lines, where only these together have the figures of a sentence', () => {
    const text = [prose, ...cells, prose].join('\n')
    const claim = 'Arrhythmia was seen in 18 (28.1%) patients of group 1 and 7 (10.9%) of group 2.'
    expect(nearest(claim, text)).toBe(cells.join('\n'))
    expect(nearest('All patients with arrhythmia in the magnesium group recovered.', text)).toBe(prose)
  })

  it('are one line, where that has all of them, and no block that is as long as a page', () => {
    expect(nearest('It was 18 (28.1%).', cells.join('\n'))).toBe('18 (28.1%)')
    const long = Array.from({ length: 60 }, (_, at) => `Cell ${at} of a long list`)
    expect(nearest('Cell 3 of a long list, and cell 59 of it.', long.join('\n'))).toMatch(/^Cell \d+ of a long list$/)
  })
})
