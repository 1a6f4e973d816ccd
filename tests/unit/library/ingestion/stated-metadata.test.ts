import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStatedMetadata } from '../../../../src/library/ingestion/stated-metadata.ts'

describe('what a person states of a document', () => {
  it.each<[string, unknown, object]>([
    ['a title on one line', { title: ' On\n ponds ' }, { title: 'On ponds' }],
    ['a title that is a number', { title: 1984 }, { title: '1984' }],
    ['authors as a list', { authors: ['Ada Berg', ' Zhang, Wei '] }, { authors: ['Ada Berg', 'Zhang, Wei'] }],
    ['authors in one line', { authors: 'Zhang, Wei; Ada Berg;' }, { authors: ['Zhang, Wei', 'Ada Berg'] }],
    ['a year as a number', { year: 2021 }, { year: 2021 }],
    ['a year as text', { year: '2021' }, { year: 2021 }],
    ['empty values as nothing', { title: ' ', authors: '', year: '' }, { title: null, authors: null, year: null }],
    ['missing values as nothing', { title: null, authors: [], year: null }, { title: null, authors: null, year: null }],
    ['nothing at all', null, {}],
  ])('takes %s', (_, input, change) => {
    expect(parseStatedMetadata(input)).toEqual({ change })
  })

  it.each<[string, unknown, RegExp]>([
    ['an unknown key by its name', { titel: 'x' }, /unknown key "titel": only title, authors and year/],
    ['several unknown keys', { a: 1, b: 2 }, /unknown keys "a", "b"/],
    ['a year that is none', { year: 'soon' }, /^year: it must be a whole number/],
    ['half a year', { year: 20.5 }, /^year: it must be a whole number/],
    ['a title that is a list', { title: ['a'] }, /^title: it must be text/],
    ['authors that are no names', { authors: [{ name: 'x' }] }, /^authors: it must be a list of names/],
    ['a title without end', { title: 'x'.repeat(1001) }, /^title: it is longer than 1000 characters/],
    ['plain text', 'On ponds', /keys and values/],
    ['a list', ['title'], /keys and values/],
  ])('refuses %s', (_, input, problem) => {
    expect(parseStatedMetadata(input)).toEqual({ problem: expect.stringMatching(problem) })
  })

  it('never keeps a control character, and never throws', { tags: ['S21'] }, () => {
    fc.assert(
      fc.property(fc.anything(), fc.string({ unit: 'binary' }), (anything, text) => {
        parseStatedMetadata(anything)
        const parsed = parseStatedMetadata({ title: text, authors: text })
        expect(JSON.stringify(parsed)).not.toMatch(/\\u00[01]|\\u009/)
      }),
    )
  })
})
