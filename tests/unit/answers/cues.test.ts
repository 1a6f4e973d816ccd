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
