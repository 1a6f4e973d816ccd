import type { AgentName, Config } from '../../config.ts'
import { asError } from '../../errors.ts'
import { type Endpoint, openEndpoint } from '../openai/endpoint.ts'
import { isSuccess, modelsIn } from '../openai/refused-request.ts'
import type { Capability } from '../port/capabilities.ts'
import type { ChatModel } from '../port/model.ts'
import { endpointAddress, modelNameFor } from '../resolve-model.ts'
import { type Probed, type ProbeResult, probeStreaming, probeStructuredOutput, probeTools } from './probes.ts'

/** One thing that was looked at. */
export interface EndpointFinding {
  readonly name: string
  /** False for what leaves no answers. */
  readonly ok: boolean
  /** What leaves answers, but poorer or later ones. */
  readonly warning?: boolean
  /** What was found: the host, the cause and the remedy, where something is not as it should be. */
  readonly message: string
}

export interface CheckEndpointOptions {
  readonly signal: AbortSignal
  readonly fetch?: typeof globalThis.fetch
}

/**
 * Tries out the configured endpoint over the transport that answers use: is it there, does it take the key, does it have
 * the models, do they stream, call tools and keep to a schema? Three small requests are sent to each model, which cost
 * tokens; the last finding says how many. Nothing is sent, and nothing found, where the extractive model answers.
 * Throws `ConfigInvalid` for an address or key that cannot be used.
 */
export async function checkEndpoint(
  config: Config,
  options: CheckEndpointOptions,
): Promise<readonly EndpointFinding[]> {
  const models = modelsOf(config)
  if (models.length === 0) return []
  const { settings, environment } = config
  const { signal, fetch } = options
  const baseUrl = endpointAddress(config)
  const endpoint = openEndpoint({ baseUrl, apiKey: environment.openaiApiKey, settings: settings.endpoint, fetch })
  const seen = await lookAt(endpoint, signal)
  if (!seen.goesOn) return seen.findings
  const findings = [...seen.findings]
  const results: ProbeResult[] = []
  for (const model of models) {
    const own = await probeAll(await open(model, endpoint, config, options), settings.endpoint)
    if (results.length === 0) findings.push(keyFinding(own[0], endpoint))
    findings.push(...findingsOn(model, own, seen.offered))
    results.push(...own)
  }
  return [...findings, spent(results)]
}

/** The models that agents ask at the endpoint, each once. */
function modelsOf(config: Config): readonly string[] {
  const agents = Object.keys(config.settings.agents) as AgentName[]
  const names = agents.map((agent) => /^openai:(.+)$/.exec(modelNameFor(config, agent).trim())?.[1])
  return [...new Set(names.filter((name) => name !== undefined))]
}

const listMs = 5000

interface Seen {
  readonly findings: readonly EndpointFinding[]
  /** The names on its list of models; null without one. */
  readonly offered: readonly string[] | null
  /** False where nothing more can be found out. */
  readonly goesOn: boolean
}

/** Whether somebody answers, and lets us in, by the cheapest request there is. */
async function lookAt(endpoint: Endpoint, signal: AbortSignal): Promise<Seen> {
  const { host, hasKey } = endpoint
  const stop = (...findings: readonly EndpointFinding[]): Seen => ({ findings, offered: null, goesOn: false })
  try {
    const reply = await endpoint.request('/models', { signal, headersTimeoutMs: listMs, totalTimeoutMs: 2 * listMs })
    const { status } = reply
    const offered = isSuccess(reply) ? await modelsIn(reply, endpoint) : null
    if (status >= 500) return stop(fault('endpoint', `${host} answers with ${status}. Look at the server's own log`))
    const list = offered ? `offers ${offered.length} models` : `has no list of models (${status})`
    const answers = fine('endpoint', `${host} answers, and ${list}`)
    if (status !== 401 && status !== 403) return { findings: [answers], offered, goesOn: true }
    const refuses = hasKey ? 'rejects the key' : 'asks for a key'
    return stop(fine('endpoint', `${host} answers`), fault('key', `${host} ${refuses} (${status}). Set OPENAI_API_KEY`))
  } catch (error) {
    signal.throwIfAborted()
    return stop(fault('endpoint', asError(error).message))
  }
}

function keyFinding({ fatal, finding }: ProbeResult, { hasKey }: Endpoint): EndpointFinding {
  if (fatal === 'key_rejected') return fault('key', finding.message)
  return fine('key', hasKey ? 'not rejected' : 'none is set, and none is asked for')
}

