import type { SentenceFeatures } from './sentence-features.ts'

/** How much each feature of a sentence counts. Written by `npm run bench -- fit-sentences`. */
export const SENTENCE_MODEL: SentenceFeatures = {
  soFar: 0.447,
  withPrevious: 0.049,
  withNext: 0.214,
  phrases: 0.308,
  signs: 0.555,
  nearBest: 0.237,
  passage: 0.113,
  document: 0.15,
  heading: 0.417,
  ownDocument: 0.135,
  label: 0.259,
  lacksFact: -0.094,
  opens: 0.033,
}
