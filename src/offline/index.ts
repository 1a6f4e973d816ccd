/** Answers without a language model. The rest of `src` imports nothing else of this folder. */
export { extractiveModel } from './extractive-model.ts'