async function open(model: string, { host }: Endpoint, config: Config, options: CheckEndpointOptions): Promise<Probed> {
  const { settings, environment } = config
  const { signal, fetch: given = globalThis.fetch } = options
  let contentType: string | null = null
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await given(input, init)
    contentType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? null
    return response
  }
  const { openaiModel } = await import('../openai/openai-model.ts')
  const chat: ChatModel = openaiModel({
    model,
    apiKey: environment.openaiApiKey,
    baseUrl: endpointAddress(config),
    temperature: settings.agents.research.temperature,
    endpoint: settings.endpoint,
    price: null,
    contextWindow: null,
    fetch,
  })
  const { retries, retryBudgetSeconds } = settings.endpoint
  const budget = { retries, budgetMs: 1000 * retryBudgetSeconds }
  return { chat, host, signal, budget, contentType: () => contentType }
}

/** The others only where the first was answered: they would be refused, or wait, for the same reason. */
async function probeAll(
  probed: Probed,
  settings: Pick<Config['settings']['endpoint'], Capability>,
): Promise<readonly [ProbeResult, ...ProbeResult[]]> {
  const first = await probeStreaming(probed)
  if (first.fatal) return [first]
  const tools = settings.toolCalling === 'off' ? untested('tool calling', 'toolCalling') : await probeTools(probed)
  const isPlain = settings.structuredOutput === 'off'
  const output = isPlain ? untested('structured output', 'structuredOutput') : await probeStructuredOutput(probed)
  return [first, tools, output]
}

/** What answers do without: a setting forbids it. */
function untested(name: string, ability: Capability): ProbeResult {
  const finding = fine(name, `off (endpoint.${ability}), and not tested`)
  return { finding, usage: null, requests: 0, fatal: null }
}

function findingsOn(
  model: string,
  [first, ...others]: readonly [ProbeResult, ...ProbeResult[]],
  offered: readonly string[] | null,
): readonly EndpointFinding[] {
  // The finding on the key has said it.
  if (first.fatal === 'key_rejected') return []
  const spec = `openai:${model}`
  const isListed = offered?.includes(model) ?? false
  const nearest = offered && !isListed ? nearestNames(model, offered) : []
  const like = nearest.length > 0 ? `. Most like it: ${nearest.map((name) => `openai:${name}`).join(', ')}` : ''
  if (first.fatal === 'model_not_found') return [fault('model', `${first.finding.message}${like}`)]
  const listed = isListed ? 'is on the list' : 'is not on a list'
  const name = fine('model', `${spec} ${listed}${first.fatal ? like : ', and answers'}`)
  return [name, first.finding, ...others.map(({ finding }) => finding)]
}

function spent(results: readonly ProbeResult[]): EndpointFinding {
  const sent = results.reduce((sum, { requests }) => sum + requests, 0)
  const requests = `${sent} request${sent === 1 ? '' : 's'} to models`
  const counted = results.flatMap(({ usage }) => (usage ? [usage] : []))
  const input = counted.reduce((sum, usage) => sum + usage.input, 0)
  const output = counted.reduce((sum, usage) => sum + usage.output, 0)
  const tokens = counted.length > 0 ? `${input} tokens in, ${output} out` : 'tokens unknown'
  return fine('spent', `${requests} just now, ${tokens}`)
}

function fine(name: string, message: string): EndpointFinding {
  return { name, ok: true, message }
}

function fault(name: string, message: string): EndpointFinding {
  return { name, ok: false, message }
}

/** The names most like a name, best first; none that have little in common with it. By shared pairs of letters (Dice). */
export function nearestNames(name: string, names: readonly string[], most = 3): readonly string[] {
  const wanted = pairsOf(name)
  return names
    .map((each) => ({ each, likeness: likeness(wanted, pairsOf(each)) }))
    .filter((found) => found.likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ each }) => each)
}

const leastLikeness = 0.3

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((pair) => other.has(pair)).length
  return (2 * shared) / Math.max(1, one.size + other.size)
}

function pairsOf(name: string): ReadonlySet<string> {
  const text = `^${name.toLowerCase()}$`
  return new Set(Array.from(text).flatMap((_, at) => (at + 1 < text.length ? [text.slice(at, at + 2)] : [])))
}
