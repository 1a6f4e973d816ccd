import { stem } from '../../library/language/stem.ts'
import { tokens } from '../../library/language/terms.ts'
import type { PassageIndex } from '../../library/port/passage-index.ts'
import type { Span } from '../../library/quote.ts'
import { inverseFrequency } from '../../library/search/rank-passages.ts'
import { bearsAnswer, type Question, readQuestion } from './question.ts'
import {
  identityOf,
  isDefinition,
  matchWords,
  pairsOf,
  SENTENCE_FEATURES,
  type SentenceFeatures,
  type SentenceScale,
  sentenceFeatures,
} from './sentence-features.ts'
import { SENTENCE_MODEL } from './sentence-model.ts'
import { type EvidenceText, type SentenceUnit, unitsOf } from './sentence-unit.ts'
import type { TableRow } from './table.ts'

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
  /** A row's cells and the table that gives them their meaning; null for sentences. */
  readonly row: TableRow | null
  /** Greater is better; about 1 is a perfect match. Comparable between questions. */
  readonly score: number
  /** Whether it holds the kind of thing that the question asks for. */
  readonly bearsAnswer: boolean
}

/** How much each stem of a question counts. */
export type StemWeights = ReadonlyMap<string, number>

/** Looks up how common a question's words are in the whole library. */
export async function stemWeights(index: Pick<PassageIndex, 'frequencies'>, question: Question): Promise<StemWeights> {
  const { passages, of } = await index.frequencies([...new Set(question.words)])
  return new Map(question.words.map((word) => [stem(word), inverseFrequency(of.get(word) ?? 0, passages)]))
}

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
    units.push(...unitsOf(passage))
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
  const units = evidence.flatMap(unitsOf)
  const scale = scaleOf(asked, units, weights)
  return units.map((unit) => measure(unit, scale))
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
  return {
    asked,
    pairs: pairsOf(tokens(asked.text).map(({ word }) => stem(word))),
    inLibrary,
    inEvidence,
    naming: new Map(naming.map((word) => [word, inLibrary.get(word) ?? 1])),
    bestScore: Math.max(0, ...units.map(({ passage }) => passage.score)),
    match: matchWords(wanted, vocabulary),
  }
}

function weigh(features: SentenceFeatures): number {
  return SENTENCE_FEATURES.reduce((sum, name) => sum + SENTENCE_MODEL[name] * features[name], 0)
}

function measure(unit: SentenceUnit, scale: SentenceScale): MeasuredSentence {
  const { asked } = scale
  const { passage, start, end, text, row } = unit
  const defines = !row && isDefinition(unit, asked)
  // A definition says what it defines.
  const own = new Set(defines ? [...unit.own, ...asked.stems] : unit.own)
  const bears = bearsAnswer(asked, text)
  return {
    id: passage.id,
    start,
    end,
    text,
    snippet: unit.snippet,
    row,
    bearsAnswer: bears,
    features: sentenceFeatures(unit, own, { bears, defines }, scale),
  }
}
