import { describe, expect, it } from 'vitest'
import { resolveFollowUp } from '../../../../../src/models/extractive/follow-up/resolve-follow-up.ts'
import type { HistoryMessage } from '../../../../../src/models/model.ts'

const after = (...questions: string[]): HistoryMessage[] =>
  questions.flatMap((text) => [
    { role: 'user', text },
    { role: 'assistant', text: 'An answer.' },
  ])

describe('a follow-up', () => {
  it.each([
    [
      'Which algorithm does Megastore use?',
      'How many writes does it handle?',
      'How many writes does Megastore handle?',
    ],
    ['Which algorithm does Megastore use?', 'And who wrote it?', 'Who wrote Megastore?'],
    ['How many papers are in S2ORC?', 'What are its limitations?', 'What are S2ORC’s limitations?'],
    ['Who is Marie Curie?', 'When was she born?', 'When was Marie Curie born?'],
    ['What is a witness replica?', 'How does it vote?', 'How does the witness replica vote?'],
    ['How long is the warranty?', 'Does it cover water damage?', 'Does the warranty cover water damage?'],
    ['What was the revenue of Acme in 2023?', 'And in 2024?', 'What was the revenue of Acme in 2024?'],
    ['What was the revenue of Acme in 2023?', 'and 2024?', 'What was the revenue of Acme in 2024?'],
    ['What was the revenue of Acme?', 'And in 2024?', 'What was the revenue of Acme in 2024?'],
    ['What is the boiling point of benzene?', 'And of toluene?', 'What is the boiling point of toluene?'],
    ['What F1 does SciBERT reach on BC5CDR?', 'What about BioBERT?', 'What F1 does BioBERT reach on BC5CDR?'],
    ['What is S2ORC?', 'Who are the authors of the paper?', 'Who are the authors of the paper (S2ORC)?'],
    ['Does Megastore use Paxos?', 'Why?', 'Why does Megastore use Paxos?'],
  ])('R14: after "%s", "%s" is the question "%s"', (previous, question, standalone) => {
    expect(resolveFollowUp(question, after(previous))).toEqual({ question: standalone, resolved: true })
  })

  it('R14: takes its subject from further back, where the last question only points at it', () => {
    const { question } = resolveFollowUp('Who wrote it?', after('What is Megastore?', 'Is it fast?'))
    expect(question).toBe('Who wrote Megastore?')
  })

  it.each([
    'Who won the 2022 FIFA World Cup?',
    'How many papers are in S2ORC?',
    'What is a witness replica and how does it vote?',
    'Is it possible to resume a run?',
  ])('R14: that stands alone stays as it is: "%s"', (question) => {
    expect(resolveFollowUp(question, after('Which algorithm does Megastore use?'))).toEqual({
      question,
      resolved: false,
    })
  })

  it('stays as it is without a conversation', () => {
    expect(resolveFollowUp('And in 2024?', [])).toEqual({ question: 'And in 2024?', resolved: false })
  })
})
