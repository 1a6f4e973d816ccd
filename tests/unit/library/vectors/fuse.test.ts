import { describe, expect, it } from 'vitest'
import type { RankedPassage } from '../../../../src/library/search/rank-passages.ts'
import { fuse } from '../../../../src/library/search.ts'

/** Passages by id and score, best first. */
function list(...passages: readonly (readonly [id: string, score: number])[]): readonly RankedPassage[] {
  // Nothing but the id and the score is looked at.
  return passages.map(([passageId, score]) => ({ passage: { passageId }, bm25: 0, score }) as unknown as RankedPassage)
}
const ids = (passages: readonly RankedPassage[]) => passages.map(({ passage }) => passage.passageId)

describe('two ranked lists', () => {
  it('put what both hold before what one holds, by the sum of 1 / (60 + rank)', () => {
    const words = list(['a', 0.9], ['b', 0.8], ['c', 0.7])
    const meaning = list(['d', 0.6], ['c', 0.5], ['b', 0.4])
    // b: 1/62 + 1/63, c: 1/63 + 1/62, a and d: 1/61.
    expect(ids(fuse(words, meaning))).toEqual(['b', 'c', 'a', 'd'])
    expect(ids(fuse(list(['x', 1], ['y', 1]), list(['y', 1])))).toEqual(['y', 'x'])
  })

  it('keep the better score of each passage', () => {
    const fused = fuse(list(['a', 0.2], ['b', 0.8]), list(['b', 0.3], ['a', 0.6], ['c', 0.4]))
    expect(Object.fromEntries(fused.map(({ passage, score }) => [passage.passageId, score]))).toEqual({
      a: 0.6,
      b: 0.8,
      c: 0.4,
    })
  })

  it('leave the first as it is where the second is empty', () => {
    const words = list(['a', 0.2], ['b', 0.8])
    expect(fuse(words, [])).toBe(words)
    expect(ids(fuse([], words))).toEqual(['a', 'b'])
  })
})
