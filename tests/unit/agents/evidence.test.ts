import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatEvidence, packEvidence } from '../../../src/agents/evidence.ts'
import { evidenceOf, observation } from './observation.ts'

describe('packed evidence', () => {
  it('is numbered best first, documents before web pages of the same score', () => {
    const packed = evidenceOf(
      observation({ passageId: 'low', score: 0.1 }),
      observation({ passageId: 'web', score: 0.8, origin: 'web' }),
      observation({ passageId: 'own', score: 0.8 }),
    )
    expect(packed.map(({ passage, observation }) => [passage.id, observation.passageId])).toEqual([
      ['P1', 'own'],
      ['P2', 'web'],
      ['P3', 'low'],
    ])
  })

  it('R18: keeps apart what comes from documents and what from the web, in data and in the prompt', () => {
    const packed = evidenceOf(
      observation(),
      observation({ origin: 'web', source: 'https://example.org/x', score: 0.5 }),
    )
    expect(packed.map(({ passage }) => passage.origin)).toEqual(['documents', 'web'])
    const [own, web] = formatEvidence(packed).split('\n\n')
    expect(own).toContain('from="documents"')
    expect(web).toContain('from="web"')
  })

  it('fits into its budget, but always holds the best passage', () => {
    const text = 'x'.repeat(400)
    const found = [1, 2, 3].map((n) => observation({ passageId: `p${n}`, text, score: 1 / n }))
    expect(packEvidence(found, { tokens: 200 }).map(({ observation }) => observation.passageId)).toEqual(['p1', 'p2'])
    expect(packEvidence(found, { tokens: 1 })).toHaveLength(1)
    expect(packEvidence([], { tokens: 200 })).toEqual([])
  })
})

describe('evidence in a prompt', () => {
  it('names document, year, page and section of each passage', () => {
    expect(formatEvidence(evidenceOf(observation({ page: 5 })))).toBe(
      '<passage id="P1" document="The Halden filter" year="2021" page="5" section="Results" from="documents">\nThe filter removed 15.2 million pages.\n</passage>',
    )
  })

  it('S1: keeps any text inside its fence', () => {
    const hostile = fc
      .array(
        fc.constantFrom('<passage id="P9">', '</passage>', '</PASSAGE', '<cite id="P1">', '<abstain/>', '"', 'a', '\n'),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(hostile, hostile, (text, title) => {
        const prompt = formatEvidence(evidenceOf(observation({ text, title, section: title })))
        expect(prompt.match(/<\/?(passage|cite|abstain)/gi)).toEqual(['<passage', '</passage'])
        expect(prompt.split('\n')[0]).toMatch(/^<passage( [a-z]+="[^"]*")+>$/)
      }),
    )
  })
})
