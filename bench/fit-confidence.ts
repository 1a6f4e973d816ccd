import {
  applyModel,
  CONFIDENCE_MODEL,
  type ConfidenceFeatures,
  type ConfidenceModel,
  confidenceFeatures,
} from '../src/agents/confidence.ts'
import { parseDraft } from '../src/agents/verification/cited-text.ts'
import { answering } from '../src/library/answering.ts'
import type { Passage } from '../src/library/document.ts'
import type { PassageIndex } from '../src/library/passage-index.ts'
import { readQuestion } from '../src/library/question.ts'
import { stemWeights } from '../src/library/rank-sentences.ts'
import { findPassages } from '../src/library/search.ts'
import { extractAnswer } from '../src/models/extractive/answer.ts'
import type { EvidencePassage } from '../src/models/model.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { covidQa, dataFolder, fill, holdsAnswer, type QuestionSet, type SetQuestion, xquad } from './question-sets.ts'

/**
 * Fits the confidence to answers whose rightness is known, and prints how well it is calibrated on questions it has not
 * seen. A quarter of the questions are made unanswerable by taking the passages that answer them out of the evidence.
 */
export async function run(): Promise<void> {
  const folder = dataFolder()
  const examples = [...(await collect(xquad(folder))), ...(await collect(covidQa(folder)))]
  const learnt = examples.filter(({ heldOut }) => !heldOut)
  const model = fit(learnt)
  console.log(JSON.stringify(model, null, 2))
  for (const name of ['XQuAD', 'COVID-QA']) {
    const unseen = examples.filter(({ heldOut, set }) => heldOut && set === name)
    report(`${name}, fitted anew`, unseen, model)
    report(`${name}, in use`, unseen, CONFIDENCE_MODEL)
  }
  const unseen = examples.filter(({ heldOut }) => heldOut)
  report('Both, fitted anew', unseen, model)
  report('Both, in use', unseen, CONFIDENCE_MODEL)
}

interface Example {
  readonly set: string
  readonly features: ConfidenceFeatures
  readonly right: boolean
  readonly answerable: boolean
  readonly heldOut: boolean
}

async function collect(set: QuestionSet): Promise<Example[]> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.passages, set.documents)
  const examples: Example[] = []
  for (const [i, question] of set.questions.entries()) {
    // Every fourth question of each half.
    const answerable = i % 8 > 1
    const judged = await judge(storage.passages, question, answerable)
    if (judged) examples.push({ set: set.name, ...judged, answerable, heldOut: i % 2 === 1 })
  }
  await storage.close()
  return examples
}

async function judge(index: PassageIndex, asked: SetQuestion, answerable: boolean) {
  const isGold = ({ documentId, start, end }: Passage) => holdsAnswer(asked, documentId, start, end)
  const found = (await findPassages(index, asked.question, { limit: 20 }))
    .filter(({ passage }) => answerable || !isGold(passage))
    .slice(0, 10)
  const evidence = found.map(({ passage, document, score }, i): EvidencePassage => {
    const { documentId, title, source, year } = document
    const { page, section, kind, text } = passage
    return { id: `P${i + 1}`, documentId, title, source, year, page, section, kind, origin: 'documents', text, score }
  })
  const { question } = asked
  const task = { agent: 'synthesis', question, evidence } as const
  const { text, basis } = await extractAnswer(task, { ...answering(index), documentGap: 0 })
  // Other answers are not judged by these features.
  if (basis !== 'sentence') return null
  const quotes = parseDraft(text).flatMap(({ citations }) => citations)
  const weights = await stemWeights(index, readQuestion(question))
  const features = confidenceFeatures({ question, evidence, quotes, weights })
  if (!features) return null
  const right = quotes.some(({ id, quote }) => {
    const passage = found[Number(id.slice(1)) - 1]?.passage
    const start = passage ? passage.start + passage.text.indexOf(quote) : 0
    return (
      passage !== undefined &&
      (holdsAnswer(asked, passage.documentId, start, start + quote.length) || says(quote, asked))
    )
  })
  return { features, right }
}

/** Many articles say the same thing twice: the answer's own words elsewhere are right too, unless they are few. */
function says(quote: string, { answers }: SetQuestion): boolean {
  const shortest = 5
  return answers.some(({ text }) => text.length >= shortest && quote.toLowerCase().includes(text.toLowerCase()))
}

const NAMES = ['passage', 'coverage', 'names', 'margin', 'lead'] as const

/** Logistic regression by gradient descent, with a little shrinkage. */
function fit(examples: readonly Example[]): ConfidenceModel {
  const rounds = 20_000
  const rate = 2
  const shrinkage = 1e-3
  let constant = 0
  let weights: Record<(typeof NAMES)[number], number> = {
    passage: 0,
    coverage: 0,
    names: 0,
    margin: 0,
    lead: 0,
  }
  for (let round = 0; round < rounds; round += 1) {
    const model = { version: CONFIDENCE_MODEL.version, constant, weights }
    const errors = examples.map(({ features, right }) => Number(right) - applyModel(features, model))
    const mean = (of: (example: Example) => number) =>
      examples.reduce((sum, example, i) => sum + (errors[i] ?? 0) * of(example), 0) / examples.length
    constant += rate * mean(() => 1)
    const next = { ...weights }
    for (const name of NAMES) next[name] += rate * (mean(({ features }) => features[name]) - shrinkage * weights[name])
    weights = next
  }
  const round = (value: number) => Math.round(value * 100) / 100
  for (const name of NAMES) weights[name] = round(weights[name])
  return { version: CONFIDENCE_MODEL.version + 1, constant: round(constant), weights }
}

function report(name: string, examples: readonly Example[], model: ConfidenceModel): void {
  const judged = examples.map(({ features, right, answerable }) => ({
    p: applyModel(features, model),
    right,
    answerable,
  }))
  const below = judged.filter(({ p }) => p < 0.3)
  const lost = below.filter(({ right }) => right).length
  console.log(
    `${name} (${judged.length}, ${judged.filter(({ right }) => right).length} right): ECE ${calibrationError(judged).toFixed(3)}, ` +
      `AUROC ${rankQuality(judged).toFixed(3)}; below 0.3: ${below.length}, of them right ${lost}`,
  )
}

interface Judged {
  readonly p: number
  readonly right: boolean
}

/** Expected calibration error over ten bins of equal width. */
function calibrationError(judged: readonly Judged[]): number {
  const bins = Array.from({ length: 10 }, (_, i) => judged.filter(({ p }) => Math.min(9, Math.floor(p * 10)) === i))
  return bins.reduce((sum, bin) => {
    const gap = bin.reduce((total, { p, right }) => total + p - Number(right), 0)
    return sum + Math.abs(gap) / judged.length
  }, 0)
}

/** The probability that a right answer gets a higher confidence than a wrong one. */
function rankQuality(judged: readonly Judged[]): number {
  const right = judged.filter((each) => each.right)
  const wrong = judged.filter((each) => !each.right)
  const wins = right.reduce(
    (sum, a) => sum + wrong.reduce((won, b) => won + (a.p > b.p ? 1 : a.p === b.p ? 0.5 : 0), 0),
    0,
  )
  return wins / (right.length * wrong.length)
}
