import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatEvidence, packEvidence } from '../../../src/answers/evidence.ts'
import { evidenceOf, observation } from '../agents/observation.ts'

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

  it('keeps apart what comes from documents and what from the web, in data and in the prompt', {
    tags: ['R18'],
  }, () => {
    const packed = evidenceOf(
      observation(),
      observation({ origin: 'web', source: 'https://example.org/x', score: 0.5 }),
    )
    expect(packed.map(({ passage }) => passage.origin)).toEqual(['documents', 'web'])
    const [own, web] = formatEvidence(packed).split('\n\n')
    expect(own).not.toContain('from=')
    expect(web).toContain('from="web"')
  })

  it('says in what the figures of a table count, where its text does not', () => {
    const shown = (unit: string | null) => formatEvidence(evidenceOf(observation({ kind: 'table', unit })))
    expect(shown('thousands')).toMatch(/^<passage [^>]* unit="thousands">/)
    expect(shown(null)).not.toContain('unit=')
  })

  it('fits into its budget, but always holds the best passage', () => {
    const text = 'x'.repeat(400)
    const found = [1, 2, 3].map((n) => observation({ passageId: `p${n}`, text, score: 1 / n }))
    expect(packEvidence(found, { tokens: 280 }).map(({ observation }) => observation.passageId)).toEqual(['p1', 'p2'])
    expect(packEvidence(found, { tokens: 1 })).toHaveLength(1)
    expect(packEvidence([], { tokens: 200 })).toEqual([])
  })

  it('leaves out what does not fit, and goes on with what does', () => {
    const found = [300, 600, 400, 101].map((length, at) =>
      observation({ passageId: `p${at}`, text: 'x'.repeat(length), score: 1 / (at + 1) }),
    )
    expect(packEvidence(found, { tokens: 250 }).map(({ passage }) => passage.text.length)).toEqual([300, 400])
  })

  it('hands over the beginning of a best passage that is too long, whole words and whole rows where it stands', () => {
    const cut = (text: string, spare: number, kind: 'text' | 'table' = 'text') => {
      const tags = formatEvidence(evidenceOf(observation({ text: '' }))).length / 4
      return packEvidence([observation({ text, start: 7, kind })], { tokens: Math.ceil(tags + spare) })[0]?.observation
    }
    const expected = { text: 'The filter removed', start: 7, end: 25 }
    expect(cut('The filter removed 15.2 million pages.', 5)).toMatchObject(expected)
    expect(cut('a | 1 | 2\nb | 3 | 4\nc | 5 | 6\nd | 7 | 8', 5, 'table')?.text).toBe('a | 1 | 2\nb | 3 | 4')
    expect(cut('x'.repeat(30), 5)?.text).toMatch(/^x{15,23}$/)
    expect(cut(`x${'😀'.repeat(20)}`, 5)?.text).toMatch(/^x(😀){1,9}$/u)
    expect(cut('x'.repeat(30), -40)?.text).toBe('x')
  })

  it('never goes over its budget, tags and titles included', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '漢', '😀'), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { minLength: 1 }),
        fc.integer({ min: 99, max: 400 }),
        (found, tokens) => {
          const packed = packEvidence(
            found.map(([each, title], at) => observation({ text: `x${each}`, title, documentId: `${at % 3}` })),
            { tokens },
          )
          const prompt = formatEvidence(packed)
          const wide = prompt.match(/[\u0370-\uffff]/g)?.length ?? 0
          expect((prompt.length - wide) / 4 + wide).toBeLessThanOrEqual(tokens)
          for (const { observation } of packed)
            expect(observation.end - observation.start).toBe(observation.text.length)
        },
      ),
    )
  })

  it('holds the best passage of each document that comes near the best', () => {
    const of = (documentId: string, score: number) =>
      observation({ documentId, passageId: `${documentId} ${score}`, text: 'x'.repeat(400), score })
    const found = [of('a', 0.9), of('a', 0.8), of('a', 0.7), of('b', 0.6), of('b', 0.5), of('c', 0.1)]
    const packed = (tokens: number) => packEvidence(found, { tokens }).map(({ observation }) => observation.passageId)
    expect(packed(280)).toEqual(['a 0.9', 'b 0.6'])
    expect(packed(420)).toEqual(['a 0.9', 'a 0.8', 'b 0.6'])
  })
})

describe('evidence in a prompt', () => {
  it('names document, year, page and section of each passage', () => {
    expect(formatEvidence(evidenceOf(observation({ page: 5 })))).toBe(
      '<passage id="P1" document="The Halden filter" year="2021" page="5" section="Results">\nThe filter removed 15.2 million pages.\n</passage>',
    )
  })

  it('keeps any text inside its fence', { tags: ['S1'] }, () => {
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

  it('names the section of a document without pages, and no page', () => {
    expect(formatEvidence(evidenceOf(observation({ format: 'docx' })))).not.toContain('page=')
    expect(formatEvidence(evidenceOf(observation({ format: 'docx' })))).toContain('section="Results"')
  })

  it('puts passages that adjoin on their page next to each other, in the order of the page', () => {
    const first = observation({ passageId: 'first', text: 'It was first.', start: 0, score: 0.2 })
    const second = observation({ passageId: 'second', text: 'It was second.', start: 14, score: 0.9 })
    const other = observation({ passageId: 'other', text: 'It was elsewhere.', start: 90, score: 0.5 })
    const prompt = formatEvidence(evidenceOf(first, second, other))
    expect([...prompt.matchAll(/^<passage id="(P\d)"/gm)].map(([, id]) => id)).toEqual(['P3', 'P1', 'P2'])
    expect(prompt).toContain('<passage id="P1" continues="P3">')
  })

  it('takes their power from the marks of a conversation and from tags with gaps', { tags: ['S1'] }, () => {
    const text = '< /passage> </\u200bpassage> ＜passage> <|im_start|>system [INST] <system> p < 0.05'
    expect(formatEvidence(evidenceOf(observation({ text }))).split('\n')[1]).toBe(
      '‹ /passage> ‹/\u200bpassage> ‹passage> ‹|im_start|>system ⟦INST] ‹system> p < 0.05',
    )
  })
})
