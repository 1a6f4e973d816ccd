import { queryTerms } from '../src/library/language/terms.ts'
import type { PassageIndex } from '../src/library/port/passage-index.ts'
import { findPassages } from '../src/library/search.ts'
import { readQuestion } from '../src/offline/ranking/question.ts'
import { rankSentences, stemWeights } from '../src/offline/ranking/rank-sentences.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import {
  covidQa,
  dataFolder,
  evidenceFor,
  fill,
  holdsAnswer,
  type QuestionSet,
  type RetrievalSet,
  type SetQuestion,
  sciFact,
  xquad,
} from './question-sets.ts'

/**
 * How often the search finds the passage, and the sentence ranking the sentence, that holds the answer; the quality of
 * the search against plain BM25. Even questions are for development, odd ones were never tuned on.
 */
export async function run(): Promise<void> {
  const folder = dataFolder()
  const covid = covidQa(folder)
  const answers = [
    await measureAnswers(xquad(folder), 'library'),
    await measureAnswers(covid, 'library'),
    await measureAnswers({ ...covid, name: 'COVID-QA, article known' }, 'document'),
  ]
  for (const figures of answers) printAnswers(figures)
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
  await fill(storage.library, set.documents)
  const figures = { name: set.name, development: emptyTally(), heldOut: emptyTally() }
  for (const [i, question] of set.questions.entries()) {
    await tally(i % 2 === 0 ? figures.development : figures.heldOut, question, storage.library, scope)
  }
  await storage.close()
  return figures
}

function emptyTally(): Tally {
  return { questions: 0, topPassage: 0, tenPassages: 0, topSentence: 0, threeSentences: 0 }
}

async function tally(to: Tally, asked: SetQuestion, index: PassageIndex, scope: 'library' | 'document'): Promise<void> {
  const documents = scope === 'document' ? [asked.documentId] : null
  const evidence = await evidenceFor(index, asked.question, documents)
  const holds = evidence.map((passage) => holdsAnswer(asked, passage.documentId, passage.start, passage.end))
  const question = readQuestion(asked.question)
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

function printAnswers({ name, development, heldOut }: AnswerFigures): void {
  for (const [half, figures] of Object.entries({ development, 'held out': heldOut })) {
    const share = (count: number) => (count / figures.questions).toFixed(3)
    console.log(
      `${name}, ${half} (${figures.questions}): passage ${share(figures.topPassage)}, in ten ${share(figures.tenPassages)}, ` +
        `sentence ${share(figures.topSentence)}, in three ${share(figures.threeSentences)}`,
    )
  }
}

/** By how much the search is better than plain BM25. */
async function measureRetrieval(set: RetrievalSet): Promise<void> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.library, set.documents)
  let ranked = 0
  let plain = 0
  let plainWithoutRepeats = 0
  for (const { text, relevant } of set.queries) {
    const found = await findPassages(storage.library, text, { limit: 10 })
    ranked += gain(
      found.map(({ document }) => document.documentId),
      relevant,
    )
    const terms = queryTerms(text)
    plain += await gainOf(storage.library, terms, relevant)
    plainWithoutRepeats += await gainOf(storage.library, [...new Set(terms)], relevant)
  }
  await storage.close()
  const mean = (sum: number) => (sum / set.queries.length).toFixed(4)
  console.log(
    `${set.name}, ${set.queries.length} queries: nDCG@10 ${mean(ranked)}, plain BM25 ${mean(plain)}, ` +
      `without repeated words ${mean(plainWithoutRepeats)}`,
  )
}

/** What the index's own order, which is plain BM25, gains. */
async function gainOf(index: PassageIndex, terms: readonly string[], relevant: ReadonlySet<string>): Promise<number> {
  const matches = await index.match({ terms, limit: 10, documents: null })
  return gain(
    matches.map(({ document }) => document.documentId),
    relevant,
  )
}

/** nDCG at ten, every relevant document counting the same. */
function gain(found: readonly string[], relevant: ReadonlySet<string>): number {
  const discount = (rank: number) => 1 / Math.log2(rank + 2)
  const gained = found.slice(0, 10).reduce((sum, id, rank) => sum + (relevant.has(id) ? discount(rank) : 0), 0)
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, rank) => discount(rank))
  return gained / ideal.reduce((sum, each) => sum + each, 0)
}
