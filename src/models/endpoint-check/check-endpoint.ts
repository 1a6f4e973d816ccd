import { type AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { asError, QuaeroError } from '../../errors.ts'
import { keysOf } from '../../options.ts'
import { type Endpoint, openEndpoint } from '../openai/endpoint.ts'
import { isSuccess, modelsIn } from '../openai/refused-request.ts'
import { KeyRejected, ModelError, ModelNotFound, QuotaExhausted } from '../port/errors.ts'
import type { Capability, ChatModel } from '../port/model.ts'
import { openStream, usageIn } from '../port/stream.ts'
import { endpointAddress, modelNameFor } from '../resolve-model.ts'
import { type EndpointFinding, fault, fine, warning } from './endpoint-finding.ts'

export interface CheckEndpointOptions {
  readonly signal: AbortSignal
}

/**
 * Checks the configured endpoint over the transport that answers use: does it answer, accept the key, have the models; do
 * they stream, call tools and follow a schema? Three small requests go to each model, which cost tokens; the last finding
 * says how many. No findings where the extractive model answers. Throws `ConfigInvalid` for an unusable address or key.
 */
export async function checkEndpoint(
  config: Config,
  { signal }: CheckEndpointOptions,
): Promise<readonly EndpointFinding[]> {
  const models = modelsOf(config)
  if (models.length === 0) return []
  const { settings, environment } = config
  const baseUrl = endpointAddress(config)
  const endpoint = openEndpoint({ baseUrl, apiKey: environment.openaiApiKey, settings: settings.endpoint })
  const { host, hasKey } = endpoint
  const { findings: access, offered } = await checkAccess(endpoint, signal)
  if (access.some(({ ok }) => !ok)) return access
  const traffic = observed()
  const probed: Probed[] = []
  for (const model of models) probed.push(await probeModel(model, { config, host, signal, traffic }))
  const key = keyFinding(probed[0]?.results[0], hasKey)
  return [...access, key, ...probed.flatMap((each) => findingsOn(each, offered)), spent(traffic.requests, probed)]
}

function keyFinding(first: ProbeResult | undefined, hasKey: boolean): EndpointFinding {
  if (first?.fatal === 'key_rejected') return fault('key', first.finding.message)
  return fine('key', hasKey ? 'not rejected' : 'none is set, and none is asked for')
}

/** The models that agents ask at the endpoint, each once. */
function modelsOf(config: Config): readonly string[] {
  const { agents, answer } = config.settings
  const users = keysOf(agents).filter((user) => user !== 'secondReading' || answer.secondReading !== 'never')
  const names = users.map((user) => /^openai:(.+)$/.exec(modelNameFor(config, user).trim())?.[1])
  return [...new Set(names.filter((name) => name !== undefined))]
}

const listMs = 5000

/** Does the endpoint answer, and accept the key? `offered` is its list of models; null without one. */
async function checkAccess(
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<{ findings: readonly EndpointFinding[]; offered: readonly string[] | null }> {
  const { host, hasKey } = endpoint
  try {
    const reply = await endpoint.request('/models', { signal, headersTimeoutMs: listMs, totalTimeoutMs: 2 * listMs })
    const { status } = reply
    const offered = isSuccess(reply) ? await modelsIn(reply, endpoint) : null
    const list = offered ? `offers ${offered.length} models` : `has no list of models (${status})`
    const answers = (more = '') => fine('endpoint', `${host} answers${more}`)
    const rejects = `${host} ${hasKey ? 'rejects the key' : 'asks for a key'} (${status}). Set OPENAI_API_KEY`
    const trouble = `${host} answers with ${status}. Look at the server's own log`
    if (status >= 500) return { findings: [fault('endpoint', trouble)], offered }
    if (status === 401 || status === 403) return { findings: [answers(), fault('key', rejects)], offered }
    return { findings: [answers(`, and ${list}`)], offered }
  } catch (error) {
    signal.throwIfAborted()
    return { findings: [fault('endpoint', asError(error).message)], offered: null }
  }
}

interface Traffic {
  readonly fetch: typeof globalThis.fetch
  requests: number
  /** Of the last reply. */
  contentType: string | null
}

/** Counts the requests to models, and remembers what type the last reply had. */
function observed(): Traffic {
  const traffic: Traffic = {
    requests: 0,
    contentType: null,
    fetch: async (input, init) => {
      if (init?.method === 'POST') traffic.requests += 1
      const response = await fetch(input, init)
      traffic.contentType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? null
      return response
    },
  }
  return traffic
}

interface Answered {
  readonly reply: AIMessageChunk
  readonly firstMs: number
  readonly host: string
  readonly contentType: string | null
}

interface Probe {
  readonly name: string
  /** A setting can turn it off, and answers are possible without it. */
  readonly capability?: Capability
  readonly text: string
  readonly options?: { readonly tools?: readonly object[]; readonly response_format?: object }
  readonly judge: (answered: Answered) => Pick<EndpointFinding, 'warning' | 'message'>
}

const schema = {
  type: 'object',
  properties: { state: { type: 'string' } },
  required: ['state'],
  additionalProperties: false,
}
const tool = {
  type: 'function',
  function: { name: 'report_state', description: 'Reports a state.', parameters: schema },
}

/** What each model is asked. */
const probes: readonly Probe[] = [
  {
    name: 'streaming',
    text: 'Reply with the one word "ready".',
    judge: ({ host, firstMs, contentType }) =>
      contentType === 'text/event-stream'
        ? { message: `first words after ${Math.round(firstMs)} ms` }
        : warning(
            `${host} sends its answer in one piece (${contentType ?? 'of no stated type'}), not as a stream. ` +
              'Answers work; their words are shown only when all are there',
          ),
  },
  {
    name: 'tool calling',
    capability: 'toolCalling',
    text: 'Call the tool report_state with the state "ready".',
    options: { tools: [tool] },
    judge: ({ host, reply }) => {
      if (reply.tool_calls?.[0]?.name === tool.function.name) return { message: 'a tool was called as asked' }
      const how = reply.invalid_tool_calls?.length ? 'with arguments that cannot be read' : 'in prose'
      return warning(
        `The model at ${host} was asked to call a tool, and answered ${how}. Research then searches for the question as ` +
          'it stands. Choose a model that calls tools, or switch them on in the server (vLLM: --enable-auto-tool-choice)',
      )
    },
  },
  {
    name: 'structured output',
    capability: 'structuredOutput',
    text: 'Answer with the JSON object {"state": "ready"} and nothing else.',
    options: { response_format: { type: 'json_schema', json_schema: { name: 'state', schema, strict: true } } },
    judge: ({ host, reply }) =>
      isState(reply.text)
        ? { message: 'the answer fits the schema' }
        : warning(
            `The model at ${host} was given a schema, and answered with something else. A decision that cannot be read ` +
              'is asked for once more; then the question is researched as it is',
          ),
  },
]

interface ProbeResult {
  readonly finding: EndpointFinding
  readonly usage: { readonly input: number; readonly output: number } | null
  /** The error's code, where the endpoint gives no answers at all. */
  readonly fatal: string | null
}

interface Probed {
  readonly model: string
  readonly results: readonly ProbeResult[]
}

interface Probing {
  readonly config: Config
  readonly host: string
  readonly signal: AbortSignal
  readonly traffic: Traffic
}

/** Asks the probes until one shows that there are no answers: the others would fail for the same reason. */
async function probeModel(model: string, probing: Probing): Promise<Probed> {
  const { config, traffic } = probing
  const { endpoint, agents } = config.settings
  const { openaiModel } = await import('../openai/openai-model.ts')
  const chat = openaiModel({
    model,
    apiKey: config.environment.openaiApiKey,
    baseUrl: endpointAddress(config),
    temperature: agents.research.temperature,
    endpoint,
    price: null,
    contextWindow: null,
    fetch: traffic.fetch,
  })
  const results: ProbeResult[] = []
  for (const probe of probes) {
    const { name, capability } = probe
    const isOff = capability && endpoint[capability] === 'off'
    const finding = fine(name, `off (endpoint.${capability}), and not tested`)
    results.push(isOff ? { finding, usage: null, fatal: null } : await ask(probe, chat, probing))
    if (results[0]?.fatal) break
  }
  return { model, results }
}

async function ask(probe: Probe, chat: ChatModel, { config, host, signal, traffic }: Probing): Promise<ProbeResult> {
  const began = performance.now()
  const beginWithinMs = 1000 * config.settings.endpoint.retryBudgetSeconds
  const options = { ...probe.options, signal, beginWithinMs }
  let firstMs: number | undefined
  let reply: AIMessageChunk | undefined
  try {
    for await (const piece of await openStream(chat.model, [new HumanMessage(probe.text)], options)) {
      firstMs ??= performance.now() - began
      reply = reply ? reply.concat(piece) : piece
    }
    if (!reply) throw new Error('an answer without a word')
  } catch (error) {
    signal.throwIfAborted()
    return failed(probe.name, error, host)
  }
  const judged = probe.judge({ reply, firstMs: firstMs ?? 0, host, contentType: traffic.contentType })
  const usage = usageIn(reply)
  return {
    finding: { name: probe.name, ok: true, ...judged },
    usage: usage ? { input: usage.input_tokens, output: usage.output_tokens } : null,
    fatal: null,
  }
}

const fatalErrors = [KeyRejected, ModelNotFound, QuotaExhausted]

/** If the first probe is refused there are no answers; without tools or schemas they are worse. */
function failed(name: string, error: unknown, host: string): ProbeResult {
  const isFatal = name === 'streaming' || fatalErrors.some((each) => error instanceof each)
  const message = error instanceof ModelError ? error.message : `${host}: ${asError(error).message}`
  const code = error instanceof QuaeroError ? error.code : 'unexpected'
  const without = { name, ok: true, ...warning(`${message}. Answers are given without ${name}`) }
  return { finding: isFatal ? fault(name, message) : without, usage: null, fatal: isFatal ? code : null }
}

function findingsOn({ model, results }: Probed, offered: readonly string[] | null): readonly EndpointFinding[] {
  const [first, ...others] = results
  if (!first || first.fatal === 'key_rejected') return []
  if (first.fatal === 'model_not_found') return [fault('model', first.finding.message)]
  const listed = offered?.includes(model) ? 'is on the list' : 'is not on a list'
  const name = fine('model', `openai:${model} ${listed}${first.fatal ? '' : ', and answers'}`)
  return [name, first.finding, ...others.map(({ finding }) => finding)]
}

function spent(sent: number, probed: readonly Probed[]): EndpointFinding {
  const counted = probed.flatMap(({ results }) => results).flatMap(({ usage }) => usage ?? [])
  const input = counted.reduce((sum, usage) => sum + usage.input, 0)
  const output = counted.reduce((sum, usage) => sum + usage.output, 0)
  const tokens = counted.length > 0 ? `${input} tokens in, ${output} out` : 'tokens unknown'
  return fine('spent', `${sent} request${sent === 1 ? '' : 's'} to models just now, ${tokens}`)
}

const state = z.object({ state: z.string() })

function isState(text: string): boolean {
  try {
    return state.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
