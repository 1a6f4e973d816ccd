import type { SentenceFeatures } from './sentence-features.ts'

/** How much each feature of a sentence counts. Written by `npm run bench -- fit-sentences`. */
export const SENTENCE_MODEL: SentenceFeatures = {
  passage: 0.497,
  soFar: 0.353,
  withPrevious: 0.133,
  withNext: 0.232,
  withTitle: 0.09,
  pronoun: 0.184,
  early: 0.046,
  order: 0.026,
  phrases: 0.193,
  focus: 0.066,
  signs: 0.604,
  opensPassage: 0.025,
  isFragment: -0.088,
}
