import type { Attributes } from '@opentelemetry/api'
import type { Event, EventType, Payloads } from '../../events/index.ts'

/** A span or a fact of the log as an observation in a trace. */
export interface TracedWork {
  readonly name: string
  readonly attributes: Attributes
}

/** What the mapping of an event needs to know besides its payload. */
export interface EventFacts {
  readonly agent?: string | undefined
  /** The question, completed from the conversation once the orchestrator has done so. */
  readonly question: string
  /** The place of an agent in the graph, from 1; null for a specialist. */
  readonly step: number | null
}

const retrievers: ReadonlySet<string> = new Set(
  'pdf_retrieval read_passages document_overview web_search read_page'.split(' '),
)

export const level = 'langfuse.observation.level'
export const statusMessage = 'langfuse.observation.status_message'
const input = 'langfuse.observation.input'
export const output = 'langfuse.observation.output'
export const metadata = 'langfuse.observation.metadata'

/**
 * Name and attributes of a span when it starts, in the words of Langfuse and of OpenTelemetry's conventions for
 * generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/); and facts of the log as EVENT observations, since
 * Langfuse stores no events of spans. null for an event that is no observation.
 */
export function tracedWorkOf<T extends EventType>({ type, payload }: Event<T>, facts: EventFacts): TracedWork | null {
  return observations[type]?.(payload, facts) ?? null
}

const observations: {
  readonly [T in EventType]?: (payload: Payloads[T], facts: EventFacts) => TracedWork | null
} = {
  'run.started': ({ question, model, attempt }) =>
    observation('chain', 'quaero', {
      [input]: question,
      'langfuse.trace.input': question,
      ...described({ attempt, model }),
    }),
  'agent.started': ({ name, iteration, task }, { question, step }) =>
    observation('agent', name, {
      [input]: task ?? question,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      // Langfuse draws its graph of agents from these two names.
      ...described({ iteration, ...(step !== null && { langgraph_node: name, langgraph_step: step }) }),
    }),
  // A call is named by its purpose: the agent, or the hook, that makes it.
  'model.started': ({ model, promptId, prompt, askedBy }, { agent }) => {
    // What a report or an audit asks has no agent around it.
    const asker = askedBy && (agent === undefined ? askedBy.hook : `${agent} hook: ${askedBy.hook}`)
    return observation('generation', asker ?? agent ?? 'model', {
      ...modelOf(model),
      'gen_ai.operation.name': 'chat',
      ...described({ ...(agent !== undefined && { agent }), ...(promptId !== undefined && { prompt: promptId }) }),
      ...(prompt && promptOf(prompt)),
    })
  },
  'round.started': ({ calls }) =>
    observation('chain', 'round of tool calls', {
      [input]: JSON.stringify(calls.map(({ name, args }) => ({ name, args }))),
    }),
  'tool.started': ({ tool, args, callId }) =>
    observation(retrievers.has(tool) ? 'retriever' : 'tool', tool, {
      [input]: JSON.stringify(args),
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': callId,
    }),
  'model.retried': ({ code, message, attempt, of, waitMs }) =>
    warning('retry', `${code}: ${message}`, described({ code, attempt, of, waitMs })),
  'model.trimmed': ({ message, from, to, leftOut }) =>
    warning('shortened call', message, described({ from, to, ...leftOut })),
  notice: ({ code, message }) => warning('notice', message, described({ code })),
  'draft.checked': ({ sentences }) => {
    const dropped = sentences.flatMap(({ text: sentence, state, reason, stage }) =>
      state === 'unsupported' ? [{ sentence, reason, stage }] : [],
    )
    if (dropped.length === 0) return null
    const count = `${dropped.length} sentence${dropped.length === 1 ? '' : 's'} dropped`
    return warning('dropped sentences', count, { [output]: JSON.stringify(dropped) })
  },
  'approval.requested': ({ approvals }) =>
    observation('event', 'approval requested', {
      [input]: JSON.stringify(approvals.map(({ id, name, args }) => ({ id, name, args }))),
    }),
  'approval.resolved': (answer) =>
    observation('event', 'approval answered', {
      ...(!answer.approved && { [level]: 'WARNING', [statusMessage]: 'refused' }),
      [output]: JSON.stringify(answer),
    }),
  'cancel.requested': ({ by }) => warning('cancel requested', `by ${by}`),
}

export function observation(
  type: 'chain' | 'agent' | 'generation' | 'tool' | 'retriever' | 'event',
  name: string,
  attributes: Attributes = {},
): TracedWork {
  return { name, attributes: { 'langfuse.observation.type': type, ...attributes } }
}

function warning(name: string, message: string, attributes: Attributes = {}): TracedWork {
  const text = { [level]: 'WARNING', [statusMessage]: message, [output]: message }
  return observation('event', name, { ...text, ...attributes })
}

function described(details: Readonly<Record<string, string | number>>): Attributes {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [`${metadata}.${name}`, value]))
}

/** Price lists and the conventions use the bare name of a model; answers without an endpoint have no provider. */
function modelOf(model: string): Attributes {
  const bare = /^openai:(.+)$/.exec(model)?.[1]
  return {
    'langfuse.observation.model.name': bare ?? model,
    'gen_ai.request.model': bare ?? model,
    // `gen_ai.system` is what `gen_ai.provider.name` was called before version 1.37 of the conventions.
    ...(bare !== undefined && { 'gen_ai.provider.name': 'openai', 'gen_ai.system': 'openai' }),
  }
}

/** A link to a prompt from Langfuse; the version of the file otherwise. */
function promptOf({ source, name, version }: NonNullable<Payloads['model.started']['prompt']>): Attributes {
  return {
    ...described({ promptSource: source, promptVersion: version }),
    ...(source === 'langfuse' && {
      'langfuse.observation.prompt.name': name,
      'langfuse.observation.prompt.version': version,
    }),
  }
}

// Langfuse's chat view reads the form of OpenAI's protocol: every message has `content`, and the arguments of a tool call
// are a text in JSON.

/** The request of a model call. */
export function promptAttributes({ messages, tools, parameters }: Payloads['model.prompted']): Attributes {
  const written = messages.map(({ role, text, toolCalls = [], toolCallId }) => {
    const calls = toolCalls.map((call) => ({ ...call, args: JSON.stringify(call.args) }))
    return { ...chatMessage(role, text, calls), ...(toolCallId !== undefined && { tool_call_id: toolCallId }) }
  })
  const { temperature, max_tokens: maxTokens } = parameters ?? {}
  return {
    [input]: JSON.stringify({ messages: written, ...(tools && { tools }) }),
    ...(parameters && { 'langfuse.observation.model.parameters': JSON.stringify(parameters) }),
    ...(typeof temperature === 'number' && { 'gen_ai.request.temperature': temperature }),
    ...(typeof maxTokens === 'number' && { 'gen_ai.request.max_tokens': maxTokens }),
  }
}

/** The reply of a model. */
export function replyAttributes({ text, toolCalls }: Payloads['model.replied']): Attributes {
  return { [output]: JSON.stringify(chatMessage('assistant', text, toolCalls)) }
}

function chatMessage(role: string, content: string, calls: Payloads['model.replied']['toolCalls']) {
  const toolCalls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }))
  return { role, content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) }
}
