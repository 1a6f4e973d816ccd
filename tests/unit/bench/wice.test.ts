import { describe, expect, it } from 'vitest'
import { passagesOf } from '../../../bench/wice/page.ts'
import { scoreOf } from '../../../bench/wice/score.ts'

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value)

describe('the score of a reader', () => {
  it('is the harmonic mean of precision and recall, for each answer', () => {
    const claims = [
      ...times(3, { supported: true, said: true }),
      ...times(1, { supported: true, said: false }),
      ...times(2, { supported: false, said: true }),
      ...times(4, { supported: false, said: false }),
    ]
    const { accuracy, f1Supported, f1Not } = scoreOf(claims)
    // Precision 3/5 and recall 3/4 of the supported; 4/5 and 4/6 of the others.
    expect([accuracy, f1Supported, f1Not].map((each) => each.toFixed(4))).toEqual(['0.7000', '0.6667', '0.7273'])
  })

  it('counts a claim without a verdict as wrong, and as said to be neither', () => {
    const { accuracy, f1Supported } = scoreOf([
      { supported: true, said: true },
      { supported: true, said: null },
    ])
    expect(accuracy).toBe(0.5)
    expect(f1Supported).toBeCloseTo(2 / 3)
  })
})

it('the sentences of a page stand in passages, each once and in their order', () => {
  const sentences = [...times(3, 'x'.repeat(400)), 'short', 'y'.repeat(2000), 'last']
  const passages = passagesOf('page', sentences)
  expect(passages.map(({ places }) => places)).toEqual([[0, 1], [2, 3], [4], [5]])
  expect(passages.flatMap(({ evidence }) => evidence.passage.text.split('\n'))).toEqual(sentences)
  expect(passages.map(({ evidence }) => evidence.passage.id)).toEqual(['P1', 'P2', 'P3', 'P4'])
})
