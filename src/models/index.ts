// Models: endpoints, their errors, and which model a setting means.

export { type CheckEndpointOptions, checkEndpoint } from './endpoint-check/check-endpoint.ts'
export { type EndpointFinding, fault, fine, warning } from './endpoint-check/endpoint-finding.ts'
export { type FoundServer, findServers, listModels } from './endpoint-check/find-servers.ts'
export { localFolder, localModelRemedy } from './local/transformers.ts'
export { type ContextSize, ContextTooLong, StructuredOutputUnsupported, ToolsUnsupported } from './port/errors.ts'
export {
  type AgentTask,
  type Capability,
  type ChatModel,
  estimateTokens,
  type HistoryMessage,
  type MissingCapability,
  type OnToolCallPiece,
  type RuleReply,
  rememberAbilities,
  type ToolCallPiece,
} from './port/model.ts'
export { type RetryBudget, type Tries, triesWithin } from './port/retries.ts'
export { collect, openStream, toMessage, usageIn } from './port/stream.ts'
export { modelNameFor, resolveModel } from './resolve-model.ts'
export { ScriptedModel, scriptedModel } from './scripted.ts'
