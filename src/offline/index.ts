/** `quaero/offline`: answers without a language model. */

/** A model that routes by rule, searches the documents and quotes them. */
export { extractiveModel } from './extractive-model.ts'
/** A follow-up with the questions that it leans on. */
export { standaloneQuestion } from './follow-up/standalone-question.ts'
/** What it reads: the documents, their passages, and how questions are classified. */
export { type ExtractiveParts, partsOver } from './parts/parts.ts'
