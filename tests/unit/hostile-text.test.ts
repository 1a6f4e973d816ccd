import { describe, expect, it } from 'vitest'
import { knownNames } from '../../src/answers/checks/names.ts'
import { contradiction, isCutDenial } from '../../src/answers/checks/negation.ts'
import { whyUnsupported } from '../../src/answers/claim.ts'
import { isEnglish } from '../../src/library/language/english.ts'
import { numbersIn } from '../../src/library/language/numbers.ts'
import { sentences } from '../../src/library/language/sentences.ts'
import { tableNamedIn } from '../../src/library/language/table-name.ts'
import { contentStems, indexForm, queryTerms } from '../../src/library/language/terms.ts'
import { asRead, findQuote } from '../../src/library/quote.ts'
import { missingContext } from '../../src/offline/clarification/vagueness.ts'
import { readDocumentQuestion, withoutKind } from '../../src/offline/documents/document-question.ts'
import { holdsText, linesHolding } from '../../src/offline/documents/quoting.ts'
import { bylineOf, issueOf, linesOfYear } from '../../src/offline/documents/title-page.ts'
import { itemsIn } from '../../src/offline/follow-up/lists.ts'
import { phrasesIn } from '../../src/offline/follow-up/phrases.ts'
import { resolveFollowUp } from '../../src/offline/follow-up/resolve-follow-up.ts'
import { namesIn } from '../../src/offline/language/names.ts'
import { findPronoun } from '../../src/offline/language/pronouns.ts'
import { questionParts } from '../../src/offline/question-parts.ts'
import { answerSpan } from '../../src/offline/ranking/answer-span.ts'
import { bearsAnswer, readQuestion } from '../../src/offline/ranking/question.ts'
import { measureSentences } from '../../src/offline/ranking/rank-sentences.ts'
import { readTable } from '../../src/offline/ranking/table.ts'
import { located } from './answers/calculations/located.ts'

const LENGTH = 50_000
const filledWith = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH)

const hostile: readonly string[] = [
  ...['漢', 'A', '\n', ' ', '0', '1,', '"', '“', '(', ')', '-', '.', 'tionss', 'A ', 'Ab ', 'of the ', 'a -\n'],
  ...['who is ', 'compare a in b to ', 'and, or ', 'not n’t ', 'we study ', 'Table 1 | 2 '],
].map(filledWith)

const claimed = (sentence: string, quote: string) => {
  const surroundings = { question: quote, textOf: () => quote, known: knownNames(quote) }
  return (['text', 'table'] as const).map((kind) =>
    whyUnsupported(sentence, [located(quote, quote, kind)], surroundings),
  )
}
const page = (firstPage: string) => ({ title: [], authors: [], year: [], pages: 1, firstPage })
const asked = readQuestion('How many pages did Who write in 2021?')

const reads: Readonly<Record<string, (text: string) => unknown>> = {
  sentences,
  findQuote: (text) => [findQuote('the last word', text), findQuote(text, `${text} end`)],
  asRead,
  readTable: (text) => readTable(text.split('\n')),
  tableNamedIn,
  contentStems,
  queryTerms,
  indexForm,
  numbersIn,
  whyUnsupported: (text) => [
    claimed(text.slice(0, 2_000), 'The rate rose to 12 of 15.'),
    claimed('It fell to 3.', text),
  ],
  readQuestion,
  bearsAnswer: (text) => bearsAnswer(asked, text),
  answerSpan: (text) => [text, text.slice(0, 3_000)].map((each) => answerSpan(asked, each)),
  measureSentences: (text) =>
    measureSentences(readQuestion(text.slice(0, 5_000)), [
      { id: 'a', title: null, section: null, kind: 'text', text: text.slice(0, 5_000), score: 0.5 },
    ]),
  contradiction: (text) => [contradiction(text, ['It rose.'], ['It rose.']), contradiction('It fell.', [text], [text])],
  isCutDenial: (text) => isCutDenial('It rose.', text, text),
  namesIn,
  findPronoun,
  questionParts,
  readDocumentQuestion: (text) => [readDocumentQuestion(text), readDocumentQuestion(`Summarize ${text}`)],
  withoutKind,
  holdsText: (text) => holdsText(text, 'a word'),
  linesHolding: (text) => linesHolding(text, ['Ada Lind', text]),
  bylineOf: (text) => bylineOf(page(text)),
  issueOf: (text) => issueOf(page(text), (line) => [line]),
  linesOfYear: (text) => linesOfYear(text, 2021),
  isEnglish,
  itemsIn,
  phrasesIn,
  missingContext: (text) => missingContext(text, { words: ['word'], documents: 2 }),
  resolveFollowUp: (text) =>
    resolveFollowUp('And who wrote it there?', [
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
