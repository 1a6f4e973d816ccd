import { describe, expect, it } from 'vitest'
import { readQuestion } from '../../../../src/offline/ranking/question.ts'
import { saysOtherwise } from '../../../../src/offline/ranking/says-otherwise.ts'
import { unitsOf } from '../../../../src/offline/ranking/sentence-unit.ts'

const unit = (text: string, title: string | null = null) => {
  const last = unitsOf({ id: 'P1', title, section: null, kind: 'text', text, score: 1 }).at(-1)
  if (!last) throw new Error('the text holds no sentence')
  return last
}
const otherwise = (question: string, text: string, title: string | null = null) =>
  saysOtherwise(unit(text, title), readQuestion(question))

describe('a sentence says something else than is asked', () => {
  it.each([
    ['the opposite', 'What is the average read latency?', 'The average write latency is 100 ms.', null],
    ['another year', 'How many leaks were repaired in 2021?', 'In 2023 we repaired 246 leaks.', null],
    ['a year that its title names', 'How many leaks were repaired in 2021?', 'We repaired 211 leaks.', 'Report 2022'],
    [
      'a row that begins with another figure',
      'How many were lost with a life of 20 ms?',
      'Life | Lost | Share\n20 ms | 153 | 51.0\n60 ms, every 20 ms | 0 | 0.0',
      null,
    ],
  ])('by %s', (_, question, text, title) => {
    expect(otherwise(question, text, title)).toBe(true)
  })

  it.each([
    ['names both opposites', 'What is the read latency?', 'Read and write latency are 10 ms.', null],
    ['names the opposite asked for too', 'Is the read faster than the write?', 'The write takes 10 ms.', null],
    ['stands below the year', 'How many leaks were repaired in 2021?', 'This is 2021. We repaired 246 leaks.', null],
    ['has the year in its title', 'How many leaks were repaired in 2022?', 'We repaired 211 leaks.', 'Report 2022'],
    ['spans the year', 'Who was the director in 2021?', 'From 2019 to 2023 the director was Jonas Berg.', null],
    ['names no year', 'Who was the director in 2021?', 'The director was Jonas Berg.', null],
    ['is asked for a period', 'How many fell between 2019 and 2021?', 'In 2020 ten fell.', null],
    [
      'begins with the figure',
      'How many were lost with a life of 60 ms?',
      'Life | Lost | Share\n20 ms | 153 | 51.0\n60 ms | 68 | 22.7',
      null,
    ],
  ])('unless it %s', (_, question, text, title) => {
    expect(otherwise(question, text, title)).toBe(false)
  })
})
