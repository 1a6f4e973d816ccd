import { describe, expect, it } from 'vitest'
import { contentWords } from '../../../../src/library/language/terms.ts'
import { missingContext } from '../../../../src/offline/clarification/clarifying-question.ts'

const missing = (question: string, documents = 4) =>
  missingContext(question, { words: contentWords(question), documents })

describe('a vague question', () => {
  it.each([
    ['Tell me more about it', 'what the question is about'],
    ['Compare them', 'which things should be compared'],
    ['How does it compare?', 'which things should be compared'],
    ['Use the approach from the paper', 'which document is meant'],
    ['The best approach', 'for which task or topic, and by which measure'],
    ['What accuracy did they report?', 'which document is meant'],
    ['What is the size of the dataset?', 'which document is meant'],
    ['And the second one?', 'what “And the second one” refers to'],
    ['Which one is faster?', 'what “one” refers to'],
    ['How was it synthesised?', 'what “it” refers to'],
    ['And the year after?', 'what “And the year after” refers to'],
    ['Why?', 'what the question is about'],
    ['Is it safe?', 'what “it” refers to'],
    ['When does it end?', 'what “it” refers to'],
    ['Who is responsible?', 'which subject is meant'],
    ['???', 'what the question is about'],
  ])('"%s" lacks %s', { tags: ['R13'] }, (question, lacks) => {
    expect(missing(question)).toEqual([lacks])
  })

  it.each(['Who is responsible for waste?', 'Is it safe to swim?', 'Is the R-24 rotor safe?'])(
    '"%s" lacks nothing',
    { tags: ['R13'] },
    (question) => {
      expect(missing(question)).toEqual([])
    },
  )

  it('with one document at hand, "they" and "the paper" are clear, "it" alone is not', { tags: ['R13'] }, () => {
    expect(missing('What accuracy did they report?', 1)).toEqual([])
    expect(missing('Which optimizer does the paper choose?', 1)).toEqual([])
    expect(missing('Tell me more about it', 1)).not.toEqual([])
  })
})

describe('a clear question', () => {
  it.each([
    'How many papers are in S2ORC?',
    'What is the refund period and how is it calculated?',
    'What happens if a replica fails and how does it recover?',
    'Do employees keep their laptops?',
    'When do customers get their money back?',
    'Is it possible to resume a run?',
    'How long does it take to train a model on graphics cards?',
    'Which optimizer does the paper by Smith choose?',
    'How many vacation days do employees get?',
    'How does S2ORC compare?',
  ])('is not asked about: "%s"', { tags: ['R13'] }, (question) => {
    expect(missing(question)).toEqual([])
  })
})
