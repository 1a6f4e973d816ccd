/** What the confidence is computed from; each between 0 and 1 where nothing else is said. */
export const CONFIDENCE_FEATURES = [
  /** The answer's score in the ranking, at most 3. */
  'score',
  /** By how much that is more than the best of another passage that says something else, at most 0.5. */
  'margin',
  /** How much of the search its passage holds. */
  'passage',
  /** The question's words in the sentence, its neighbour and its headings, rare ones counting more. */
  'coverage',
  /** The same in what is shown, its section and the name of its document. */
  'shown',
  /** The weight of the heaviest of the question's words that the passage and its document's name lack. */
  'missing',
  /** The share of the question's names, and of its figures, that stand there; 1 without any. */
  'names',
  'numbers',
  /** It holds nothing of the kind that is asked for. */
  'lacksKind',
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

/** The model that is in use; written by `npm run bench -- fit-confidence --write`. See docs/confidence.md. */
export const CONFIDENCE_MODEL: ConfidenceModel = {
  version: 6,
  constant: -6.55,
  weights: {
    score: 1.77,
    margin: 6.1,
    passage: 1.76,
    coverage: -0.62,
    shown: 1.2,
    missing: 0.98,
    names: 0.45,
    numbers: 0.96,
    lacksKind: 0.06,
    row: 0.76,
    length: 1.94,
  },
}

/** The probability that a model gives to features. */
export function applyModel(features: ConfidenceFeatures, { constant, weights }: ConfidenceModel): number {
  const sum = CONFIDENCE_FEATURES.reduce((total, name) => total + weights[name] * features[name], constant)
  return 1 / (1 + Math.exp(-sum))
}
