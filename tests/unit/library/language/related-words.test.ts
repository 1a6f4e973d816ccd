import { describe, expect, it } from 'vitest'
import { relativesOf } from '../../../../src/library/language/stem.ts'

describe('the relatives of a word', () => {
  it.each([
    ['natur', 'naturalis'],
    ['conclud', 'conclus'],
    ['german', 'germani'],
  ])('share its root: "%s" and "%s"', (word, other) => {
    expect(relativesOf([word], [other]).get(word)).toEqual([other])
    expect(relativesOf([other], [word]).get(other)).toEqual([word])
  })

  it.each([
    ['austria', 'australia'],
    ['protein', 'proteas'],
    ['store', 'storm'.repeat(2)],
    ['cat', 'cats'],
    ['12345', '123456'],
  ])('are not words that merely begin alike: "%s" and "%s"', (word, other) => {
    expect(relativesOf([word], [other]).get(word)).toEqual([])
  })

  it('do not hold the word itself', () => {
    expect(relativesOf(['natural'], ['natural']).get('natural')).toEqual([])
  })
})
