/** What the confidence is computed from; each between 0 and 1 where nothing else is said. */
export const CONFIDENCE_FEATURES = [
  /** The answer's score in the ranking, at most 3. */
  'score',
  /** By how much that is more than the best of another passage that says something else, at most 0.5. */
  'margin',
  /** How much of the search its passage holds. */
  'passage',
  /** The question's words in what is shown, its section and the name of its document, rare ones counting more. */
  'shown',
  /** The weight of the heaviest of the question's words that the passage and its document's name lack. */
  'missing',
  /** The share of the question's names, and of its figures, that stand there; 1 without any. */
  'names',
  'numbers',
  /** It holds nothing of the kind that is asked for. */
  'lacksKind',
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

/** The model that is in use; written by `npm run bench -- fit-confidence --write`. See docs/confidence.md. */
export const CONFIDENCE_MODEL: ConfidenceModel = {
  version: 7,
  constant: -4.56,
  weights: {
    score: 0.81,
    margin: 5.66,
    passage: 1.18,
    shown: 0.26,
    missing: 0.33,
    names: 0.58,
    numbers: 0.83,
    lacksKind: -0.09,
    fact: -0.05,
    row: 0.84,
    length: 1.84,
  },
}

/** What speaks less for it that the passages hold what is asked about is not shown; for a fact, more must. */
const LEAST_SUPPORT = 0.48
const MORE_FOR_FACTS = 0.3

/** Whether the thing asked about is there: what the search and what is shown hold of it, less the gravest word missing. */
export function isSupported({ passage, shown, missing, fact }: ConfidenceFeatures): boolean {
  return passage + shown - missing >= LEAST_SUPPORT + MORE_FOR_FACTS * fact
}

/** The probability that a model gives to features. */
export function applyModel(features: ConfidenceFeatures, { constant, weights }: ConfidenceModel): number {
  const sum = CONFIDENCE_FEATURES.reduce((total, name) => total + weights[name] * features[name], constant)
  return 1 / (1 + Math.exp(-sum))
}
