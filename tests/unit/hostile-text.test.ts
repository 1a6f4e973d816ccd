import { describe, expect, it } from 'vitest'
import { checkFormulas } from '../../src/answers/figures/check-formulas.ts'
import { notesOnFigures } from '../../src/answers/figures/figure-notes.ts'
import { judgementIn } from '../../src/answers/judge/reading.ts'
import { nearestSentence, sameSentence } from '../../src/answers/quotes/page-sentences.ts'
import { numbersIn } from '../../src/library/arithmetic/numbers.ts'
import { readCard } from '../../src/library/card.ts'
import { sentences } from '../../src/library/language/sentences.ts'
import { tableNamedIn } from '../../src/library/language/table-name.ts'
import { contentStems, indexForm, isEnglish, queryTerms } from '../../src/library/language/terms.ts'
import { asRead, findQuote } from '../../src/library/quote.ts'
import { missingContext } from '../../src/offline/clarification/clarifying-question.ts'
import { readDocumentQuestion, withoutKind } from '../../src/offline/documents/document-question.ts'
import { findPronoun, standaloneQuestion } from '../../src/offline/follow-up/standalone-question.ts'
import { namesIn } from '../../src/offline/language/names.ts'
import { bearsAnswer, readQuestion } from '../../src/offline/ranking/question.ts'
import { measureSentences } from '../../src/offline/ranking/rank-sentences.ts'
import { rowAt } from '../../src/offline/ranking/table.ts'
import { evidenceOf, observation } from './agents/observation.ts'

const LENGTH = 50_000
const filledWith = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH)

const hostile: readonly string[] = [
  ...['漢', 'A', '\n', ' ', '0', '1,', '"', '“', '(', ')', '-', '.', 'tionss', 'A ', 'Ab ', 'of the ', 'a -\n'],
  ...['who is ', 'compare a in b to ', 'and, or ', 'not n’t ', 'we study ', 'Table 1 | 2 '],
].map(filledWith)

const passages = (text: string) => evidenceOf(observation({ text: text.slice(0, 3_000) || 'x' }))
const asked = readQuestion('How many pages did Who write in 2021?')

const reads: Readonly<Record<string, (text: string) => unknown>> = {
  sentences,
  findQuote: (text) => [findQuote('the last word', text), findQuote(text, `${text} end`)],
  asRead,
  rowAt: (text) => rowAt(text, 0, { start: 0, tables: [] }),
  tableNamedIn,
  contentStems,
  queryTerms,
  indexForm,
  numbersIn,
  checkFormulas: (text) =>
    checkFormulas(`${text.slice(0, 4_000)} = 3`, [], { evidence: passages(text), question: text }),
  notesOnFigures: (text) => notesOnFigures({ evidence: passages(text), question: text })(text.slice(0, 4_000), []),
  nearestSentence: (text) => nearestSentence(text.slice(0, 4_000), passages(text)),
  sameSentence: (text) => sameSentence(text.slice(0, 4_000), passages(text)),
  judgementIn: (text) => [judgementIn(text, 40), judgementIn(`1 no ${text} => ${text}`, 40)],
  readQuestion,
  bearsAnswer: (text) => bearsAnswer(asked, text),
  measureSentences: (text) =>
    measureSentences(readQuestion(text.slice(0, 5_000)), [
      { id: 'a', title: null, section: null, kind: 'text', text: text.slice(0, 5_000), score: 0.5 },
    ]),
  namesIn,
  findPronoun,
  readDocumentQuestion: (text) => [readDocumentQuestion(text), readDocumentQuestion(`Summarize ${text}`)],
  withoutKind,
  readCard: (text) =>
    readCard({
      document: {
        documentId: 'a',
        title: text,
        authors: [],
        year: 2021,
        source: 'a',
        format: 'text',
        pages: 1,
        passages: 0,
        tags: [],
        addedAt: null,
      },
      metadata: {
        title: [{ value: text.slice(0, 300), from: '' }],
        authors: [{ value: ['Ada Lind', text], from: '' }],
        year: [{ value: 2021, from: '' }],
      },
      page: text,
      passages: [
        {
          passageId: 'a.0',
          documentId: 'a',
          ordinal: 0,
          page: 1,
          section: text,
          kind: 'text',
          start: 0,
          end: text.length,
          text,
        },
      ],
    }),
  isEnglish,
  missingContext: (text) => missingContext(text, { words: ['word'], documents: 2 }),
  standaloneQuestion: (text) =>
    standaloneQuestion('And who wrote it there?', [
      { role: 'user', text },
      { role: 'assistant', text, cited: ['A title', 'Another title'] },
    ]),
}

/** Processor time of a call in seconds, which a busy machine stretches less than time by the clock. */
function secondsOf(call: () => unknown): number {
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** What this machine takes now to sort the words of a long text: the measure of the limit. */
function unitOfTime(): number {
  const words = Array.from({ length: 100_000 }, (_, at) => `${(at * 7_919) % 100_003}`)
  return secondsOf(() => words.toSorted().join(' ').split(' ').length)
}
const mostUnits = 40

describe('a text made to be slow to read', () => {
  it.each(Object.entries(reads))(
    'is read by %s in a time that its length bounds',
    { tags: ['slow', 'S19'] },
    (_, read) => {
      const unit = unitOfTime()
      for (const text of hostile) {
        const name = JSON.stringify(text.slice(0, 20))
        const isFast = () => secondsOf(() => read(text)) < mostUnits * unit
        // A garbage collection may fall into one of the readings.
        expect(isFast() || isFast(), name).toBe(true)
      }
    },
  )
})
