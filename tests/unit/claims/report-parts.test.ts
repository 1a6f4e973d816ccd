import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Claim, cardsIn } from '../../../src/claims/cards/claim.ts'
import { contradictionsIn, pooled } from '../../../src/claims/report/findings.ts'
import { formatOutline, parseOutline, readPlan } from '../../../src/claims/report/outline.ts'
import { paragraphsFound } from '../../../src/claims/report/section-text.ts'
import { UsageError } from '../../../src/errors.ts'
import { runResult } from '../cli/run-result.ts'

function claim(text: string, { documentId = 'a', start = 0, id = text } = {}): Claim {
  const quotes = [
    {
      documentId,
      title: null,
      source: `${documentId}.md`,
      section: null,
      page: 1,
      start,
      end: start + 9,
      text: 'The words',
    },
  ]
  return { id, text, state: 'verified', quotes, formulas: [], runId: 'r', threadId: 't', question: 'q' }
}

describe('an outline', () => {
  it('is read with what people write around it', () => {
    const text =
      '\nPlease see:\n# Filters\n\n##  Speed \n* How fast?\nnote\n1. How slow?\n## Empty\n## Cost\n- How dear?\n### deep'
    expect(parseOutline(text)).toEqual({
      title: 'Filters',
      sections: [
        { heading: 'Speed', questions: ['How fast?', 'How slow?'] },
        { heading: 'Cost', questions: ['How dear?'] },
      ],
    })
  })

  it('needs a question, and is named after its first section without a title', () => {
    expect(() => parseOutline('# Filters\n## Speed\n')).toThrow(UsageError)
    expect(() => parseOutline(`## Many\n${'- Why?\n'.repeat(21)}`)).toThrow(UsageError)
    expect(parseOutline('## Speed\n- How fast?').title).toBe('Speed')
    expect(readPlan('I cannot plan this.')).toBeNull()
    expect(readPlan(`## Many\n${'- Why?\n'.repeat(9)}`)?.sections[0]?.questions).toHaveLength(4)
  })

  it('is the same when it was written and read again', () => {
    const words = fc.stringMatching(/^[\p{L}\d?#-][^\p{C}\p{Z}]{0,9}( [^\p{C}\p{Z}]{1,9})?$/u)
    const sections = fc.array(
      fc.record({ heading: words, questions: fc.array(words, { minLength: 1, maxLength: 4 }) }),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(fc.record({ title: words, sections }), (outline) => {
        expect(parseOutline(formatOutline(outline))).toEqual(outline)
      }),
    )
  })
})

describe('what a report is written from', () => {
  it('rests on words of a page: that the documents do not say something is no finding, and contradicts nothing', () => {
    const place = { documentId: 'a', title: null, source: 'a.md', section: null, page: 1, start: 0, end: 9 }
    const citation = { ...place, marker: 1, quote: 'The words', verified: true, label: 'a' } as const
    const sentences = [
      { text: 'It says the words.', state: 'verified', markers: [1] },
      { text: 'The passages name no date.', state: 'verified', markers: [] },
      { text: 'It flew.', state: 'unsupported', markers: [1] },
    ] as const
    const said = { runId: 'r', threadId: 't', question: 'q', citations: [citation], calculations: [] }
    const answer = { ...said, sentences: sentences.map((each) => ({ ...each, markers: [...each.markers] })) }
    expect(cardsIn({ ...answer, abstained: false, clarification: null }).map(({ text }) => text)).toEqual([
      'It says the words.',
    ])
    expect(cardsIn({ ...answer, abstained: true, clarification: null })).toEqual([])
  })
})

describe('pooled claims', () => {
  it('keep one of those that have the same words, or the same figures from the same words of a page', () => {
    const [one, same, figures, place, other] = [
      claim('It holds 81.1 million pages.'),
      claim('it holds 81.1 million  pages', { id: '2' }),
      claim('The size is 81.1 million pages.', { id: '3' }),
      claim('The size was 81.1 million pages.', { id: '4', start: 50 }),
      claim('It holds 80 million pages.', { id: '5' }),
    ]
    expect(pooled([one, same, figures, place, other])).toEqual([one, place, other])
  })

  it('keep two sentences without figures over the same words', () => {
    const claims = [claim('The filter was tested.'), claim('The test was in Lund.')]
    expect(pooled(claims)).toEqual(claims)
  })
})

describe('what a digest shows', () => {
  it('has once what two of its questions have found, and counts that at the first', () => {
    const place = { documentId: 'a', title: null, source: 'a.md', section: null, page: 1, start: 0, end: 9 }
    const found = (...texts: readonly string[]) => ({
      result: runResult({
        citations: [{ ...place, marker: 1, quote: 'The words', verified: true, label: 'a' }],
        sentences: texts.map((text) => ({ text, state: 'quoted' as const, markers: [1] })),
      }),
    })
    const findings = [found('One.', 'Two.', 'Three.', 'Four.'), found('Two.', 'Four.', 'Five.'), found('One.')]
    expect(paragraphsFound(findings, true).map((each) => each.map(({ text }) => text))).toEqual([
      ['One.', 'Two.', 'Three.'],
      ['Four.', 'Five.'],
    ])
  })
})

describe('contradictions', () => {
  const claims = [claim('One'), claim('Two', { documentId: 'b' }), claim('Three')]

  it('are pairs of different documents, each once', () => {
    const reply =
      'Here:\n1 and 2: the size\n2 and 1: the size again\n1 and 3: the same document\n1 and 9: nothing\n2 and 2: itself'
    expect(contradictionsIn(reply, claims)).toEqual([{ about: 'the size', claims: [claims[0], claims[1]] }])
    expect(contradictionsIn('none', claims)).toEqual([])
  })
})
