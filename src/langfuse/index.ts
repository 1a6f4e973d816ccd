/** `quaero/langfuse`: traces, scores, prompts and experiments in Langfuse. */

/** Keys and address of a project. */
export { type LangfuseAccess, langfuseAccess } from './access.ts'
/** Langfuse as a backend of traces and scores. */
export { langfuseBackend } from './backend.ts'
/** Reports experiments: a dataset, its runs, and their scores. */
export {
  type Experiment,
  type ExperimentItem,
  LangfuseExperiments,
  type ReportedExperiment,
} from './experiment.ts'
/** What a request to Langfuse fails with. */
export { LangfuseKeyRejected, LangfuseUnavailable } from './failure.ts'
/** The prompts that have a label, cached. */
export { ManagedPrompts, type ManagedPromptsOptions } from './managed-prompts.ts'
/** Reads and writes prompts. */
export { type PromptApi, promptApi } from './prompt-api.ts'
/** Compares prompt files with Langfuse, and pushes those that differ. */
export {
  type ComparedPrompt,
  comparePrompts,
  type NamedPrompt,
  type PromptFile,
  type PushedPrompt,
  pushPrompts,
} from './prompt-sync.ts'
