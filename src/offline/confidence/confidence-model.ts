/** What the confidence is computed from; each between 0 and 1 where nothing else is said. */
export interface ConfidenceFeatures {
  /** How much of the search the best cited passage holds: tells questions that can be answered from others. */
  readonly passage: number
  /** The share of the question's words that stand in the best cited sentence, its neighbour and its headings. */
  readonly coverage: number
  /** The share of the question's names that stand in the cited passage or its headings; 1 without names. */
  readonly names: number
  /** The best cited sentence's own score, at most 1.5. */
  readonly score: number
  /** By how much that is more than the best of those that say otherwise, -0.3 to 0.3: tells right from wrong. */
  readonly margin: number
  /** By how much the documents cited, at their best passage, are better than all others, -0.3 to 0.3. */
  readonly lead: number
  /** How many words the question has, as a share of ten: what holds all of a long question can hardly be chance. */
  readonly length: number
}

export const CONFIDENCE_FEATURES = ['passage', 'coverage', 'names', 'score', 'margin', 'lead', 'length'] as const

/** A logistic regression: weights by feature, and the constant. */
export interface ConfidenceModel {
  readonly version: number
  readonly constant: number
  readonly weights: ConfidenceFeatures
}

/** The model that is in use; written by `npm run bench -- fit-confidence --write`. See docs/confidence.md. */
export const CONFIDENCE_MODEL: ConfidenceModel = {
  version: 3,
  constant: -4.46,
  weights: { passage: 0.49, coverage: 0.36, names: 0.29, score: 2.16, margin: 4.69, lead: 3.12, length: 1.83 },
}

/** The probability that a model gives to features. */
export function applyModel(features: ConfidenceFeatures, { constant, weights }: ConfidenceModel): number {
  const sum = CONFIDENCE_FEATURES.reduce((total, name) => total + weights[name] * features[name], constant)
  return 1 / (1 + Math.exp(-sum))
}
