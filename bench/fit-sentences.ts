import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readQuestion } from '../src/offline/ranking/question.ts'
import { type MeasuredSentence, measureSentences, stemWeights } from '../src/offline/ranking/rank-sentences.ts'
import { SENTENCE_FEATURES, type SentenceFeature } from '../src/offline/ranking/sentence-features.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { fitSoftmax, type Group } from './fit-softmax.ts'
import { type ForeignEvidence, withForeignEvidence } from './foreign/evidence.ts'
import { holdsExpected } from './foreign/judge.ts'
import { covidQa, dataFolder, evidenceFor, fill, holdsAnswer, type QuestionSet, xquad } from './question-sets.ts'

/**
 * Fits the weights of the sentence ranking to the even questions of XQuAD and COVID-QA and to the foreign ones, and writes
 * them into the source. With `--check` it prints, which takes long, how often the right sentence comes first and among
 * three on documents left out of the fit. Feature names as arguments are left out, to see what they are worth; then
 * nothing is written.
 */
export async function run(args: readonly string[]): Promise<void> {
  const leftOut = args.filter((each) => each !== CHECK)
  const folder = dataFolder()
  const covid = covidQa(folder)
  const examples = [
    ...(await collect(xquad(folder), 'library')),
    ...(await collect(covid, 'library')),
    ...(await collect({ ...covid, name: 'COVID-QA, article known' }, 'document')),
    ...(await withForeignEvidence(collectForeign)),
    ...(await withForeignEvidence(collectForeign, { folder: PLAIN_WORDS })),
    ...(await withForeignEvidence(collectForeign, { folder: EVERYDAY })),
    ...(await withForeignEvidence(collectForeign, { folder: EVERYDAY, of: 'aside' })),
  ]
  const names = SENTENCE_FEATURES.filter((name) => !leftOut.includes(name))
  const judged = args.length > 0 ? crossValidate(examples, names) : []
  for (const set of new Set(judged.map((each) => each.set))) {
    const of = judged.filter((each) => each.set === set)
    const share = (count: number) => (count / of.length).toFixed(3)
    const first = of.filter(({ rank }) => rank === 0).length
    const three = of.filter(({ rank }) => rank < 3).length
    console.log(`${set} (${of.length} questions, articles left out): first ${share(first)}, in three ${share(three)}`)
  }
  const model = fit(examples, names)
  for (const name of names) console.log(`${name.padEnd(16)}${(model.get(name) ?? 0).toFixed(3)}`)
  if (leftOut.length === 0) writeFileSync(MODEL_FILE, modelSource(model))
}

const CHECK = '--check'
/** Questions in everyday words, over the same documents and reports of trials. */
const PLAIN_WORDS = join(import.meta.dirname, 'plain-words')
/** Both halves: the one put aside was counted before the fit. */
const EVERYDAY = join(import.meta.dirname, 'everyday')
const MODEL_FILE = new URL('../src/offline/ranking/sentence-model.ts', import.meta.url)

/** Softmax weights are divided by this, so that about 1 is a perfect match; the weights set by hand are on that scale. */
const SCALE = 12
const SHRINKAGE = 0.3
const FOLDS = 10
/** Of few questions over many kinds of document, each counts for more. */
const FOREIGN_WEIGHT = 3

interface Example {
  readonly set: string
  /** Folds keep together what is on one subject: a Wikipedia article, or a paper. */
  readonly subject: string
  readonly sentences: readonly MeasuredSentence[]
  readonly right: readonly boolean[]
  /** Each question counts once, also where it is asked of the library and of its article. */
  readonly weight: number
}

async function collect(set: QuestionSet, scope: 'library' | 'document'): Promise<Example[]> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.library, set.documents)
  const titles = new Map(set.documents.map(({ record }) => [record.documentId, record.title]))
  const examples: Example[] = []
  for (const asked of set.questions.filter((_, i) => i % 2 === 0)) {
    const documents = scope === 'document' ? [asked.documentId] : null
    const evidence = await evidenceFor(storage.library, asked.question, documents)
    const question = readQuestion(asked.question)
    const sentences = measureSentences(question, evidence, await stemWeights(storage.library, question))
    const right = sentences.map(({ id, start, end }) => {
      const passage = evidence.find((each) => each.id === id)
      const offset = passage?.start ?? 0
      return holdsAnswer(asked, passage?.documentId ?? '', offset + start, offset + end)
    })
    const weight = set.name === 'XQuAD' ? 1 : 0.5
    examples.push({ set: set.name, subject: titles.get(asked.documentId) ?? '', sentences, right, weight })
  }
  await storage.close()
  return examples
}

/** Of foreign documents, what is shown of a sentence must hold the answer. */
async function collectForeign(found: readonly ForeignEvidence[], { library: passages }: Storage): Promise<Example[]> {
  const examples: Example[] = []
  for (const { asked, evidence, isOwn } of found.filter((each) => each.asked.kind !== 'unanswerable')) {
    const question = readQuestion(asked.question)
    const sentences = measureSentences(question, evidence, await stemWeights(passages, question))
    const right = sentences.map(({ id, snippet }) => {
      const passage = evidence.find((each) => each.id === id)
      const shown = passage && isOwn(passage) ? passage.text.slice(snippet.start, snippet.end) : ''
      return holdsExpected(asked.expect ?? [], shown)
    })
    examples.push({ set: 'foreign', subject: asked.documents[0] ?? '', sentences, right, weight: FOREIGN_WEIGHT })
  }
  return examples
}

function crossValidate(examples: readonly Example[], names: readonly SentenceFeature[]) {
  const subjects = [...new Set(examples.map(({ subject }) => subject))]
  const foldOf = new Map(subjects.map((subject, i) => [subject, i % FOLDS]))
  return Array.from({ length: FOLDS }, (_, fold) => {
    const isUnseen = ({ subject }: Example) => foldOf.get(subject) === fold
    const model = fit(
      examples.filter((example) => !isUnseen(example)),
      names,
    )
    return examples.filter(isUnseen).map((example) => ({ set: example.set, rank: rankOfRight(example, model) }))
  }).flat()
}

type Model = ReadonlyMap<SentenceFeature, number>

function fit(examples: readonly Example[], names: readonly SentenceFeature[]): Model {
  const groups = examples
    .filter(({ right }) => right.includes(true))
    .map(
      ({ sentences, right, weight }): Group => ({
        rows: sentences.map(({ features }) => names.map((name) => features[name])),
        offsets: sentences.map(() => 0),
        right,
        weight,
      }),
    )
  const weights = fitSoftmax(groups, SHRINKAGE)
  return new Map(names.map((name, i) => [name, Math.round(((weights[i] ?? 0) / SCALE) * 1000) / 1000]))
}

/** How many sentences stand before the first right one; infinite if none is right. */
function rankOfRight({ sentences, right }: Example, model: Model): number {
  const scores = sentences.map(({ features }) =>
    Array.from(model).reduce((sum, [name, weight]) => sum + weight * features[name], 0),
  )
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const rank = order.findIndex((i) => right[i])
  return rank < 0 ? Infinity : rank
}

function modelSource(model: Model): string {
  const lines = Array.from(model, ([name, weight]) => `  ${name}: ${weight},`)
  return `import type { SentenceFeatures } from './sentence-features.ts'

/** How much each feature of a sentence counts. Written by \`npm run bench -- fit-sentences\`. */
export const SENTENCE_MODEL: SentenceFeatures = {
${lines.join('\n')}
}
`
}
