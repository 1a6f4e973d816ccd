import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDraft } from '../src/answers/cited-text.ts'
import type { EvidencePassage } from '../src/events/index.ts'
import type { Passage } from '../src/library/port/document.ts'
import type { PassageIndex } from '../src/library/port/passage-index.ts'
import { findPassages } from '../src/library/search.ts'
import { extractAnswer } from '../src/offline/answers/answer.ts'
import { confidenceFeatures } from '../src/offline/confidence/confidence.ts'
import {
  applyModel,
  CONFIDENCE_FEATURES,
  CONFIDENCE_MODEL,
  type ConfidenceFeatures,
  type ConfidenceModel,
} from '../src/offline/confidence/confidence-model.ts'
import { partsOver } from '../src/offline/parts/parts.ts'
import { readQuestion } from '../src/offline/ranking/question.ts'
import { stemWeights } from '../src/offline/ranking/rank-sentences.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { calibrationError, type Judged } from './calibration-error.ts'
import {
  covidQa,
  dataFolder,
  type FigureRow,
  fill,
  holdsAnswer,
  type QuestionSet,
  type SetQuestion,
  xquad,
} from './question-sets.ts'

/**
 * Fits the confidence to answers whose rightness is known, and prints how well it is calibrated on questions it has not
 * seen. Each question is asked three times: as it is; with the passages that answer it taken out of the evidence (a gap
 * on its very topic); and over the other set's documents (off topic). `--write` puts the fitted model into the source.
 */
export async function run(args: readonly string[]): Promise<void> {
  const examples = await collectAll()
  const model = fit(examples.filter((each) => !each.heldOut && isIn(mostlyAnswerable, each)))
  console.log(`Fitted: constant ${model.constant}, ${JSON.stringify(model.weights)}`)
  for (const mix of [mostlyAnswerable, halfAnswerable]) {
    console.log(`\n${mix.name}`)
    const mixed = examples.filter((each) => isIn(mix, each))
    reportAll('fitted now', mixed, model)
    reportAll(`in use (version ${CONFIDENCE_MODEL.version})`, mixed, CONFIDENCE_MODEL)
  }
  printReliability(
    examples.filter((each) => each.heldOut && isIn(mostlyAnswerable, each)),
    model,
  )
  if (args.includes('--write')) write(model)
}

/** How well the model in use is calibrated, each figure with what is wanted. */
export async function calibrationRows(): Promise<readonly FigureRow[]> {
  const examples = await collectAll()
  return [mostlyAnswerable, halfAnswerable].flatMap((mix): FigureRow[] => {
    const mixed = examples.filter((each) => isIn(mix, each))
    const [development, heldOut] = [false, true].map((half) =>
      judgedBy(
        CONFIDENCE_MODEL,
        mixed.filter((each) => each.heldOut === half),
      ),
    )
    const share = `${mix === mostlyAnswerable ? 'a quarter' : 'half'} unanswerable`
    const both = (measure: (judged: readonly Judged[]) => number) =>
      [development, heldOut].map((judged = []) => measure(judged).toFixed(3)) as [string, string]
    return [
      [`Calibration error, ${share}`, '0.06–0.08', ...both(calibrationError), '≤ 0.050'],
      [`AUROC right from wrong, ${share}`, '0.88–0.92', ...both(rankQuality), '≥ 0.920'],
    ]
  })
}

async function collectAll(): Promise<readonly Example[]> {
  const folder = dataFolder()
  const sets = [xquad(folder), covidQa(folder)]
  const libraries = await Promise.all(sets.map(libraryOf))
  const examples: Example[] = []
  for (const [i, set] of sets.entries()) {
    const [own, other] = [libraries[i], libraries[1 - i]]
    if (own && other) examples.push(...(await collect(set, own.passages, other.passages)))
  }
  for (const library of libraries) await library.close()
  return examples
}

function reportAll(which: string, examples: readonly Example[], model: ConfidenceModel): void {
  const unseen = examples.filter(({ heldOut }) => heldOut)
  const learnt = examples.filter(({ heldOut }) => !heldOut)
  report(`development, ${which}`, learnt, model)
  report(`held out, ${which}`, unseen, model)
  for (const name of new Set(examples.map(({ set }) => set))) {
    const own = unseen.filter(({ set }) => set === name)
    report(`held out, ${name}, ${which}`, own, model)
  }
}

/** What is asked about: known to the library, a gap in what it holds on the topic, or another topic altogether. */
type Variant = 'known' | 'gap' | 'off topic'

interface Example {
  readonly set: string
  /** The question's number within its set. */
  readonly number: number
  readonly variant: Variant
  readonly features: ConfidenceFeatures
  readonly right: boolean
  readonly heldOut: boolean
}

/** How many of eight questions of each half are asked on a gap, and off topic; the others are as they are. */
interface Mix {
  readonly name: string
  readonly gap: number
  readonly offTopic: number
}

const mostlyAnswerable: Mix = { name: 'An eighth on a gap, an eighth off topic', gap: 1, offTopic: 1 }
const halfAnswerable: Mix = { name: 'A quarter on a gap, a quarter off topic', gap: 2, offTopic: 2 }

