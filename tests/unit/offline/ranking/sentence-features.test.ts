import { describe, expect, it } from 'vitest'
import { readQuestion } from '../../../../src/offline/ranking/question.ts'
import { measureSentences } from '../../../../src/offline/ranking/rank-sentences.ts'
import { SENTENCE_FEATURES } from '../../../../src/offline/ranking/sentence-features.ts'

const measured = (question: string, text: string) =>
  measureSentences(readQuestion(question), [
    { id: 'a', title: 'On bridges', section: null, kind: 'text', text, score: 0.5 },
  ]).map(({ features }) => features)

describe('what a sentence is weighed by', () => {
  it('is a finite number, also for a question without words or a text without letters', () => {
    for (const features of [...measured('?', 'A bridge.'), ...measured('Which bridge?', '— … 12')]) {
      for (const name of SENTENCE_FEATURES) expect(features[name]).toSatisfy(Number.isFinite)
    }
  })

  it('includes what the sentences above have said, less the further up', () => {
    const text = 'The ferry sank. It was old. It had rust. It had no crew.'
    const [first, second, third] = measured('Was the ferry old?', text).map(({ soFar }) => soFar)
    expect(second).toBeGreaterThan(first ?? 1)
    expect(third).toBeLessThan(second ?? 0)
  })

  it('holds what its document is called, so that a title page that says it is no better', () => {
    const [other, titled] = measured('Where are bridges?', 'Ferries are slow. Bridges differ.').map(
      ({ soFar }) => soFar,
    )
    expect(other).toBe(1)
    expect(titled).toBe(1)
  })

  it('counts neighbouring words of the question for more', () => {
    const [same, turned] = measured(
      'Who paid the owner of the ferry?',
      'The city paid the owner of the ferry. The ferry of the owner paid.',
    )
    expect(same?.phrases).toBeGreaterThan(turned?.phrases ?? 1)
  })
})
