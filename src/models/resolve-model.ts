import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Config, ModelUser } from '../config.ts'
import { ConfigInvalid } from '../errors.ts'
import type { Abilities, ChatModel } from './port/model.ts'

export interface ModelChoice {
  readonly config: Config
  readonly extractive: () => ChatModel | Promise<ChatModel>
  readonly agent?: ModelUser
  /** What is remembered of each model, by its name. */
  readonly abilities?: (model: string) => Abilities
}

/**
 * Chooses the model: the one that was asked for, else the agent's or the general setting, else `QUAERO_MODEL`, else
 * OpenAI's protocol where a key or a base URL is set, else the extractive model. The price of a model instance is unknown.
 * Throws `ConfigInvalid` for an unknown name, and for OpenAI without a key.
 */
export async function resolveModel(spec: string | BaseChatModel | null, choice: ModelChoice): Promise<ChatModel> {
  if (spec !== null && typeof spec !== 'string') return wrap(spec, choice)
  const chosen = (spec ?? modelNameFor(choice.config, choice.agent)).trim()
  if (chosen === 'extractive') return choice.extractive()
  const [, name] = /^openai:(.+)$/s.exec(chosen) ?? []
  if (name) return openai(name, choice)
  const hint = chosen.includes(':') ? '' : ` Did you mean "openai:${chosen}"?`
  throw new ConfigInvalid(`There is no model "${chosen}". Known are "openai:<model name>" and "extractive".${hint}`)
}

/** The name of an agent's model by the settings and the environment alone. */
export function modelNameFor({ settings, environment }: Config, agent?: ModelUser): string {
  const isEndpointSet = environment.openaiApiKey ?? environment.openaiBaseUrl ?? settings.endpoint.baseUrl
  const preset = isEndpointSet ? 'openai:gpt-5-mini' : 'extractive'
  return (agent && settings.agents[agent].model) ?? settings.model ?? environment.model ?? preset
}

/** The base URL of the endpoint of all `openai:` models. */
export function endpointAddress({ settings, environment }: Config): string {
  return settings.endpoint.baseUrl ?? environment.openaiBaseUrl ?? 'https://api.openai.com/v1'
}

function wrap(model: BaseChatModel, { abilities }: ModelChoice): ChatModel {
  const own = 'model' in model ? model.model : 'modelName' in model ? model.modelName : undefined
  const name = typeof own === 'string' && own !== '' ? `${model.getName()}:${own}` : model.getName()
  const contextWindow = model.profile?.maxInputTokens ?? null
  return { kind: 'language', name, model, contextWindow, price: null, ...(abilities && { abilities: abilities(name) }) }
}

async function openai(model: string, { config, agent, abilities }: ModelChoice): Promise<ChatModel> {
  const { settings, environment } = config
  if (!environment.openaiApiKey && !environment.openaiBaseUrl && !settings.endpoint.baseUrl) {
    throw new ConfigInvalid(
      `The model "openai:${model}" needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, ` +
        'or choose the model "extractive", which needs neither',
    )
  }
  const listed = Object.hasOwn(settings.prices, model) ? settings.prices[model] : undefined
  // The OpenAI client takes time to load.
  const { openaiModel } = await import('./openai/openai-model.ts')
  return openaiModel({
    model,
    apiKey: environment.openaiApiKey,
    baseUrl: endpointAddress(config),
    temperature: agent ? settings.agents[agent].temperature : null,
    endpoint: settings.endpoint,
    price: listed ? { input: listed.input, output: listed.output } : null,
    contextWindow: listed?.contextWindow ?? null,
    abilities: abilities?.(`openai:${model}`),
  })
}
