/** What the confidence is computed from; each between 0 and 1 where nothing else is said. */
export const CONFIDENCE_FEATURES = [
  /** The answer's score in the ranking, at most 3. */
  'score',
  /** By how much that is more than the best of another passage, at most 0.5. */
  'margin',
  /** How much of the question's words stand in its passage, in all that was found of its document, and in what is shown of it,
   * each with headings and the document's name; rare ones count more. */
  'passage',
  'document',
  'shown',
  /** The weight of the heaviest of the question's words that the passage and its document's name lack, as a share of all. */
  'missing',
  /** What is shown holds something of the kind that is asked for. */
  'bears',
  /** A fact is asked for: a figure, a time, a person, a place. */
  'fact',
  'row',
  /** How many words the question has, as a share of ten. */
  'length',
] as const

export type ConfidenceFeatures = Readonly<Record<(typeof CONFIDENCE_FEATURES)[number], number>>

/** A logistic regression: weights by feature, and the constant. */
export interface ConfidenceModel {
  readonly version: number
  readonly constant: number
  readonly weights: ConfidenceFeatures
}

/** The model that is in use. See docs/confidence.md for what it is fitted to. */
export const CONFIDENCE_MODEL: ConfidenceModel = {
  version: 10,
  constant: -3.16,
  weights: {
    score: 1.01,
    margin: 1.1,
    passage: 0.68,
    document: 0.66,
    shown: 0.75,
    missing: -0.07,
    bears: -0.1,
    fact: -0.11,
    row: -0.41,
    length: 0.33,
  },
}

/**
 * What is shown at all: how much of the question, rare words counting more, the best document holds, less the rarest word that
 * the passage lacks. A fact needs more. Fitted, then rounded, to tell answers that are shown from questions that no document
 * answers, which count three times; see `npm run bench -- fit-confidence`.
 */
const SUPPORT: Readonly<Partial<ConfidenceFeatures>> = {
  document: 1,
  missing: -0.6,
  score: 0.2,
  fact: -0.35,
  bears: 0.3,
}
const LEAST_SUPPORT = 0.75

/** Whether the documents seem to hold an answer. */
export function isSupported(features: ConfidenceFeatures): boolean {
  return CONFIDENCE_FEATURES.reduce((sum, name) => sum + (SUPPORT[name] ?? 0) * features[name], 0) >= LEAST_SUPPORT
}

/** The probability that a model gives to features. */
export function applyModel(features: ConfidenceFeatures, { constant, weights }: ConfidenceModel): number {
  const sum = CONFIDENCE_FEATURES.reduce((total, name) => total + weights[name] * features[name], constant)
  return 1 / (1 + Math.exp(-sum))
}
