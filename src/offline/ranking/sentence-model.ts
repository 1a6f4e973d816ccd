import type { SentenceFeatures } from './sentence-features.ts'

/** How much each feature of a sentence counts. Written by `npm run bench -- fit-sentences`. */
export const SENTENCE_MODEL: SentenceFeatures = {
  soFar: 0.288,
  withPrevious: 0.072,
  withNext: 0.175,
  withTitle: 0.164,
  pronoun: 0.136,
  phrases: 0.334,
  signs: 0.459,
  nearBest: 0.352,
  snippet: 0.052,
  heading: 0.488,
  identity: -0.157,
  ownDocument: 0.161,
  label: 0.368,
  labelAsked: 0.002,
  column: 0.156,
  isRow: -0.161,
  rowForFigure: -0.006,
  lacksFigure: -0.109,
  lacksTime: -0.119,
  lacksName: -0.087,
  defines: 0.21,
  saysNothingNew: -0.084,
  isQuestion: -0.121,
  negates: 0.073,
}
