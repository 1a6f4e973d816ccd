import { describe, expect, it } from 'vitest'
import { citationLabel } from '../../../src/agents/citation-label.ts'
import { observation } from './observation.ts'

const one = ['Wei Zhang']

describe('the label of a citation', () => {
  it.each([
    ['et al. for three authors or more', observation(), 'Zhang et al., 2021, p. 1'],
    ['two names', observation({ authors: ['Zhang, Wei', 'Ada van Berg'] }), 'Zhang and Berg, 2021, p. 1'],
    ['one name, and no year where none is known', observation({ authors: one, year: null }), 'Zhang, p. 1'],
    ['the title without authors', observation({ authors: [] }), 'The Halden filter, 2021, p. 1'],
    ['the file name without a title', observation({ authors: [], title: null, page: 5 }), 'halden.pdf, 2021, p. 5'],
    [
      'the table that it quotes',
      observation({ authors: one, kind: 'table', section: 'Table 2: Accuracy', page: 5 }),
      'Zhang, 2021, Table 2, p. 5',
    ],
    [
      'the table by its own first words',
      observation({ authors: one, kind: 'table', section: null, text: 'Tab. 3 Sizes | 1' }),
      'Zhang, 2021, Tab. 3, p. 1',
    ],
    [
      'the host of a web page instead of a page number',
      observation({ authors: [], title: 'Filters', origin: 'web', source: 'https://example.org/a/b', year: null }),
      'Filters, example.org',
    ],
  ])('gives %s', (_, of, label) => {
    expect(citationLabel(of)).toBe(label)
  })

  it('shortens a long title', () => {
    const label = citationLabel(observation({ authors: [], title: 'word '.repeat(30), year: null }))
    expect(label).toMatch(/^(word )+word…, p\. 1$/)
    expect(label.length).toBeLessThan(70)
  })
})
