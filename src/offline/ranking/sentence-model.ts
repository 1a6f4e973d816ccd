import type { SentenceFeatures } from './sentence-features.ts'

/** How much each feature of a sentence counts. Written by `npm run bench -- fit-sentences`. */
export const SENTENCE_MODEL: SentenceFeatures = {
  soFar: 0.471,
  withPrevious: 0.077,
  withNext: 0.216,
  phrases: 0.317,
  signs: 0.448,
  nearBest: 0.348,
  heading: 0.493,
  ownDocument: 0.132,
  label: 0.269,
  defines: 0.2,
  lacksFact: -0.113,
  opens: 0.043,
}
