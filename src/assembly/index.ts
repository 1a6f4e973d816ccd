// The parts of an engine, chosen by its settings.

export { assembleAgents } from './assemble-agents.ts'
export {
  assembleReranking,
  assembleSemanticIndex,
  embeddingModel,
  type Ranking,
  rerankingModel,
} from './assemble-search.ts'
export { copyStore, describePlace, openStorage } from './assemble-storage.ts'
export { approvalRules, assembleTools, tellMissingTools } from './assemble-tools.ts'
export { assembleExperiments, assembleWatchers, describeWatchers, traceUrls } from './assemble-tracing.ts'
