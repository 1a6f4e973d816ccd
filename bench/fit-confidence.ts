import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { confidenceFeatures } from '../src/offline/confidence/confidence.ts'
import {
  applyModel,
  CONFIDENCE_FEATURES,
  CONFIDENCE_MODEL,
  type ConfidenceFeatures,
  type ConfidenceModel,
  isSupported,
} from '../src/offline/confidence/confidence-model.ts'
import { readQuestion } from '../src/offline/ranking/question.ts'
import {
  type EvidenceText,
  type RankedSentence,
  rankSentences,
  stemWeights,
} from '../src/offline/ranking/rank-sentences.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { calibrationError, type Judged } from './calibration-error.ts'
import { type ForeignEvidence, withForeignEvidence } from './foreign/evidence.ts'
import { holdsExpected, SURE } from './foreign/judge.ts'
import { covidQa, dataFolder, evidenceFor, fill, holdsAnswer, type QuestionSet, xquad } from './question-sets.ts'

/**
 * Fits the confidence to answers whose rightness is known: over a sample of XQuAD and COVID-QA, and over the foreign and
 * everyday documents. Each question is asked twice: as it is, and with the document that answers it taken out
 * of the evidence. Calibration is printed for sets, and kinds of document, that are left out of the fit. `--write` puts
 * the fitted model into the source.
 */
export async function run(args: readonly string[]): Promise<void> {
  const asked = [
    ...(await publicExamples()),
    ...(await withForeignEvidence(foreignExamples)),
    ...(await withForeignEvidence(foreignExamples, { folder: PLAIN_WORDS })),
    ...(await withForeignEvidence(foreignExamples, { folder: EVERYDAY })),
    ...(await withForeignEvidence(foreignExamples, { folder: EVERYDAY, of: 'aside' })),
  ]
  // What is not shown has no confidence.
  const examples = asked.filter(({ features }) => isSupported(features))
  for (const left of new Set(examples.map(({ kind }) => kind))) {
    const model = fit(examples.filter(({ kind, heldOut }) => kind !== left && !heldOut))
    report(
      `${left}, left out`,
      examples.filter(({ kind, isAsked }) => kind === left && isAsked),
      model,
    )
  }
  const model = fit(examples.filter(({ heldOut }) => !heldOut))
  report(
    'public sets, held out, a quarter unanswerable',
    examples.filter(({ heldOut }) => heldOut),
    model,
  )
  console.log(`Fitted: constant ${model.constant}, ${JSON.stringify(model.weights)}`)
  reportSupport(asked.filter(({ isAsked, heldOut, kind }) => isAsked && !heldOut && !PUBLIC.has(kind)))
  if (args.includes('--write')) write(model)
}

/** Foreign documents are fewer, and more like a person's own than the public sets. */
const OF_FOREIGN = 3

const PUBLIC: ReadonlySet<string> = new Set(['XQuAD', 'COVID-QA'])

const OF_SUPPORT = ['document', 'missing', 'score', 'fact', 'bears'] as const

/** What is shown at all: the fit, and what the one in use loses and declines. */
function reportSupport(examples: readonly Example[]): void {
  const weightOf = ({ right, isAnswerable }: Example) => (right ? 1 : isAnswerable ? 0.3 : 3)
  const { constant, weights } = fit(
    examples.map((each) => ({ ...each, weight: weightOf(each) })),
    OF_SUPPORT,
  )
  console.log(`Support: ${JSON.stringify(weights)}, least ${-constant}`)
  const declined = (those: readonly Example[]) => {
    return `${those.filter(({ features }) => !isSupported(features)).length} of ${those.length}`
  }
  console.log(
    `Declined: of the right ${declined(examples.filter(({ right }) => right))}, of the wrong ` +
      `${declined(examples.filter(({ right, isAnswerable }) => !right && isAnswerable))}, of those without an answer ` +
      `${declined(examples.filter(({ isAnswerable }) => !isAnswerable))}`,
  )
}

/** Questions in everyday words, over the same documents and reports of trials. */
const PLAIN_WORDS = join(import.meta.dirname, 'plain-words')
/** Both halves: the one put aside was counted before the fit. */
const EVERYDAY = join(import.meta.dirname, 'everyday')

interface Example {
  /** A public set, or a kind of foreign document: what is left out of a fit together. */
  readonly kind: string
  readonly features: ConfidenceFeatures
  readonly right: boolean
  readonly weight: number
  readonly heldOut: boolean
  /** The question is asked as it is, of all documents. */
  readonly isAsked: boolean
  /** The documents answer it. */
  readonly isAnswerable: boolean
}

/** One question in so many of a public set is asked. */
const SAMPLED = { XQuAD: 4, 'COVID-QA': 2 } as const
/** With its document taken out, a question counts for so much of one that is left as it is. */
const OF_GAP = 1 / 3

async function publicExamples(): Promise<readonly Example[]> {
  const folder = dataFolder()
  return [
    ...(await examplesOf(xquad(folder), SAMPLED.XQuAD)),
    ...(await examplesOf(covidQa(folder), SAMPLED['COVID-QA'])),
  ]
}

