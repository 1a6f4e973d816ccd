import { readQuestion } from '../library/question.ts'
import { type EvidenceText, type RankedSentence, rankSentences, type StemWeights } from '../library/rank-sentences.ts'
import { stems } from '../library/terms.ts'

export interface AnswerToJudge {
  readonly question: string
  /** All passages that were at hand, not only those cited: the others tell how clear the choice was. */
  readonly evidence: readonly EvidenceText[]
  /** The verified quotes, each with the id of its passage in `evidence`. */
  readonly quotes: readonly { readonly id: string; readonly quote: string }[]
  /** How rare the question's words are in the library (`stemWeights`); judged by the evidence alone if absent. */
  readonly weights?: StemWeights
}

/** What the confidence is computed from, each between 0 and 1 but for `margin`, which is between -1 and 1. */
export interface ConfidenceFeatures {
  /** How much of the search the best cited passage holds. */
  readonly passage: number
  /** The share of the question's words that stand in the best cited sentence. */
  readonly coverage: number
  /** The same, with title, headings and neighbouring sentence. */
  readonly coverageInContext: number
  /** The share of the question's words that stand in the best cited passage. */
  readonly coverageInPassage: number
  /** Whether the question's rarest word stands in the best cited passage or its headings. */
  readonly rarest: number
  /** By how much the best cited sentence is better than the best that was not cited. */
  readonly margin: number
  /** Whether a cited sentence holds the kind of thing that was asked for. */
  readonly bearsAnswer: number
}

/**
 * Probability that an answer is right, from its evidence alone: no model is asked. 0 for an answer without quotes.
 */
export function confidenceOf(answer: AnswerToJudge): number {
  const features = confidenceFeatures(answer)
  return features ? applyModel(features, CONFIDENCE_MODEL) : 0
}

/** A logistic regression: weights by feature, and the constant. */
export interface ConfidenceModel {
  readonly version: number
  readonly constant: number
  readonly weights: Readonly<Record<keyof ConfidenceFeatures, number>>
}

/** The model that is in use. `npm run bench -- fit-confidence` fits it anew and prints how well it is calibrated. */
export const CONFIDENCE_MODEL: ConfidenceModel = {
  version: 1,
  constant: -4,
  weights: {
    coverageInPassage: 0,
    rarest: 0,
    passage: 3,
    coverage: 1,
    coverageInContext: 2,
    margin: 3,
    bearsAnswer: 0.5,
  },
}

/** The probability that a model gives to features. */
export function applyModel(features: ConfidenceFeatures, { constant, weights }: ConfidenceModel): number {
  const names = Object.keys(weights) as (keyof ConfidenceFeatures)[]
  const sum = names.reduce((total, name) => total + weights[name] * features[name], constant)
  return 1 / (1 + Math.exp(-sum))
}

/** What speaks for an answer and against it; null if it quotes nothing of the evidence. */
export function confidenceFeatures({ question, evidence, quotes, weights }: AnswerToJudge): ConfidenceFeatures | null {
  const asked = readQuestion(question)
  const ranked = rankSentences(asked, evidence, weights)
  const cited = ranked.filter((sentence) => quotes.some((quote) => isQuoted(sentence, quote)))
  const best = cited[0]
  if (!best) return null
  const passage = evidence.find(({ id }) => id === best.id)
  const held = new Set(stems(`${passage?.title ?? ''} ${passage?.section ?? ''} ${passage?.text ?? ''}`))
  const weigh = (word: string) => weights?.get(word) ?? 1
  const wanted = [...new Set(asked.stems)].sort((a, b) => weigh(b) - weigh(a))
  const total = wanted.reduce((sum, word) => sum + weigh(word), 0)
  const rival = ranked.find((sentence) => !cited.includes(sentence) && !says(sentence.text, best.text))
  return {
    passage: Math.max(...cited.map((sentence) => sentence.passageScore)),
    coverage: best.coverage,
    coverageInContext: best.coverageInContext,
    coverageInPassage:
      total > 0 ? wanted.reduce((sum, word) => sum + (held.has(word) ? weigh(word) : 0), 0) / total : 0,
    rarest: held.has(wanted[0] ?? '') ? 1 : 0,
    margin: clamp(best.score - (rival?.score ?? 0)),
    bearsAnswer: cited.some((sentence) => sentence.bearsAnswer) ? 1 : 0,
  }
}

/** The quote is part of the sentence, or the sentence of the quote. */
function isQuoted(sentence: RankedSentence, { id, quote }: { readonly id: string; readonly quote: string }): boolean {
  return sentence.id === id && (says(sentence.text, quote) || says(quote, sentence.text))
}

function says(text: string, part: string): boolean {
  return plain(text).includes(plain(part))
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function clamp(value: number): number {
  return Math.max(-1, Math.min(1, value))
}
