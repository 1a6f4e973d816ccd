import { describe, expect, it } from 'vitest'
import { contradiction } from '../../../src/answers/checks/negation.ts'

const verdict = (behind: string) => contradiction('The ferry does not sail.', [`The ferry will sail ${behind}.`], [])

describe('a denial of what a quote states', () => {
  it.each(['daily', 'from Vik', 'in unity', 'with a miss', 'for the index'])('is a contradiction: "%s"', (behind) => {
    expect(verdict(behind)).toBe('it says "not" where its quotes do not')
  })

  it.each([
    ['a word', 'only'],
    ['a word', 'still'],
    ['a form of a word', 'loses'],
    ['a beginning', 'excluding winter'],
    ['a beginning', 'weakly'],
    ['a beginning that may be the word', 'and fail'],
    ['a beginning of five letters', 'insufficiently'],
    ['"un" and four letters', 'unladen'],
    ['"dis" and four letters', 'dismantled'],
    ['"non" and a hyphen', 'non-stop'],
    ['two words', 'short of crew'],
    ['two words', 'no longer'],
    ['two words', 'leaving out Vik'],
  ])('is none where the quote may deny it by %s: "%s"', (_, behind) => {
    expect(verdict(behind)).toBeNull()
  })
})

describe('a "no" that answers the question', () => {
  it('may rest on words of the quote that the sentence repeats', () => {
    const quotes = ['far from being identical, they are opposites']
    expect(contradiction('No, far from being identical, they are opposites.', quotes, quotes)).toBeNull()
    expect(contradiction('No, they are opposites.', ['they are opposites'], ['They are opposites.'])).not.toBeNull()
  })
})

describe('a "not" that a sentence has lost', () => {
  it('stands at the same word, not at a synonym of it', () => {
    const quotes = ['The shares are not exclusive and do not sum to 100 %.\nTotal | 81']
    expect(contradiction('The total is 81.', quotes, [])).toBeNull()
    expect(contradiction('The shares sum to 81.', quotes, [])).toBe('its quotes say "not" where it does not')
  })
})