function isIn({ gap, offTopic }: Mix, { number, variant }: Example): boolean {
  const place = Math.floor(number / 2) % 8
  return variant === (place < gap ? 'gap' : place < gap + offTopic ? 'off topic' : 'known')
}

async function libraryOf({ documents }: QuestionSet): Promise<Storage> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.passages, documents)
  return storage
}

async function collect(set: QuestionSet, own: PassageIndex, other: PassageIndex): Promise<Example[]> {
  const examples: Example[] = []
  for (const [number, question] of set.questions.entries()) {
    for (const variant of ['known', 'gap', 'off topic'] as const) {
      const judged = await judge(variant === 'off topic' ? other : own, question, variant)
      if (judged) examples.push({ set: set.name, number, variant, ...judged, heldOut: number % 2 === 1 })
    }
  }
  return examples
}

async function judge(index: PassageIndex, asked: SetQuestion, variant: Variant) {
  const isGold = ({ documentId, start, end }: Passage) => holdsAnswer(asked, documentId, start, end)
  const found = (await findPassages(index, asked.question, { limit: 20 }))
    .filter(({ passage }) => variant !== 'gap' || !isGold(passage))
    .slice(0, 10)
  const evidence = found.map(({ passage, document, score }, i): EvidencePassage => {
    const { documentId, title, source, year } = document
    const { page, section, kind, text } = passage
    return { id: `P${i + 1}`, documentId, title, source, year, page, section, kind, origin: 'documents', text, score }
  })
  const { question } = asked
  const task = { agent: 'synthesis', question, evidence } as const
  const { text, basis } = await extractAnswer(task, partsOver(index, { documentGap: 0 }))
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
      (says(quote, asked) ||
        (variant !== 'off topic' && holdsAnswer(asked, passage.documentId, start, start + quote.length)))
    )
  })
  return { features, right }
}

/** Many articles say the same thing twice: the answer's own words elsewhere are right too, unless they are few. */
function says(quote: string, { answers }: SetQuestion): boolean {
  const shortest = 5
  return answers.some(({ text }) => text.length >= shortest && quote.toLowerCase().includes(text.toLowerCase()))
}

/** Logistic regression by gradient descent, with a little shrinkage. */
function fit(examples: readonly Example[]): ConfidenceModel {
  const rounds = 20_000
  const rate = 2
  const shrinkage = 1e-3
  let constant = 0
  let weights = { passage: 0, coverage: 0, names: 0, score: 0, margin: 0, lead: 0, length: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const model = { version: CONFIDENCE_MODEL.version, constant, weights }
    const errors = examples.map(({ features, right }) => Number(right) - applyModel(features, model))
    const mean = (of: (example: Example) => number) =>
      examples.reduce((sum, example, i) => sum + (errors[i] ?? 0) * of(example), 0) / examples.length
    constant += rate * mean(() => 1)
    const next = { ...weights }
    for (const name of CONFIDENCE_FEATURES)
      next[name] += rate * (mean(({ features }) => features[name]) - shrinkage * weights[name])
    weights = next
  }
  const round = (value: number) => Math.round(value * 100) / 100
  for (const name of CONFIDENCE_FEATURES) weights[name] = round(weights[name])
  return { version: CONFIDENCE_MODEL.version + 1, constant: round(constant), weights }
}

function report(name: string, examples: readonly Example[], model: ConfidenceModel): void {
  const judged = judgedBy(model, examples)
  const below = judged.filter(({ p }) => p < 0.3)
  const lost = below.filter(({ right }) => right).length
  console.log(
    `${name} (${judged.length}, ${judged.filter(({ right }) => right).length} right): ECE ${calibrationError(judged).toFixed(3)}, ` +
      `AUROC ${rankQuality(judged).toFixed(3)}; below 0.3: ${below.length}, of them right ${lost}`,
  )
}

function judgedBy(model: ConfidenceModel, examples: readonly Example[]): readonly Judged[] {
  return examples.map(({ features, right }) => ({ p: applyModel(features, model), right }))
}

/** How often answers of each confidence are right. */
function printReliability(examples: readonly Example[], model: ConfidenceModel): void {
  const judged = judgedBy(model, examples)
  console.log('\nconfidence   answers   right')
  for (let bin = 0; bin < 10; bin += 1) {
    const own = judged.filter(({ p }) => Math.min(9, Math.floor(p * 10)) === bin)
    const right = own.filter((each) => each.right).length
    const share = own.length > 0 ? (right / own.length).toFixed(2) : '–'
    console.log(
      `${(bin / 10).toFixed(1)}–${((bin + 1) / 10).toFixed(1)}      ${String(own.length).padStart(5)}     ${share}`,
    )
  }
}

/** Writes the model into the source, in the place of the one in use. */
function write({ version, constant, weights }: ConfidenceModel): void {
  const path = join(import.meta.dirname, '..', 'src', 'offline', 'confidence', 'confidence-model.ts')
  const fields = CONFIDENCE_FEATURES.map((name) => `${name}: ${weights[name]}`).join(', ')
  const literal = `= {\n  version: ${version},\n  constant: ${constant},\n  weights: { ${fields} },\n}`
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
