import { describe, expect, it } from 'vitest'
import { authorNames } from '../../../../../src/library/readers/common/author-names.ts'

describe('a byline', () => {
  it.each([
    ['B. Kowalczyk and T. Amaru, Pond contributors', ['B. Kowalczyk', 'T. Amaru']],
    ['Ada Duck, Bo van der Heron, and Cy Teal', ['Ada Duck', 'Bo van der Heron', 'Cy Teal']],
    ['Ada Duck;Bo Heron', ['Ada Duck', 'Bo Heron']],
    ['Duck, Ada and Heron, Bo', ['Duck, Ada', 'Heron, Bo']],
    ['Ada Duck, University of Ponds', ['Ada Duck']],
  ])('names its persons: %s', (byline, names) => {
    expect(authorNames(byline)).toEqual(names)
  })

  it.each(['Duck, Ada', 'Simon and Schuster', 'Department of Health and Human Services', 'Pond Group', 'ada'])(
    'stays as it is if it is no list of persons: %s',
    (byline) => {
      expect(authorNames(byline)).toEqual([byline])
    },
  )
})
