import type { SentenceFeatures } from './sentence-features.ts'

/** How much each feature of a sentence counts. Written by `npm run bench -- fit-sentences`. */
export const SENTENCE_MODEL: SentenceFeatures = {
  passage: 0.511,
  soFar: 0.362,
  withPrevious: 0.124,
  withNext: 0.228,
  withTitle: 0.08,
  pronoun: 0.185,
  early: 0.05,
  order: 0.029,
  phrases: 0.206,
  focus: 0.069,
  signs: 0.608,
  opensPassage: 0.028,
  isFragment: -0.088,
}
