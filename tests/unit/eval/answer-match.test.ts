import { describe, expect, it } from 'vitest'
import { withNotes } from '../../../src/agents/wording.ts'
import { answerItself, isAnswered } from '../../../src/eval/answer-match.ts'

const isIn = (expected: string, answer: string) => isAnswered([expected], answer)

describe('an expected answer', () => {
  it.each([
    ['81.1 million', 'It holds 81.1 million pages.[1]'],
    ['2021', 'It was released in 2021.'],
    ['2021', 'It was released in 2021[3].'],
    ['48,356', 'There were 48,356 searches.'],
    ['56%', 'It was 56%.'],
    ['Lund', "It is Lund's."],
    ['98', '一共98年'],
    ['東京', 'それは東京都です'],
    ['C++', 'It is written in C++, mostly.'],
    ['(a)', 'Both (a) and (b).'],
  ])('%s stands in “%s”', (expected, answer) => {
    expect(isIn(expected, answer)).toBe(true)
  })

  it.each([
    ['98', 'It was founded in 1980, after 198 years.'],
    ['7', 'There are 17 of them, or 7.5, or 7,500.'],
    ['7', 'There are many.[7]'],
    ['5', 'It was 7.5 in all.'],
    ['page', 'It holds pages.'],
    ['art', 'It was a part.'],
    ['quoted', 'It is so.\n\nExtractive answer: quoted from the sources, with no language model.'],
    ['/sources|low/', 'It is so.\n\nConfidence is low: please verify this against the sources.'],
    ['/\\d/', 'It is so.[1]'],
  ])('%s does not stand in “%s”', (expected, answer) => {
    expect(isIn(expected, answer)).toBe(false)
  })

  it('is looked for in what was said alone, whatever notes stand behind it', () => {
    const notes = {
      remarks: [],
      extractive: true,
      searchedByRule: true,
      failure: { message: 'down' },
      quotes: true,
      ending: { reason: 'enough', limit: 'rounds', value: 1 },
      assumed: 'the Marble corpus',
      unsure: true,
      lostFirst: true,
      namesAbsence: true,
      cut: true,
    } as const
    expect(answerItself(withNotes('It is so.\n\nAnd so.', notes))).toBe('It is so.\n\nAnd so.')
    expect(answerItself(withNotes('It is so.', { ...notes, remarks: ['written in 2021'] }))).toContain('2021')
  })
})
