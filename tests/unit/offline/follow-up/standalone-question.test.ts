import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HistoryMessage } from '../../../../src/models/port/model.ts'
import { questionsIn, standaloneQuestion } from '../../../../src/offline/follow-up/standalone-question.ts'

const after = (...questions: string[]): HistoryMessage[] =>
  questions.flatMap((text) => [
    { role: 'user', text },
    { role: 'assistant', text: 'An answer.' },
  ])

describe('a follow-up', () => {
  it.each([
    ['Which algorithm does Megastore use?', 'How many writes does it handle?'],
    ['What was the revenue of Acme in 2023?', 'And in 2024?'],
    ['What F1 does SciBERT reach on BC5CDR?', 'What about BioBERT?'],
    ['What is the warranty period for batteries?', 'For chargers?'],
    ['What happens to the deposit when the tenant leaves?', 'And if the flat is damaged?'],
    ['Does Megastore use Paxos?', 'Why?'],
    ['Who chairs the committee?', 'Since when?'],
    ['How many days of vacation do employees get?', 'Give me the page'],
    ['Which engines were tested?', 'How fast is the second one?'],
    ['Which engines were tested?', 'and which one measures latency?'],
    ['Compare the Marble corpus and the Halden corpus?', 'how large was the former?'],
    ['Was ist dh_make?', 'Und fakeroot?'],
    ['Was ist dh_make?', 'Wann wurde es geschrieben?'],
    ['Who signed the lease?', 'Termination notice'],
  ])('after "%s", "%s" is asked together with it', { tags: ['R14'] }, (previous, question) => {
    const standalone = { question: `${previous} ${question}`, resolved: true }
    expect(standaloneQuestion(question, after(previous))).toEqual(standalone)
    expect(questionsIn(standalone.question)).toEqual([previous, question])
  })

  it.each([
    'Who won the 2022 FIFA World Cup?',
    'How many papers are in S2ORC?',
    'What share of the witness replicas vote in a second round?',
    'And how many seats does the Halden theatre have?',
    'Wann wurde die Universität Heidelberg gegründet?',
  ])('that stands alone stays as it is: "%s"', { tags: ['R14'] }, (question) => {
    const alone = { question, resolved: false }
    expect(standaloneQuestion(question, after('Which algorithm does Megastore use?'))).toEqual(alone)
  })

  it.each([
    ['And the year before?', 'And the year before (2022)?'],
    ['And a year later?', 'And a year later (2024)?'],
    ['And in 2020?', 'And in 2020?'],
  ])('on another year says which one: "%s"', { tags: ['R14'] }, (question, said) => {
    const previous = 'What was the revenue of Acme in 2023?'
    expect(standaloneQuestion(question, after(previous)).question).toBe(`${previous} ${said}`)
  })

  it('leans on two questions at most, as the answers recorded them', { tags: ['R14'] }, () => {
    const recorded: HistoryMessage[] = [
      { role: 'user', text: 'and in 2024?' },
      { role: 'assistant', text: '13.1 million. [1]', question: 'What is Acme? What was its revenue? And in 2024?' },
    ]
    expect(standaloneQuestion('And the profit?', recorded).question).toBe(
      'What was its revenue? And in 2024? And the profit?',
    )
  })

  it('leans on the question that a reply completed', { tags: ['R14'] }, () => {
    const history: HistoryMessage[] = [
      { role: 'user', text: 'What accuracy did they report?' },
      { role: 'assistant', text: 'Which document do you mean?', candidates: ['Leaf disease', 'Counting trees'] },
      { role: 'user', text: 'the second' },
      { role: 'assistant', text: 'It was 93%. [1]', question: 'What accuracy did they report (Counting trees)?' },
    ]
    expect(standaloneQuestion('Why?', history).question).toBe('What accuracy did they report (Counting trees)? Why?')
  })

  it('stays as it is without a conversation', () => {
    expect(standaloneQuestion('And in 2024?', [])).toEqual({ question: 'And in 2024?', resolved: false })
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
        const { question: standalone, resolved } = standaloneQuestion(question, history)
        expect(resolved).toBe(standalone !== question)
      }),
      { numRuns: 1000 },
    )
  })
})
