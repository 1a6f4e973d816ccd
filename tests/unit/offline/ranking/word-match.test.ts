import { describe, expect, it } from 'vitest'
import { stem } from '../../../../src/library/language/stem.ts'
import { synonymsOf } from '../../../../src/library/language/synonyms.ts'
import { stems } from '../../../../src/library/language/terms.ts'
import { matchWords } from '../../../../src/offline/ranking/sentence-features.ts'

const held = (word: string, text: string) => {
  const present = new Set(stems(text))
  return matchWords([stem(word)], present)(stem(word), present)
}

describe('a word of a question', () => {
  it('is held whole by a text that says it in any regular form', () => {
    expect(held('bridges', 'One bridge was closed.')).toBe(1)
  })

  it.each([
    ['salary', 'Its staff are paid a monthly wage.'],
    ['terminate', 'Either party may cancel the contract.'],
    ['write', 'She wrote it in a year.'],
    ['analysis', 'Both analyses agree.'],
    ['france', 'The French king signed.'],
    ['nature', 'It was naturalised.'],
  ])('"%s" is held in part by "%s"', (word, text) => {
    expect(held(word, text)).toBeGreaterThan(0)
    expect(held(word, text)).toBeLessThan(1)
  })

  it('is not held by what merely begins alike, or by the synonym of a synonym', () => {
    expect(held('Austria', 'Australia is far away.')).toBe(0)
    // "charge" stands for "fee" and for "accuse", which have nothing in common.
    expect(held('accuse', 'The fee is due in March.')).toBe(0)
  })
})

describe('synonyms', () => {
  it('hold in both directions, and none is its own', () => {
    for (const word of ['employee', 'write', 'begin', 'two'].map(stem)) {
      expect(synonymsOf(word)).not.toContain(word)
      expect(synonymsOf(word).length).toBeGreaterThan(0)
      for (const other of synonymsOf(word)) expect(synonymsOf(other)).toContain(word)
    }
  })
})

describe('a compound', () => {
  it.each([
    ['ausflug', 'betriebsausflug'],
    ['betriebsausflug', 'betrieb'],
  ])('counts for a part of it, and the part for it: %s, %s', (asked, held) => {
    expect(matchWords([asked], new Set([held]))(asked, new Set([held]))).toBeGreaterThan(0)
  })
})