async function examplesOf(set: QuestionSet, oneIn: number): Promise<readonly Example[]> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.library, set.documents)
  const examples: Example[] = []
  for (const [i, asked] of set.questions.entries()) {
    if (Math.floor(i / 2) % oneIn !== 0) continue
    const evidence = await evidenceFor(storage.library, asked.question)
    const isRight = ({ id, snippet }: RankedSentence) => {
      const passage = evidence.find((each) => each.id === id)
      const [documentId, offset] = [passage?.documentId ?? '', passage?.start ?? 0]
      const shown = passage?.text.slice(snippet.start, snippet.end).toLowerCase() ?? ''
      // Many articles say the same thing twice: the answer's own words elsewhere are right too, unless they are few.
      return (
        holdsAnswer(asked, documentId, offset + snippet.start, offset + snippet.end) ||
        asked.answers.some(({ text }) => text.length >= LEAST_WORDS && shown.includes(text.toLowerCase()))
      )
    }
    const judge = judgeIn(storage, {
      question: asked.question,
      kind: set.name,
      isRight,
      heldOut: i % 2 === 1,
      isAnswerable: true,
    })
    examples.push(
      ...(await judge(evidence, true)),
      ...(await judge(
        evidence.filter(({ documentId }) => documentId !== asked.documentId),
        false,
      )),
    )
  }
  await storage.close()
  return examples
}

/** Characters. */
const LEAST_WORDS = 5

async function foreignExamples(found: readonly ForeignEvidence[], storage: Storage): Promise<readonly Example[]> {
  const examples: Example[] = []
  for (const { asked, kind, evidence, isOwn } of found) {
    const isRight = ({ id, snippet }: RankedSentence) => {
      const text = evidence.find((each) => each.id === id)?.text ?? ''
      return holdsExpected(asked.expect ?? [], text.slice(snippet.start, snippet.end))
    }
    const isAnswerable = asked.kind !== 'unanswerable'
    const judge = judgeIn(storage, { question: asked.question, kind, isRight, heldOut: false, isAnswerable })
    examples.push(...(await judge(evidence, true)))
    const others = evidence.filter((passage) => !isOwn(passage))
    if (isAnswerable) examples.push(...(await judge(others, false)))
  }
  return examples
}

interface ToJudge extends Pick<Example, 'kind' | 'heldOut' | 'isAnswerable'> {
  readonly question: string
  readonly isRight: (best: RankedSentence) => boolean
}

/** The example of a question over some evidence; without evidence there is none. */
function judgeIn({ library: passages }: Storage, { question, kind, isRight, heldOut, isAnswerable }: ToJudge) {
  return async (evidence: readonly EvidenceText[], isAsked: boolean): Promise<readonly Example[]> => {
    const asked = readQuestion(question)
    const weights = await stemWeights(passages, asked)
    const ranked = rankSentences(asked, evidence, weights)
    const features = confidenceFeatures({ asked, evidence, ranked, weights })
    const [best] = ranked
    if (!features || !best) return []
    return [
      {
        kind,
        features,
        right: isRight(best),
        weight: (isAsked ? 1 : OF_GAP) * (PUBLIC.has(kind) ? 1 : OF_FOREIGN),
        heldOut,
        isAsked,
        isAnswerable,
      },
    ]
  }
}

/** Logistic regression by gradient descent, with a little shrinkage. */
function fit(
  examples: readonly Example[],
  names: readonly (keyof ConfidenceFeatures)[] = CONFIDENCE_FEATURES,
): ConfidenceModel {
  const rounds = 4_000
  const rate = 2
  const shrinkage = 1e-3
  let constant = 0
  let weights: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]))
  const rows = examples.map(({ features }) => names.map((name) => features[name]))
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  for (let round = 0; round < rounds; round += 1) {
    const values = names.map((name) => weights[name] ?? 0)
    const errors = rows.map((row, i) => {
      const sum = row.reduce((all, value, j) => all + value * (values[j] ?? 0), constant)
      const { right, weight } = examples[i] ?? { right: false, weight: 0 }
      return (weight * (Number(right) - 1 / (1 + Math.exp(-sum)))) / total
    })
    constant += rate * errors.reduce((sum, error) => sum + error, 0)
    const slope = (j: number) => rows.reduce((sum, row, i) => sum + (errors[i] ?? 0) * (row[j] ?? 0), 0)
    weights = Object.fromEntries(
      names.map((name, j) => [name, (values[j] ?? 0) + rate * (slope(j) - shrinkage * (values[j] ?? 0))]),
    )
  }
  const round = (value: number) => Math.round(value * 100) / 100
  const rounded = Object.fromEntries(names.map((name) => [name, round(weights[name] ?? 0)]))
  // All features are there, since the object is made from their list.
  return { version: CONFIDENCE_MODEL.version + 1, constant: round(constant), weights: rounded as ConfidenceFeatures }
}

function report(name: string, examples: readonly Example[], model: ConfidenceModel): void {
  const judged = judgedBy(model, examples)
  const count = (isCounted: (each: Judged) => boolean) => judged.filter(isCounted).length
  console.log(
    `${name} (${judged.length}, ${count(({ right }) => right)} right): ECE ${calibrationError(judged).toFixed(3)}, ` +
      `AUROC ${rankQuality(judged).toFixed(3)}; wrong at ${SURE} or more ${count(({ p, right }) => !right && p >= SURE)}; ` +
      `below 0.3: ${count(({ p }) => p < 0.3)}, of them right ${count(({ p, right }) => right && p < 0.3)}`,
  )
}

function judgedBy(model: ConfidenceModel, examples: readonly Example[]): readonly Judged[] {
  return examples.map(({ features, right }) => ({ p: applyModel(features, model), right }))
}

/** Writes the model into the source, in the place of the one in use. */
function write({ version, constant, weights }: ConfidenceModel): void {
  const path = join(import.meta.dirname, '..', 'src', 'offline', 'confidence', 'confidence-model.ts')
  const fields = CONFIDENCE_FEATURES.map((name) => `    ${name}: ${weights[name]},\n`).join('')
  const literal = `= {\n  version: ${version},\n  constant: ${constant},\n  weights: {\n${fields}  },\n}`
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, source.replace(/= \{\n {2}version: [^}]*\},\n\}/, literal))
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
