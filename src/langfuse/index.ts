// What the engine and the command line use of Langfuse; what `quaero/langfuse` exports stands in `public.ts`.

export { checkedUrl, type LangfuseAccess, langfuseAccess, publicAddress } from './access.ts'
export { LangfuseApi } from './api.ts'
export { type BegunExperiment, begunExperiment, type ExperimentItem, LangfuseExperiments } from './experiment.ts'
export { LangfuseKeyRejected, LangfuseUnavailable, once } from './failure.ts'
export type { ComparedPrompt, NamedPrompt, PushedPrompt } from './prompt-sync.ts'
export {
  assemblePrompts,
  type ListedPrompt,
  type Prompts,
  type PromptsOptions,
  type PushOptions,
  promptsOf,
} from './prompts.ts'
export { langfuseScores } from './scores.ts'
export { type CheckTracingOptions, checkTracing } from './traces/check-tracing.ts'
export { TraceThread } from './traces/trace-thread.ts'
