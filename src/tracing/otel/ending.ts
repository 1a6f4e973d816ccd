import type { Attributes } from '@opentelemetry/api'
import type { AnswerSentence, Event, InterruptionReason, Payloads, SpanKind, Usage } from '../../events/index.ts'
import { level, metadata, output, statusMessage } from './traced-work.ts'

/** What happened within a span, gathered for its output. */
export interface Inside {
  /** The last words of its model. */
  words: string | null
  /** The message that it left for the person. */
  message: string | null
  readonly calls: ToolOutcome[]
}

export interface ToolOutcome {
  readonly name: string
  readonly args: unknown
  readonly status: string
  /** The beginning of its result. */
  readonly result: string
}

/** The attributes at the end of a span. One whose level is ERROR has failed. */
export function endingOf(event: Event, inside: Inside): Attributes {
  if (isFailed(event)) return failure(event.payload, event.type === 'run.failed')
  if (isInterrupted(event)) return interruption(event.payload.reason, event.type === 'run.interrupted')
  switch (event.type) {
    case 'run.completed':
      return { ...outcomeOf(event.payload), ...notesOn(event.payload) }
    case 'agent.completed':
      return { [output]: productOf(event.payload, inside) }
    case 'model.completed':
      return modelEnding(event.payload)
    case 'round.completed': {
      const results = inside.calls.map(({ name, status, result }) => ({ name, status, result }))
      return { [output]: JSON.stringify(results), [`${metadata}.failed`]: event.payload.failed }
    }
    case 'tool.completed':
      return toolEnding(event.payload)
    default:
      return {}
  }
}

/** True for a call that a limit forbade, or that ran out of time. */
export function isAtLimit(event: Event): event is Event<`${SpanKind}.failed`> {
  return isFailed(event) && event.payload.code === 'limit_reached'
}

function isFailed(event: Event): event is Event<`${SpanKind}.failed`> {
  return event.type.endsWith('.failed')
}

function isInterrupted(event: Event): event is Event<`${SpanKind}.interrupted`> {
  return event.type.endsWith('.interrupted')
}

/** The decision of the orchestrator; the message to the person; what was found by research and specialists. */
function productOf(completed: Payloads['agent.completed'], { message, words, calls }: Inside): string {
  const { nextAgent, standaloneQuestion, clarification } = completed
  if (standaloneQuestion !== undefined) {
    const { missingContext = [], candidates = [] } = clarification ?? {}
    return JSON.stringify({ standaloneQuestion, nextAgent, ...(clarification && { missingContext, candidates }) })
  }
  return (
    message ?? JSON.stringify({ words, toolCalls: calls.map(({ name, args, status }) => ({ name, args, status })) })
  )
}

function modelEnding({ usage, finishReason, contextPercent }: Payloads['model.completed']): Attributes {
  return {
    ...spending(usage),
    ...(finishReason !== null && {
      'gen_ai.response.finish_reasons': [finishReason],
      [`${metadata}.finishReason`]: finishReason,
    }),
    ...(contextPercent !== null && { [`${metadata}.contextPercent`]: contextPercent }),
  }
}

function toolEnding({ status, content, errorCode, usage }: Payloads['tool.completed']): Attributes {
  const isProblem = status === 'error' || status === 'not_found'
  return {
    [output]: content,
    [`${metadata}.status`]: status,
    ...(usage && spending(usage)),
    ...(status === 'denied' && { [level]: 'WARNING', [statusMessage]: content }),
    ...(isProblem && { [level]: 'ERROR', [statusMessage]: content }),
    ...(isProblem && errorCode !== undefined && { 'error.type': errorCode }),
  }
}

function outcomeOf(payload: Payloads['run.completed']): Attributes {
  const { answer, clarification, confidence, abstained, citations, calculations, unsupported } = payload
  const { stopReason, standaloneQuestion, sentences } = payload
  const among = (wanted: AnswerSentence['state']) => sentences?.filter(({ state }) => state === wanted).length
  const text = clarification ?? answer
  return {
    [output]: text,
    'langfuse.trace.output': text,
    [`${metadata}.status`]: stopReason === 'answered' ? 'completed' : stopReason,
    [`${metadata}.abstained`]: abstained,
    [`${metadata}.citations`]: citations.length,
    [`${metadata}.unsupported`]: unsupported.length,
    ...(sentences && { [`${metadata}.verified`]: among('verified'), [`${metadata}.quoted`]: among('quoted') }),
    ...(calculations && {
      [`${metadata}.calculations`]: calculations.map(({ expression, value }) => `${expression} = ${value}`),
    }),
    ...(confidence !== null && { [`${metadata}.confidence`]: confidence }),
    ...(standaloneQuestion !== null && { [`${metadata}.standaloneQuestion`]: standaloneQuestion }),
  }
}

/** A reached limit and a failure with a fallback are warnings, not errors. */
function notesOn({ ending, error }: Payloads['run.completed']): Attributes {
  const note = error ? `${error.code}: ${error.message}` : ending?.reason
  return note === undefined ? {} : { [level]: 'WARNING', [statusMessage]: note }
}

/** A reached limit is a warning, anything else an error. */
function failure({ code, message }: Payloads['run.failed'], isRun: boolean): Attributes {
  return {
    [level]: code === 'limit_reached' ? 'WARNING' : 'ERROR',
    [statusMessage]: `${code}: ${message}`,
    'error.type': code,
    ...(isRun && { [`${metadata}.status`]: 'failed' }),
  }
}

/** A wait for approval is normal; a stop is a warning. */
export function interruption(reason: InterruptionReason, isRun: boolean): Attributes {
  const [state, text] = interruptions[reason]
  return {
    [statusMessage]: text,
    [`${metadata}.interrupted`]: reason,
    ...(reason !== 'approval' && { [level]: 'WARNING' }),
    ...(isRun && { [`${metadata}.status`]: state }),
  }
}

/** The state of the run after it, and the words for it. */
const interruptions: { readonly [R in InterruptionReason]: readonly [string, string] } = {
  approval: ['requires_action', 'waits for approval'],
  cancelled: ['cancelled', 'cancelled'],
  shutdown: ['interrupted', 'stopped; it can be resumed'],
  crashed: ['interrupted', 'its process died; it can be resumed'],
}

/**
 * Tokens and US dollars; unknown values are left out, never 0. Langfuse adds up all keys that begin with `input`, and all
 * that begin with `output`, so the parts exclude each other.
 */
function spending(usage: Usage): Attributes {
  const { inputTokens, outputTokens, cachedInputTokens: cached, reasoningTokens: reasoning } = usage
  const { costUsd, inputCostUsd, outputCostUsd } = usage
  const isKnown = inputTokens !== null && outputTokens !== null
  return {
    ...(isKnown && {
      'langfuse.observation.usage_details': JSON.stringify({
        input: Math.max(0, inputTokens - (cached ?? 0)),
        output: Math.max(0, outputTokens - (reasoning ?? 0)),
        total: inputTokens + outputTokens,
        ...(cached !== undefined && { input_cached_tokens: cached }),
        ...(reasoning !== undefined && { output_reasoning_tokens: reasoning }),
      }),
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
    }),
    ...(costUsd !== null && {
      'langfuse.observation.cost_details': JSON.stringify({
        ...(inputCostUsd !== undefined && { input: inputCostUsd }),
        ...(outputCostUsd !== undefined && { output: outputCostUsd }),
        total: costUsd,
      }),
    }),
  }
}
