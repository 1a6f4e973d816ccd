import { describe, expect, it } from 'vitest'
import { corrected, type Vocabulary } from '../../../../src/offline/language/spelling.ts'

const library = new Map([
  ['rarefaction', 3],
  ['size', 9],
  ['side', 2],
  ['which', 40],
  ['tabl', 50],
])
const vocabulary: Vocabulary = {
  frequencies: async (words) => new Map(words.map((word) => [word, library.get(word) ?? 0])),
  // The library counts by stems: "table" is counted, and "tabl" is no word.
  holds: async (word) => library.has(word) && word !== 'tabl',
}

describe('a word that the library does not know', () => {
  it.each([
    ['what is rarefacton', 'what is rarefaction'],
    ['wich sizze does it have', 'which size does it have'],
    ['what siez is it', 'what size is it'],
  ])('is put as the nearest word that stands there: "%s"', async (question, right) => {
    expect(await corrected(question, vocabulary)).toBe(right)
  })

  it.each([
    'how tall is it',
    'Who is Sizer?',
    'what is the gize',
    'is it a sizeable fraction',
    'size',
    'quelle est la sise',
  ])('stays where nothing is near, as a name, or in another language: "%s"', async (question) => {
    expect(await corrected(question, vocabulary)).toBe(question)
  })
})
