import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findQuote } from '../../../src/library/quote.ts'

const page =
  'We reach 87.2 % accuracy — “state-of-the-art” on long-form summa-\nrization. The ﬁrst test is non-significant.\n' +
  'BM25 (1995) | 0.38 | 0.46 | 0.56\nMost see 100–400 ms. It fell by −3.5 points in 2024.'

const found = (quote: string, text = page) => {
  const span = findQuote(quote, text)
  return span && text.slice(span.start, span.end)
}

describe('a quote', () => {
  it.each([
    ['white space and line ends', '87.2\u00a0%\n accuracy', '87.2 % accuracy'],
    ['quotation marks and dashes', 'accuracy - "state-of-the-art"', 'accuracy — “state-of-the-art”'],
    ['hyphens at line ends', 'long-form summarization', 'long-form summa-\nrization'],
    ['ligatures', 'the first test', 'The ﬁrst test'],
    ['soft hyphens', 'The fi\u00adrst test', 'The ﬁrst test'],
    ['the bars of a table', 'BM25 (1995) 0.38 0.46 0.56', 'BM25 (1995) | 0.38 | 0.46 | 0.56'],
    ['dashes between numbers', '100-400 ms', '100–400 ms'],
    ['the case of the first letter', 'we reach', 'We reach'],
    ['quotation marks around it', '“The first test”', 'The ﬁrst test'],
    ['a full stop that it ends with', 'We reach 87.2 % accuracy.', 'We reach 87.2 % accuracy'],
  ])('is found whatever typesetting did to %s', { tags: ['Q1'] }, (_, quote, original) => {
    expect(found(quote)).toBe(original)
  })

  it('is found whichever way its accents are composed', () => {
    expect(found('re\u0301sume\u0301 of Müller', 'A résumé of Mu\u0308ller.')).toBe('résumé of Mu\u0308ller')
  })

  it.each([
    ['a number inside a number', '7.2 % accuracy'],
    ['the end of a number', '2024. And'],
    ['a word inside a word', 'art” on'.replace('art', 'rt')],
    ['the positive of a negated word', 'significant'],
    ['part of a range', '400 ms'],
    ['a number without its sign', '3.5 points'],
    ['another digit', 'We reach 87.3 % accuracy'],
    ['another letter case inside', 'We Reach 87.2 %'],
    ['another word', 'We got 87.2 % accuracy'],
    ['a hyphen that is not there', 'accu-racy'],
    ['nothing', '  '],
    ['mere punctuation', '—'],
    ['a word of two letters', 'on'],
  ])('is not found in place of %s', { tags: ['Q1'] }, (_, quote) => {
    expect(found(quote)).toBeNull()
  })

  it('is taken from the passage where it occurs twice', () => {
    const text = 'So the result holds. Later on, the result holds.'
    expect(findQuote('the result holds', text)).toEqual({ start: 3, end: 19 })
    expect(findQuote('the result holds', text, { start: 21, end: 48 })).toEqual({ start: 31, end: 47 })
  })

  it('takes linear time on hostile text', () => {
    const short = timeOf('a -\n'.repeat(5_000))
    const long = timeOf('a -\n'.repeat(50_000))
    // Ten times the text: quadratic search would take a hundred times as long.
    expect(long).toBeLessThan(40 * Math.max(short, 5))
  })
})

function timeOf(text: string): number {
  const started = performance.now()
  findQuote(`${text.slice(0, 2_000)}end`, text)
  return performance.now() - started
}

const word = fc.stringMatching(/^[a-z]{3,9}$/)
const number = fc.integer({ min: 10, max: 99_999 }).map(String)
const words = fc.array(fc.oneof({ weight: 4, arbitrary: word }, number), { minLength: 12, maxLength: 40 })
const cut = fc.tuple(fc.nat(5), fc.integer({ min: 4, max: 6 }))

describe('a true quote', () => {
  it('is found however it is set, and equals the page at its span', () => {
    fc.assert(
      fc.property(
        words,
        cut,
        fc.array(fc.constantFrom(' ', '\n', '  ', '\u00a0', ' \n '), { minLength: 6, maxLength: 6 }),
        (list, [from, length], gaps) => {
          const text = `${list.join(' ')}.`
          const chosen = list.slice(from, from + length)
          const quote = chosen.map((each, i) => each + (i < chosen.length - 1 ? (gaps[i] ?? ' ') : '')).join('')
          expect(found(quote, text)).toBe(chosen.join(' '))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is not found once a letter or digit of it is changed', () => {
    fc.assert(
      fc.property(words, cut, fc.nat(), (list, [from, length], seed) => {
        const text = list.join(' ')
        const quote = list.slice(from, from + length).join(' ')
        const at = 1 + (seed % (quote.length - 1))
        fc.pre(/[a-z0-9]/.test(quote.charAt(at)))
        const altered = quote.slice(0, at) + (/\d/.test(quote.charAt(at)) ? 'x' : '7') + quote.slice(at + 1)
        fc.pre(!text.includes(altered))
        expect(found(altered, text)).toBeNull()
      }),
      { numRuns: 500 },
    )
  })

  it('whatever the texts, is found only where the page begins and ends a word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (quote, text) => {
        const span = findQuote(quote, text)
        if (span) expect(span.start).toBeLessThan(span.end)
      }),
      { numRuns: 2_000 },
    )
  })
})
