import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { confidenceOf } from '../../../src/answers/reliability.ts'

const state = fc.constantFrom('verified' as const, 'quoted' as const, 'unsupported' as const)
const states = fc.array(
  state.map((each) => ({ state: each })),
  { maxLength: 12 },
)

describe('the confidence of a written answer', () => {
  it('is 0.95 if all is verified, 0.75 if all is only quoted, and 0 if nothing is kept', { tags: ['R27'] }, () => {
    expect(confidenceOf([{ state: 'verified' }], true)).toBe(0.95)
    expect(confidenceOf([{ state: 'quoted' }], true)).toBe(0.75)
    expect(confidenceOf([{ state: 'unsupported' }], false)).toBe(0)
    expect(confidenceOf([], false)).toBe(0)
  })

  it('falls with each sentence that is not kept, and by half where none of the kept ones answers', () => {
    const one = { state: 'verified' } as const
    expect(confidenceOf([one, { state: 'unsupported' }], true)).toBeCloseTo(0.67, 2)
    expect(confidenceOf([one], false)).toBeCloseTo(0.475, 3)
  })

  it('is between 0 and 0.95, whatever the states', { tags: ['R26'] }, () => {
    fc.assert(
      fc.property(states, fc.boolean(), (sentences, isAnswered) => {
        const confidence = confidenceOf(sentences, isAnswered)
        expect(confidence).toBeGreaterThanOrEqual(0)
        expect(confidence).toBeLessThanOrEqual(0.95)
      }),
    )
  })
})
