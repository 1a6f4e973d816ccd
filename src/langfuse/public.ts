/** `quaero/langfuse`: traces, scores, prompts and experiments in Langfuse. */

export { type LangfuseAccess, langfuseAccess } from './access.ts'
export {
  type BegunExperiment,
  type Experiment,
  type ExperimentItem,
  type ItemResult,
  LangfuseExperiments,
} from './experiment.ts'
export { LangfuseKeyRejected, LangfuseUnavailable } from './failure.ts'
export { ManagedPrompts, type ManagedPromptsOptions } from './managed-prompts.ts'
export { type PromptApi, promptApi } from './prompt-api.ts'
export {
  type ComparedPrompt,
  comparePrompts,
  type NamedPrompt,
  type PromptFile,
  type PushedPrompt,
  pushPrompts,
} from './prompt-sync.ts'
