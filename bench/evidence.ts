import type { PassageIndex } from '../src/library/passage-index.ts'
import { readQuestion } from '../src/library/question.ts'
import { rankSentences, stemWeights } from '../src/library/rank-sentences.ts'
import { findPassages } from '../src/library/search.ts'
import { queryTerms } from '../src/library/terms.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import {
  covidQa,
  dataFolder,
  fill,
  type QuestionSet,
  type RetrievalSet,
  type SetQuestion,
  sciFact,
  xquad,
} from './question-sets.ts'

/**
 * How often the search finds the passage, and the sentence ranking the sentence, that holds the answer; and the quality
 * of the search against plain BM25. Even questions are for development, odd ones were never tuned on.
 */
export async function run(): Promise<void> {
  const folder = dataFolder()
  const covid = covidQa(folder)
  printAnswers(await measureAnswers(xquad(folder), 'library'))
  printAnswers(await measureAnswers(covid, 'library'))
  printAnswers(await measureAnswers({ ...covid, name: 'COVID-QA, article known' }, 'document'))
  await measureRetrieval(sciFact(folder))
}

interface Tally {
  questions: number
  topPassage: number
  tenPassages: number
  topSentence: number
  threeSentences: number
}

interface AnswerFigures {
  readonly name: string
  readonly development: Tally
  readonly heldOut: Tally
}

async function measureAnswers(set: QuestionSet, scope: 'library' | 'document'): Promise<AnswerFigures> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.passages, set.documents)
  const figures = { name: set.name, development: emptyTally(), heldOut: emptyTally() }
  for (const [i, question] of set.questions.entries()) {
    await tally(i % 2 === 0 ? figures.development : figures.heldOut, question, storage.passages, scope)
  }
  await storage.close()
  return figures
}

function emptyTally(): Tally {
  return { questions: 0, topPassage: 0, tenPassages: 0, topSentence: 0, threeSentences: 0 }
}

async function tally(to: Tally, asked: SetQuestion, index: PassageIndex, scope: 'library' | 'document'): Promise<void> {
  const documents = scope === 'document' ? [asked.documentId] : null
  const found = await findPassages(index, asked.question, { limit: 10, documents })
  const holds = found.map(({ passage }) => holdsAnswer(asked, passage.documentId, passage.start, passage.end))
  const question = readQuestion(asked.question)
  const evidence = found.map(({ passage, document, score }) => ({
    ...passage,
    id: passage.passageId,
    title: document.title,
    score,
  }))
  const sentences = rankSentences(question, evidence, await stemWeights(index, question)).map((sentence) => {
    const passage = evidence.find(({ id }) => id === sentence.id)
    const offset = passage?.start ?? 0
    return holdsAnswer(asked, passage?.documentId ?? '', offset + sentence.start, offset + sentence.end)
  })
  to.questions += 1
  to.topPassage += Number(holds[0] ?? false)
  to.tenPassages += Number(holds.includes(true))
  to.topSentence += Number(sentences[0] ?? false)
  to.threeSentences += Number(sentences.slice(0, 3).includes(true))
}

/** True if a stretch of a document overlaps one of the answers. */
export function holdsAnswer(question: SetQuestion, documentId: string, start: number, end: number): boolean {
  return (
    documentId === question.documentId && question.answers.some((answer) => start < answer.end && answer.start < end)
  )
}

function printAnswers({ name, development, heldOut }: AnswerFigures): void {
  for (const [half, figures] of Object.entries({ development, 'held out': heldOut })) {
    const share = (count: number) => (count / figures.questions).toFixed(3)
    console.log(
      `${name}, ${half} (${figures.questions}): passage ${share(figures.topPassage)}, in ten ${share(figures.tenPassages)}, ` +
        `sentence ${share(figures.topSentence)}, in three ${share(figures.threeSentences)}`,
    )
  }
}

async function measureRetrieval(set: RetrievalSet): Promise<void> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.passages, set.documents)
  let ranked = 0
  let plain = 0
  for (const { text, relevant } of set.queries) {
    const found = await findPassages(storage.passages, text, { limit: 10 })
    ranked += gain(
      found.map(({ document }) => document.documentId),
      relevant,
    )
    const matches = await storage.passages.match({ terms: queryTerms(text), limit: 10, documents: null })
    plain += gain(
      matches.map(({ document }) => document.documentId),
      relevant,
    )
  }
  await storage.close()
  const mean = (sum: number) => (sum / set.queries.length).toFixed(4)
  console.log(`${set.name}, ${set.queries.length} queries: nDCG@10 ${mean(ranked)}, plain BM25 ${mean(plain)}`)
}

/** nDCG at ten, every relevant document counting the same. */
function gain(found: readonly string[], relevant: ReadonlySet<string>): number {
  const discount = (rank: number) => 1 / Math.log2(rank + 2)
  const gained = found.slice(0, 10).reduce((sum, id, rank) => sum + (relevant.has(id) ? discount(rank) : 0), 0)
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, rank) => discount(rank))
  return gained / ideal.reduce((sum, each) => sum + each, 0)
}
