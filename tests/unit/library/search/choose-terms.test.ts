import { describe, expect, it } from 'vitest'
import { chooseTerms } from '../../../../src/library/search/rank-passages.ts'

const of = new Map([
  ['study', 40_000],
  ['virus', 9_000],
  ['host', 2_500],
  ['origin', 90],
  ['viroid', 5],
  ['ribozyme', 3],
])

describe('the terms that the index is asked for', () => {
  it('are the rarest, as far as their occurrences sum up to ten thousand', () => {
    const chosen = chooseTerms(['study', 'virus', 'host', 'ribozyme', 'origin', 'viroid'], { passages: 100_000, of })
    expect(chosen).toEqual(['ribozyme', 'viroid', 'origin', 'host'])
  })

  it('may occur more often in a larger library', () => {
    const chosen = chooseTerms(['study', 'virus', 'host', 'origin'], { passages: 500_000, of })
    expect(chosen).toEqual(['origin', 'host', 'virus'])
  })

  it('are two at least, however common', () => {
    expect(chooseTerms(['study', 'virus'], { passages: 100_000, of })).toEqual(['virus', 'study'])
  })

  it('are named once, and leave out what stands nowhere', () => {
    expect(chooseTerms(['viroid', 'zebra', 'viroid'], { passages: 100_000, of })).toEqual(['viroid'])
    expect(chooseTerms(['zebra'], { passages: 100_000, of })).toEqual([])
  })
})
