import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { confidenceOf } from '../../../src/answers/verification/confidence.ts'
import { verifyDraft } from '../../../src/answers/verification/verify-draft.ts'
import type { Evidence } from '../../../src/events/index.ts'
import { cited } from '../../fixtures/workflow.ts'
import { observation } from '../agents/observation.ts'

const page = 'The Marble corpus holds 81.1 million pages. It was released in 2021 by the Lund group. It is free.'
const found = observation({ text: page, section: 'Size' })
const evidence: readonly Evidence[] = [{ observation: found, passage: { ...found, id: 'P1' } }]
const question = 'How many pages does the Marble corpus hold?'

const size = cited('The Marble corpus holds 81.1 million pages.', 'P1', 'The Marble corpus holds 81.1 million pages.')
const paraphrase = cited('Marble has 81.1 million pages to offer.', 'P1', 'holds 81.1 million pages')
const release = cited('It was released in 2021.', 'P1', 'It was released in 2021')
const invented = cited('It holds 90 million books.', 'P1', 'holds 81.1 million pages')

async function confidence(draft: string, asked = question) {
  const verified = await verifyDraft({ draft, question: asked, evidence, pageTextOf: async () => page })
  return confidenceOf({ ...verified, question: asked, evidence })
}

describe('the confidence of an answer by a language model', { tags: ['R27'] }, () => {
  it('is high where every sentence is verified, highest in the words of its quotes', async () => {
    const exact = await confidence(`${size} ${release}`)
    expect(exact).toBeCloseTo(0.95)
    expect(await confidence(paraphrase)).toBeGreaterThanOrEqual(0.8)
    expect(await confidence(paraphrase)).toBeLessThan(exact)
  })

  it('is 0 where nothing is verified', { tags: ['R26'] }, async () => {
    expect(await confidence(invented)).toBe(0)
    expect(await confidence('<abstain/>')).toBe(0)
    expect(await confidence('')).toBe(0)
  })

  it('falls with each sentence that was dropped, and further if the first one was', async () => {
    const [whole, most, half] = await Promise.all(
      [`${size} ${release}`, `${size} ${release} ${invented}`, `${size} ${invented}`].map((draft) => confidence(draft)),
    )
    expect(whole).toBeGreaterThan(most ?? 1)
    expect(most).toBeGreaterThan(half ?? 1)
    expect(await confidence(`${invented} ${size}`)).toBeLessThan(half ?? 0)
  })

  it('is low where no cited passage holds a word of the question', async () => {
    expect(await confidence(size, 'Which colour did the painters of Venice prefer?')).toBeLessThan(0.5)
    expect(await confidence(size, 'Wie viele Seiten hat die Sammlung, und wer ist es?')).toBeGreaterThan(0.8)
  })

  it('is a probability, and grows with the share of claims that are verified', () => {
    const counts = fc.tuple(fc.nat(20), fc.nat(20), fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean())
    fc.assert(
      fc.property(counts, ([kept, lost, support, lostFirst]) => {
        const of = (verified: number, dropped: number) =>
          confidenceOf({
            support: Array.from({ length: verified }, () => support),
            dropped: Array.from({ length: dropped }, () => ({ sentence: 'It is.', reason: 'it has no quote' })),
            lostFirst,
            quotes: [],
            question: '',
            evidence: [],
          })
        expect(of(kept, lost)).toBeGreaterThanOrEqual(0)
        expect(of(kept, lost)).toBeLessThanOrEqual(0.95)
        expect(of(kept + 1, lost)).toBeGreaterThanOrEqual(of(kept, lost))
        expect(of(kept, lost + 1)).toBeLessThanOrEqual(of(kept, lost))
      }),
    )
  })
})
