import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HistoryMessage } from '../../../../src/models/port/model.ts'
import { resolveFollowUp } from '../../../../src/offline/follow-up/resolve-follow-up.ts'

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
    ['Does Megastore use Paxos?', 'Why?', 'Why does Megastore use Paxos?'],
  ])('after "%s", "%s" is the question "%s"', { tags: ['R14'] }, (previous, question, standalone) => {
    expect(resolveFollowUp(question, after(previous))).toEqual({ question: standalone, resolved: true })
  })

  it.each([
    'Who won the 2022 FIFA World Cup?',
    'How many papers are in S2ORC?',
    'What is a witness replica and how does it vote?',
    'Is it possible to resume a run?',
  ])('that stands alone stays as it is: "%s"', { tags: ['R14'] }, (question) => {
    expect(resolveFollowUp(question, after('Which algorithm does Megastore use?'))).toEqual({
      question,
      resolved: false,
    })
  })

  const answered = (question: string, text: string, ...cited: string[]): HistoryMessage[] => [
    { role: 'user', text: question },
    { role: 'assistant', text, cited },
  ]

  it.each([
    ['who wrote it?', 'Who wrote “Leases and tokens”?'],
    ['What accuracy did they report?', 'What accuracy did “Leases and tokens” report?'],
  ])('is about the document that the last answer cites: "%s"', { tags: ['R14'] }, (question, standalone) => {
    const history = answered('What stops a paused writer?', 'A fencing token does. [1]', 'Leases and tokens')
    expect(resolveFollowUp(question, history).question).toBe(standalone)
  })

  it('is not about the cited document where the question named what it asks about', { tags: ['R14'] }, () => {
    const history = answered('Who wrote the play Hamlet?', 'Shakespeare. [1]', 'A history of the theatre')
    expect(resolveFollowUp('When was it published?', history).question).toBe('When was Hamlet published?')
  })

  it.each([
    ['How fast is the second one?', 'How fast is Birch?'],
    ['What about the last one?', 'What about Cedar?'],
    ['and which one measures latency?', 'Which of Alder, Birch and Cedar measures latency?'],
    ['Explain the first point', 'Explain Alder'],
  ])('picks from the list that was the answer: "%s"', { tags: ['R14'] }, (question, standalone) => {
    const history = answered(
      'Which engines were tested?',
      'The engines tested were Alder, Birch and Cedar. [1]',
      'Engines',
    )
    expect(resolveFollowUp(question, history).question).toBe(standalone)
  })

  it('picks from the documents that were cited together', { tags: ['R14'] }, () => {
    const history = answered('Which papers discuss replication?', 'Two do. [1] [2]', 'Replicated logs', 'Quorums')
    expect(resolveFollowUp('Who wrote the second paper?', history).question).toBe('Who wrote “Quorums”?')
    const first = [...history, ...answered('Who wrote Replicated logs?', 'M. Okafor. [1]', 'Replicated logs')]
    expect(resolveFollowUp('the other paper?', first).question).toBe('Who wrote “Quorums”?')
  })

  it('picks from the two things that the question compared', { tags: ['R14'] }, () => {
    const history = answered('Compare the Marble corpus and the Halden corpus.', 'One holds news. [1]', 'Corpora')
    expect(resolveFollowUp('how large was the former?', history).question).toBe('How large was the Marble corpus?')
  })

  it('leans on the question as it stood alone, as the answer recorded it', {
    tags: ['R14'],
  }, () => {
    const recorded: HistoryMessage[] = [
      { role: 'user', text: 'and in 2024?' },
      { role: 'assistant', text: '13.1 million. [1]', question: 'What was the revenue of Acme in 2024?' },
    ]
    expect(resolveFollowUp('And the profit?', recorded).question).toBe('What was the profit of Acme in 2024?')
  })

  it('leans on the question that a reply completed', { tags: ['R14'] }, () => {
    const history: HistoryMessage[] = [
      { role: 'user', text: 'What accuracy did they report?' },
      { role: 'assistant', text: 'Which document do you mean?', candidates: ['Leaf disease', 'Counting trees'] },
      { role: 'user', text: 'the second' },
      {
        role: 'assistant',
        text: 'It was 93%. [1]',
        question: 'What accuracy did they report (Counting trees)?',
        cited: ['Counting trees'],
      },
    ]
    expect(resolveFollowUp('And the other paper?', history).question).toBe(
      'What accuracy did they report (Leaf disease)?',
    )
  })

  it('stays as it is without a conversation', () => {
    expect(resolveFollowUp('And in 2024?', [])).toEqual({ question: 'And in 2024?', resolved: false })
  })

  it.each([
    ['What is the revenue?', 'Wann wurde es gegründet?'],
    ['What is the revenue?', '¿Qué he dicho?'],
    ['What is the revenue?', '解約の条件は何ですか？'],
    ['What is the revenue?', 'Quand est-ce que it est publié ?'],
  ])('stays as it is in other languages: after "%s", "%s"', (previous, question) => {
    expect(resolveFollowUp(question, after(previous)).question).toBe(question)
  })

  it('is never an error, whatever was said before, and is said in a bounded time', () => {
    const words = fc.constantFrom(
      ...'what who why how it they the second one other paper and in 2024 about “ ” [1] ( ) ? , . A B or is does did same for'.split(
        ' ',
      ),
      'Zürich',
      '解約',
      '\u0000',
      '\ud800',
    )
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words, { maxLength: 30 }).map((each) => each.join(' ')),
      fc.constant('a, '.repeat(5000)),
      fc.constant('(“'.repeat(2000)),
    )
    const message = fc.record(
      { role: fc.constantFrom('user' as const, 'assistant' as const), text, question: text, cited: fc.array(text) },
      { requiredKeys: ['role', 'text'] },
    )
    fc.assert(
      fc.property(text, fc.array(message, { maxLength: 8 }), (question, history) => {
        const { question: standalone, resolved } = resolveFollowUp(question, history)
        expect(resolved).toBe(standalone !== question)
        if (!history.some(({ role }) => role === 'user'))
          expect(resolved && history.every(({ question: q }) => q === undefined)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})
