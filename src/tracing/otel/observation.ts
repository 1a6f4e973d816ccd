import { type Attributes, type SpanStatus, SpanStatusCode } from '@opentelemetry/api'
import type { Event, Payloads, SpanKind, Usage } from '../../events/index.ts'

/** A span of the log as an observation in a trace. */
export interface Observation {
  readonly name: string
  readonly attributes: Attributes
}

/** The attributes and status at the end of a span. */
export interface Ending {
  readonly attributes: Attributes
  readonly status?: SpanStatus
}

const retrievers: ReadonlySet<string> = new Set(
  'pdf_retrieval read_passages document_overview web_search read_page'.split(' '),
)

const level = 'langfuse.observation.level'
const statusMessage = 'langfuse.observation.status_message'
const input = 'langfuse.observation.input'
const output = 'langfuse.observation.output'

/**
 * Name and attributes of a span when it starts, in the words of Langfuse and of OpenTelemetry's conventions for
 * generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */
export function observationOf(event: Event): Observation {
  switch (event.type) {
    case 'run.started': {
      const { question, model, attempt } = event.payload
      const metadata = {
        'langfuse.observation.metadata.attempt': attempt,
        'langfuse.observation.metadata.model': model,
      }
      return {
        name: 'quaero',
        attributes: { ...type('chain'), [input]: question, 'langfuse.trace.input': question, ...metadata },
      }
    }
    case 'agent.started':
      return agentObservation(event.payload)
    case 'model.started':
      return modelObservation(event.payload)
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

function agentObservation({ name, iteration }: Payloads['agent.started']): Observation {
  const attributes = {
    ...type('agent'),
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
    'langfuse.observation.metadata.iteration': iteration,
  }
  return { name, attributes }
}

function modelObservation({ model, promptId, prompt }: Payloads['model.started']): Observation {
  const attributes = {
    ...type('generation'),
    ...modelOf(model),
    'gen_ai.operation.name': 'chat',
    ...(promptId !== undefined && { 'langfuse.observation.metadata.prompt': promptId }),
    ...(prompt && promptOf(prompt)),
  }
  return { name: model, attributes }
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
    'langfuse.observation.metadata.promptSource': source,
    'langfuse.observation.metadata.promptVersion': version,
    ...(source === 'langfuse' && {
      'langfuse.observation.prompt.name': name,
      'langfuse.observation.prompt.version': version,
    }),
  }
}

/** Attributes and status of a span when it ends. */
export function endingOf(event: Event): Ending {
  switch (event.type) {
    case 'run.completed':
      return { attributes: { ...outcomeOf(event.payload), ...notesOn(event.payload) } }
    case 'agent.completed':
      return { attributes: { [output]: JSON.stringify({ nextAgent: event.payload.nextAgent }) } }
    case 'model.completed':
      return modelEnding(event.payload)
    case 'tool.completed':
      return toolEnding(event.payload)
    default:
      if (isFailed(event)) return failure(event.payload)
      return isInterrupted(event) ? interruption(event.payload) : { attributes: {} }
  }
}

function isFailed(event: Event): event is Event<`${SpanKind}.failed`> {
  return event.type.endsWith('.failed')
}

function isInterrupted(event: Event): event is Event<`${SpanKind}.interrupted`> {
  return event.type.endsWith('.interrupted')
}

function modelEnding({ usage, finishReason, contextPercent }: Payloads['model.completed']): Ending {
  return {
    attributes: {
      ...spending(usage),
      ...(finishReason !== null && { 'gen_ai.response.finish_reasons': [finishReason] }),
      ...(contextPercent !== null && { 'langfuse.observation.metadata.contextPercent': contextPercent }),
    },
  }
}

function toolEnding({ status, content, errorCode, usage }: Payloads['tool.completed']): Ending {
  const isProblem = status === 'error' || status === 'not_found'
  return {
    attributes: {
      [output]: content,
      'langfuse.observation.metadata.status': status,
      ...(usage && spending(usage)),
      ...(status === 'denied' && { [level]: 'WARNING', [statusMessage]: content }),
      ...(isProblem && { [level]: 'ERROR', [statusMessage]: content, ...errorType(errorCode) }),
    },
    ...(isProblem && { status: { code: SpanStatusCode.ERROR, message: content } }),
  }
}

function outcomeOf(payload: Payloads['run.completed']): Attributes {
  const { answer, clarification, confidence, abstained, citations, calculations, stopReason, standaloneQuestion } =
    payload
  const text = clarification ?? answer
  return {
    [output]: text,
    'langfuse.trace.output': text,
    'langfuse.observation.metadata.status': stopReason === 'answered' ? 'completed' : stopReason,
    'langfuse.observation.metadata.abstained': abstained,
    'langfuse.observation.metadata.citations': citations.length,
    ...(calculations && {
      'langfuse.observation.metadata.calculations': calculations.map(
        ({ expression, value }) => `${expression} = ${value}`,
      ),
    }),
    ...(confidence !== null && { 'langfuse.observation.metadata.confidence': confidence }),
    ...(standaloneQuestion !== null && { 'langfuse.observation.metadata.standaloneQuestion': standaloneQuestion }),
  }
}

/** A reached limit and a failure with a fallback are warnings, not errors. */
function notesOn({ ending, error }: Payloads['run.completed']): Attributes {
  const note = error ? `${error.code}: ${error.message}` : ending?.reason
  return note === undefined ? {} : { [level]: 'WARNING', [statusMessage]: note }
}

function failure({ code, message }: Payloads['run.failed']): Ending {
  return {
    attributes: { [level]: 'ERROR', [statusMessage]: `${code}: ${message}`, ...errorType(code) },
    status: { code: SpanStatusCode.ERROR, message },
  }
}

/** A wait for approval is normal; a stop is a warning. */
function interruption({ reason }: Payloads['run.interrupted']): Ending {
  const attributes = { [statusMessage]: interruptions[reason], 'langfuse.observation.metadata.interrupted': reason }
  return { attributes: reason === 'approval' ? attributes : { ...attributes, [level]: 'WARNING' } }
}

const interruptions: { readonly [R in Payloads['run.interrupted']['reason']]: string } = {
  approval: 'waits for approval',
  cancelled: 'cancelled',
  shutdown: 'stopped; it can be resumed',
  crashed: 'its process died; it can be resumed',
}

/** Tokens and US dollars; unknown values are left out, never 0. */
function spending({ inputTokens, outputTokens, costUsd }: Usage): Attributes {
  const known = inputTokens !== null && outputTokens !== null
  return {
    ...(known && {
      'langfuse.observation.usage_details': JSON.stringify({
        input: inputTokens,
        output: outputTokens,
        total: inputTokens + outputTokens,
      }),
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
    }),
    ...(costUsd !== null && { 'langfuse.observation.cost_details': JSON.stringify({ total: costUsd }) }),
  }
}

function type(observationType: 'chain' | 'agent' | 'generation' | 'tool' | 'retriever'): Attributes {
  return { 'langfuse.observation.type': observationType }
}

function errorType(code: string | undefined): Attributes {
  return code === undefined ? {} : { 'error.type': code }
}
