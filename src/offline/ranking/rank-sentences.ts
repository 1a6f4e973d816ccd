import { inverseFrequency, type PassageIndex, type Span, stem, tokens } from '../../library/index.ts'
import { bearsAnswer, type Question, readQuestion, yearsIn } from './question.ts'
import {
  documentKey,
  identityOf,
  matchWords,
  pairsOf,
  SENTENCE_FEATURES,
  type SentenceFeatures,
  type SentenceScale,
  sentenceFeatures,
  shareOf,
} from './sentence-features.ts'
import { SENTENCE_MODEL } from './sentence-model.ts'
import { type EvidenceText, type SentenceUnit, unitsOf } from './sentence-unit.ts'
import { contextOf, type TableRow } from './table.ts'

export type { EvidenceText }

/** A sentence or table row that may answer the question. */
export interface RankedSentence {
  /** The passage's id. */
  readonly id: string
  /** `passage.text.slice(start, end) === text` */
  readonly start: number
  readonly end: number
  readonly text: string
  /** What is shown of it. */
  readonly snippet: Span
  /** What it stands in. */
  readonly section: string | null
  /** A row's cells and the table that gives them their meaning; null for sentences. */
  readonly row: TableRow | null
  /** Greater is better; about 1 is a perfect match. Comparable between questions. */
  readonly score: number
}

/** How much each stem of a question counts. */
export type StemWeights = ReadonlyMap<string, number>

/**
 * Looks up how common a question's words are in the whole library. Words of the questions that it leans on count half,
 * but for the names in them, or the rarest word where they have none: that is what it is about.
 */
export async function stemWeights(index: Pick<PassageIndex, 'frequencies'>, question: Question): Promise<StemWeights> {
  const { passages, of } = await index.frequencies([...new Set(question.words)])
  const weights = new Map(question.words.map((word) => [stem(word), inverseFrequency(of.get(word) ?? 0, passages)]))
  const { stems: context, names } = question.context
  const [rarest] = [...context].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
  const saysNothing = question.stems.every((word) => context.has(word))
  const isSubject = (word: string) => (names.size > 0 ? names.has(word) : saysNothing && word === rarest)
  for (const word of context) if (!isSubject(word)) weights.set(word, (weights.get(word) ?? 0) * OF_CONTEXT)
  return weights
}

const OF_CONTEXT = 0.5

/**
 * Orders the sentences and table rows of the evidence by how likely they answer the question, best first. `weights`
 * come from `stemWeights`; without them, words that are rare in the evidence itself count more.
 */
export function rankSentences(
  question: Question | string,
  evidence: readonly EvidenceText[],
  weights?: StemWeights,
): readonly RankedSentence[] {
  const asked = typeof question === 'string' ? readQuestion(question) : question
  return bestFirst(measureSentences(asked, evidence, weights))
}

/** The same in steps that are short however much evidence there is; `pause` is awaited between them, and may throw. */
export async function rankInSteps(
  asked: Question,
  evidence: readonly EvidenceText[],
  weights: StemWeights,
  pause: () => Promise<unknown>,
): Promise<readonly RankedSentence[]> {
  const units: SentenceUnit[] = []
  for (const passage of evidence) {
    await pause()
    units.push(...unitsFor(asked, passage))
  }
  const scale = scaleOf(asked, units, weights)
  const measured: MeasuredSentence[] = []
  for (const unit of units) {
    await pause()
    measured.push(measure(unit, scale))
  }
  return bestFirst(measured)
}

function bestFirst(measured: readonly MeasuredSentence[]): readonly RankedSentence[] {
  return measured
    .map(({ features, ...sentence }) => ({ ...sentence, score: weigh(features) }))
    .sort((a, b) => b.score - a.score)
}

/** A sentence with all that its score is made of. */
export interface MeasuredSentence extends Omit<RankedSentence, 'score'> {
  readonly features: SentenceFeatures
}

/** Measures the sentences and rows in the order of the evidence, for ranking them and for fitting the ranking. */
export function measureSentences(
  asked: Question,
  evidence: readonly EvidenceText[],
  weights?: StemWeights,
): readonly MeasuredSentence[] {
  const units = evidence.flatMap((passage) => unitsFor(asked, passage))
  const scale = scaleOf(asked, units, weights)
  return units.map((unit) => measure(unit, scale))
}

/** The sentences and rows of a passage; of a table that names years, those of the question's year. */
function unitsFor({ years }: Question, passage: EvidenceText): readonly SentenceUnit[] {
  return unitsOf(passage).filter(({ row }) => {
    const stated = row && years.size > 0 ? yearsIn(contextOf(row)) : []
    return stated.length === 0 || stated.some((year) => years.has(year))
  })
}

function scaleOf(asked: Question, units: readonly SentenceUnit[], weights: StemWeights | undefined): SentenceScale {
  const wanted = [...new Set(asked.stems)]
  const texts = units.map(({ own }) => new Set(own))
  const vocabulary = new Set(units.flatMap(({ own, headings }) => [...own, ...headings]))
  const inEvidence = new Map(
    wanted.map((word) => [word, inverseFrequency(texts.filter((text) => text.has(word)).length, texts.length)]),
  )
  const inLibrary = new Map(wanted.map((word) => [word, (weights ?? inEvidence).get(word) ?? 1]))
  const names = units.map(({ passage }) => identityOf(passage))
  const naming = wanted.filter((word) => {
    const holding = names.filter((name) => name.has(word)).length
    return holding > 0 && holding < names.length
  })
  const match = matchWords(wanted, vocabulary)
  return {
    asked,
    held: heldBy(units, (words) => shareOf(inLibrary, (word) => match(word, words))),
    pairs: pairsOf(tokens(asked.text).map(({ word }) => stem(word))),
    inLibrary,
    inEvidence,
    naming: new Map(naming.map((word) => [word, inLibrary.get(word) ?? 1])),
    bestScore: Math.max(0, ...units.map(({ passage }) => passage.score)),
    match,
  }
}

/** How much of the question each passage and each document holds, as a share of the best passage and document. */
function heldBy(
  units: readonly SentenceUnit[],
  shareIn: (words: ReadonlySet<string>) => number,
): ReadonlyMap<string, number> {
  const words = { passages: new Map<string, Set<string>>(), documents: new Map<string, Set<string>>() }
  for (const { passage, own, headings } of units) {
    for (const [all, key] of [
      [words.passages, passage.id],
      [words.documents, documentKey(passage)],
    ] as const) {
      const known = all.get(key) ?? new Set(headings)
      for (const word of own) known.add(word)
      all.set(key, known)
    }
  }
  const relative = (all: ReadonlyMap<string, ReadonlySet<string>>) => {
    const shares = Array.from(all, ([key, held]) => [key, shareIn(held)] as const)
    const best = Math.max(...shares.map(([, share]) => share))
    return shares.map(([key, share]) => [key, best > 0 ? share / best : 0] as const)
  }
  return new Map([...relative(words.passages), ...relative(words.documents)])
}

function weigh(features: SentenceFeatures): number {
  return SENTENCE_FEATURES.reduce((sum, name) => sum + SENTENCE_MODEL[name] * features[name], 0)
}

function measure(unit: SentenceUnit, scale: SentenceScale): MeasuredSentence {
  const { asked } = scale
  const { passage, start, end, text, row } = unit
  return {
    id: passage.id,
    start,
    end,
    text,
    snippet: unit.snippet,
    section: unit.section,
    row,
    features: sentenceFeatures(unit, new Set(unit.own), bearsAnswer(asked, text), scale),
  }
}
