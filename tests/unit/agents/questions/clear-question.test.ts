import { describe, expect, it } from 'vitest'
import { isClear } from '../../../../src/agents/questions/clear-question.ts'

describe('a question is clear by rule', () => {
  it.each([
    'How many pages does the Marble corpus hold?',
    'What is the notice period for terminating a lease?',
    'Why does the write-ahead log not work over network file systems?',
    'How much revenue did Adobe report for 2021?',
    'Who was president of France in 1995?',
  ])('when it names what it is about: %s', (question) => {
    expect(isClear(question)).toBe(true)
  })

  it.each([
    ['a pronoun', 'How many pages does it hold after the removal of duplicates?'],
    ['a word that points back', 'What does the other filter remove before clustering starts?'],
    ['a beginning that continues something', 'And how large was the corpus after removing duplicates?'],
    ['a document without a name', 'What sample size does the study report for adults?'],
    ['too few words', 'What was the accuracy?'],
    ['too few words beside a name', 'What about Marble?'],
    ['no words of content', 'How is that?'],
    ['nothing', ''],
    ['another language', 'Wie viele Seiten hat das Marble-Korpus in der Fassung von 2021?'],
    ['another script', '大理石语料库有多少页？'],
  ])('but not with %s', (_, question) => {
    expect(isClear(question)).toBe(false)
  })
})
