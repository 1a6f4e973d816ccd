import type { Attributes } from '@opentelemetry/api'
import type { Event, Payloads } from '../../events/index.ts'

/** A span of the log as an observation in a trace. */
export interface Observation {
  readonly name: string
  readonly attributes: Attributes
}

/** What the mapping of a span needs to know of its run. */
export interface RunFacts {
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
export const input = 'langfuse.observation.input'
export const output = 'langfuse.observation.output'
export const metadata = 'langfuse.observation.metadata'

/**
 * Name and attributes of a span when it starts, in the words of Langfuse and of OpenTelemetry's conventions for
 * generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */
export function observationOf(event: Event, facts: RunFacts): Observation {
  switch (event.type) {
    case 'run.started':
      return runObservation(event.payload)
    case 'agent.started':
      return agentObservation(event.payload, facts)
    case 'model.started':
      return modelObservation(event)
    case 'round.started': {
      const calls = event.payload.calls.map(({ name, args }) => ({ name, args }))
      return { name: 'round of tool calls', attributes: { ...type('chain'), [input]: JSON.stringify(calls) } }
    }
    case 'tool.started':
      return toolObservation(event.payload)
    default:
      return { name: event.type.split('.')[0] ?? event.type, attributes: type('chain') }
  }
}

function runObservation({ question, model, attempt }: Payloads['run.started']): Observation {
  const attributes = {
    ...type('chain'),
    [input]: question,
    'langfuse.trace.input': question,
    [`${metadata}.attempt`]: attempt,
    [`${metadata}.model`]: model,
  }
  return { name: 'quaero', attributes }
}

function agentObservation(
  { name, iteration, task }: Payloads['agent.started'],
  { question, step }: RunFacts,
): Observation {
  const attributes = {
    ...type('agent'),
    [input]: task ?? question,
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
    [`${metadata}.iteration`]: iteration,
    // Langfuse draws its graph of agents from these two names.
    ...(step !== null && { [`${metadata}.langgraph_node`]: name, [`${metadata}.langgraph_step`]: step }),
  }
  return { name, attributes }
}

/** A call is named by its purpose: the agent, or the hook, that makes it. */
function modelObservation({ agent, payload }: Event<'model.started'>): Observation {
  const { model, promptId, prompt, askedBy } = payload
  const attributes = {
    ...type('generation'),
    ...modelOf(model),
    'gen_ai.operation.name': 'chat',
    ...(agent !== undefined && { [`${metadata}.agent`]: agent }),
    ...(promptId !== undefined && { [`${metadata}.prompt`]: promptId }),
    ...(prompt && promptOf(prompt)),
  }
  const name = [agent, askedBy && `hook: ${askedBy.hook}`].filter(Boolean).join(' ')
  return { name: name || 'model', attributes }
}

function toolObservation({ tool, args, callId }: Payloads['tool.started']): Observation {
  const attributes = {
    ...type(retrievers.has(tool) ? 'retriever' : 'tool'),
    [input]: JSON.stringify(args),
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': callId,
  }
  return { name: tool, attributes }
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
    [`${metadata}.promptSource`]: source,
    [`${metadata}.promptVersion`]: version,
    ...(source === 'langfuse' && {
      'langfuse.observation.prompt.name': name,
      'langfuse.observation.prompt.version': version,
    }),
  }
}

export function type(observationType: 'chain' | 'agent' | 'generation' | 'tool' | 'retriever' | 'event'): Attributes {
  return { 'langfuse.observation.type': observationType }
}
