import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerSpan } from '../../../../src/offline/ranking/answer-span.ts'
import { readQuestion } from '../../../../src/offline/ranking/question.ts'

/** The words that answer, as they stand in the sentence; null if it is not plain which ones do. */
function spanIn(question: string, sentence: string): string | null {
  const span = answerSpan(readQuestion(question), sentence)
  return span && sentence.slice(span.start, span.end)
}

describe('the words that answer a question for a time', () => {
  it.each([
    ['When was the mill built?', 'The mill was built in April 1891 and burnt down.', 'April 1891'],
    ['When was the mill built?', 'The mill was built in the summer of 1891.', 'the summer of 1891'],
    ['How long did the mill run?', 'The mill was running from 1891 to 1939.', 'from 1891 to 1939'],
    ['How long does a run take?', 'A run takes 20 to 30 minutes [4].', '20 to 30 minutes'],
    ['In what year was the mill sold?', 'On 3 May 1911 the mill was sold.', '1911'],
    ['How old was the miller?', 'The miller retired at age 71.', '71'],
    ['When do symptoms peak?', 'Symptoms peak about 10 days after the onset.', '10 days after'],
  ])('%s', (question, sentence, words) => {
    expect(spanIn(question, sentence)).toBe(words)
  })

  it('are those that stand nearest to what is asked', () => {
    const sentence = 'The mill was sold in 1911, long after it was built in 1891.'
    expect(spanIn('When was the mill sold?', sentence)).toBe('1911')
    expect(spanIn('When was the mill built?', sentence)).toBe('1891')
  })

  it('are none where two stand equally near, or the question says the only one', () => {
    expect(spanIn('When did it open?', 'Doors: 1971, 1975.')).toBeNull()
    expect(spanIn('When in 1971 did it open?', 'In 1971 it opened.')).toBeNull()
  })

  it('are not the year of a citation', () => {
    expect(spanIn('When was it found?', 'It was found early (Beltagy et al., 2019) [1971].')).toBeNull()
  })
})

describe('the words that answer a question for a figure', () => {
  it.each([
    ['How many papers does it hold?', 'It holds 81.1M papers from 14 fields.', '81.1M'],
    ['How many people died?', 'Perhaps 30 to 50 thousand people died in 1620.', '30 to 50 thousand'],
    ['How many phases were there?', 'It opened in five phases between 1980 and 1984.', 'five'],
    ['What percentage was removed?', 'Of 1,200 papers 64.3% were removed.', '64.3%'],
    ['How far is the mill from the sea?', 'The mill is 340 miles (550 km) from the sea.', '340 miles'],
    ['How often are elections held?', 'Elections are held every five years.', 'every five years'],
    ['How much did it cost?', 'It cost $37.6 billion.', '$37.6 billion'],
  ])('%s', (question, sentence, words) => {
    expect(spanIn(question, sentence)).toBe(words)
  })

  it('are none where every number counts something else than is asked for', () => {
    expect(spanIn('How many events were lost?', 'Copying lost events in each of its 20 trials.')).toBeNull()
  })

  it('are no part of a name, a time of day or a footnote mark', () => {
    const sentence = 'We made S2ORC,1 at 02:30 with GPT-4 for the papers.'
    expect(spanIn('How many papers are there?', sentence)).toBeNull()
  })
})

describe('other questions', () => {
  it('have no such words', () => {
    expect(spanIn('Why did it burn?', 'It burnt in 1911 because of a spark.')).toBeNull()
    expect(spanIn('What is the median rate?', 'The median rate is 4.2%.')).toBeNull()
  })

  it('never get a span that is outside of the sentence, whatever the text', () => {
    const questions = ['When was it?', 'How many are there?', 'Who did it?', 'How much is it?', 'What share is it?']
    fc.assert(
      fc.property(fc.constantFrom(...questions), fc.string({ unit: 'grapheme', maxLength: 200 }), (question, text) => {
        const span = answerSpan(readQuestion(question), text)
        expect(span === null || (0 <= span.start && span.start < span.end && span.end <= text.length)).toBe(true)
      }),
    )
  })
})
