import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../../src/library/language/stem.ts'
import { contentWords, MAX_TERMS, queryTerms, stems, tokens } from '../../../../src/library/language/terms.ts'

describe('tokens', () => {
  it('are runs of letters and digits, folded, with their place in the text', () => {
    const text = 'Ünïted “S2ORC” ﬁnds 3.5 %'
    expect(tokens(text).map(({ word }) => word)).toEqual(['united', 's2orc', 'finds', '3', '5'])
    expect(tokens(text).map(({ start, end }) => text.slice(start, end))).toEqual(['Ünïted', 'S2ORC', 'ﬁnds', '3', '5'])
  })

  it.each([
    ['the 10-K of J&J', ['the', '10-k', 'of', 'j&j']],
    ['3M in Q1 2026: AT&T’s R&D, the S&P 500', ['3m', 'in', 'q1', '2026', 'at&t', 's', 'r&d', 'the', 's&p', '500']],
    ['well-known e-mail, 1-2 and U-2-B', ['well', 'known', 'e', 'mail', '1', '2', 'and', 'u', '2', 'b']],
    ['le 10-É à Zürich', ['le', '10-e', 'a', 'zurich']],
  ])('are short names with a letter of their own: %s', (text, words) => {
    expect(tokens(text).map(({ word }) => word)).toEqual(words)
    expect(stems(text)).toEqual(words.map(stem))
  })

  it('cover every letter and digit of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const found = tokens(text)
        const letters = [...text.matchAll(/[\p{L}\p{N}]/gu)]
        expect(letters.every((each) => found.some(({ start, end }) => start <= each.index && each.index < end))).toBe(
          true,
        )
      }),
    )
  })
})

describe('the terms of a query', () => {
  it('leave out stop words and the verbs of asking, and keep repeats', () => {
    expect(queryTerms('Tell me: what is the price of the price list?')).toEqual(['price', 'price'])
    expect(contentWords('How many of the papers describe it?')).toEqual(['papers'])
    expect(contentWords('What was the rent in May?')).toEqual(['rent', 'may'])
    expect(contentWords('May they sublet the rooms they may rent?')).toEqual(['sublet', 'rooms', 'rent'])
  })

  it('hold a word of letters and digits in its parts as well', () => {
    expect(queryTerms('revenue FY2018')).toEqual(['revenue', 'fy2018', 'fy', '2018'])
  })

  it('are the stop words themselves where there is nothing else', () => {
    expect(queryTerms('To be, or not to be')).toEqual(['to', 'be', 'or', 'not', 'to', 'be'])
  })

  it('are at most 64', () => {
    expect(queryTerms('benzene '.repeat(200))).toHaveLength(MAX_TERMS)
  })
})

describe('the stemmer', () => {
  it('agrees with the examples of its paper', () => {
    const examples = {
      caresses: 'caress',
      ponies: 'poni',
      agreed: 'agre',
      plastered: 'plaster',
      motoring: 'motor',
      conflated: 'conflat',
      hopping: 'hop',
      falling: 'fall',
      filing: 'file',
      happy: 'happi',
      sky: 'sky',
      relational: 'relat',
      digitizer: 'digit',
      hopefulness: 'hope',
      triplicate: 'triplic',
      electrical: 'electr',
      adoption: 'adopt',
      effective: 'effect',
      probate: 'probat',
      rate: 'rate',
      controll: 'control',
      roll: 'roll',
    }
    expect(Object.fromEntries(Object.keys(examples).map((word) => [word, stem(word)]))).toEqual(examples)
  })

  it('leaves numbers and words in other letters alone', () => {
    expect(['2018', 's2orc', 'быстрый', 'é'].map(stem)).toEqual(['2018', 's2orc', 'быстрый', 'é'])
  })
})
