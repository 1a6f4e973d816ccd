/** `quaero/offline`: answers without a language model. */

/** A model that routes by rule, searches the documents and quotes them. */
export { extractiveModel } from './extractive-model.ts'
/** Which questions need nothing that was said before. */
export { standsAlone } from './follow-up/incomplete.ts'
/** A question with those before it that it leans on. */
export { standaloneQuestion } from './follow-up/standalone-question.ts'
/** What it reads: the documents, their passages, and how questions are classified. */
export { type ExtractiveParts, partsOver } from './parts/parts.ts'
