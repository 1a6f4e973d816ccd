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

  it('leaves out what does not fit, and goes on with what does', () => {
    const found = [300, 600, 400, 101].map((length, at) =>
      observation({ passageId: `p${at}`, text: 'x'.repeat(length), score: 1 / (at + 1) }),
    )
    expect(packEvidence(found, { tokens: 200 }).map(({ passage }) => passage.text.length)).toEqual([300, 400])
  })

  it('hands over the beginning of a best passage that is too long, word for word where it stands', () => {
    const cut = (text: string) => packEvidence([observation({ text, start: 7 })], { tokens: 5 })[0]?.observation
    expect(cut('The filter removed 15.2 million pages.')).toMatchObject({
      text: 'The filter removed',
      start: 7,
      end: 25,
    })
    expect(cut('x'.repeat(30))).toMatchObject({ text: 'x'.repeat(20), end: 27 })
    expect(cut(`x${'😀'.repeat(20)}`)).toMatchObject({ text: `x${'😀'.repeat(9)}`, end: 26 })
  })

  it('never goes over its budget', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '😀'), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.integer({ min: 1, max: 60 }), (found, tokens) => {
        const packed = packEvidence(
          found.map((each) => observation({ text: each })),
          { tokens },
        )
        const texts = packed.map(({ passage }) => passage.text)
        expect(texts.join('').length).toBeLessThanOrEqual(tokens * 4)
        expect(texts.every((each) => each !== '' && found.some((whole) => whole.startsWith(each)))).toBe(true)
        for (const { observation } of packed) expect(observation.end - observation.start).toBe(observation.text.length)
      }),
    )
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
