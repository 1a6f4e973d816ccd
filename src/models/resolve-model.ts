import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AgentName, Config } from '../config.ts'
import { ConfigInvalid } from '../errors.ts'
import type { Abilities } from './port/capabilities.ts'
import type { ChatModel } from './port/model.ts'

/**
 * Chooses who answers: what was asked for, else the agent's or the general setting, else `QUAERO_MODEL`, else OpenAI's
 * protocol where a key or a base URL is set, else the extractive model. A model instance is taken as it is, its price
 * unknown. The OpenAI client is loaded only when it is chosen. Throws `ConfigInvalid` for a name that says nothing,
 * and for OpenAI without a key.
 */
export async function resolveModel(
  spec: string | BaseChatModel | null,
  parts: {
    readonly config: Config
    readonly extractive: () => ChatModel | Promise<ChatModel>
    readonly agent?: AgentName
    /** What is remembered of each model, by its name. */
    readonly abilities?: (model: string) => Abilities
  },
): Promise<ChatModel> {
  const chosen = await chooseModel(spec, parts)
  return parts.abilities && chosen.kind === 'language' ? { ...chosen, abilities: parts.abilities(chosen.name) } : chosen
}

async function chooseModel(
  spec: string | BaseChatModel | null,
  { config, extractive, agent, abilities }: Parameters<typeof resolveModel>[1],
): Promise<ChatModel> {
  if (spec !== null && typeof spec !== 'string') return wrap(spec)
  const chosen = spec ?? modelNameFor(config, agent)
  if (chosen === 'extractive') return extractive()
  const [prefix, name] = splitOnce(chosen.trim(), ':')
  if (prefix === 'openai' && name) return openai(name, { config, agent, counting: abilities?.(`openai:${name}`) })
  const hint = prefix === 'openai' || name ? '' : ` Did you mean "openai:${chosen}"?`
  throw new ConfigInvalid(`There is no model "${chosen}". Known are "openai:<model name>" and "extractive".${hint}`)
}

/** Who answers for an agent, by the settings and the environment alone. */
export function modelNameFor(config: Config, agent?: AgentName): string {
  const { settings, environment } = config
  return (agent && settings.agents[agent].model) ?? settings.model ?? environment.model ?? preset(config)
}

/** The base URL of the endpoint that `openai:` models are asked at. */
export function endpointAddress({ settings, environment }: Config): string {
  return settings.endpoint.baseUrl ?? environment.openaiBaseUrl ?? 'https://api.openai.com/v1'
}

function wrap(model: BaseChatModel): ChatModel {
  const own = 'model' in model ? model.model : 'modelName' in model ? model.modelName : undefined
  const name = typeof own === 'string' && own !== '' ? `${model.getName()}:${own}` : model.getName()
  return { kind: 'language', name, model, contextWindow: model.profile?.maxInputTokens ?? null, price: null }
}

function preset({ settings, environment }: Config): string {
  const isSet = environment.openaiApiKey ?? environment.openaiBaseUrl ?? settings.endpoint.baseUrl
  return isSet ? 'openai:gpt-5-mini' : 'extractive'
}

function splitOnce(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

async function openai(
  model: string,
  parts: { readonly config: Config; readonly agent: AgentName | undefined; readonly counting: Abilities | undefined },
) {
  const { config, agent, counting } = parts
  const { settings, environment } = config
  if (!environment.openaiApiKey && !environment.openaiBaseUrl && !settings.endpoint.baseUrl) {
    throw new ConfigInvalid(
      `The model "openai:${model}" needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, ` +
        'or choose the model "extractive", which needs neither',
    )
  }
  const listed = Object.hasOwn(settings.prices, model) ? settings.prices[model] : undefined
  const { openaiModel } = await import('./openai/openai-model.ts')
  return openaiModel({
    model,
    apiKey: environment.openaiApiKey,
    baseUrl: endpointAddress(config),
    temperature: agent ? settings.agents[agent].temperature : null,
    endpoint: settings.endpoint,
    price: listed ? { input: listed.input, output: listed.output } : null,
    contextWindow: listed?.contextWindow ?? null,
    counting,
  })
}
