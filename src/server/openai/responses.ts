import type { RunResult } from '../../index.ts'
import { wordsOf } from '../protocol/protocol.ts'
import type { RunView } from '../protocol/stream.ts'
import { annotationsOf, extrasOf, modelName, usageOf, withFootnotes } from './shapes.ts'

/** The answer of a request that does not stream, and the last event of one that does. */
export function responseOf(result: RunResult, origin: string) {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usageOf(result)
  const text = outputText(withFootnotes(result), urlCitations(result, origin))
  return {
    ...begunResponse(result.runId),
    status: 'completed',
    output: [messageOf(result.runId, 'completed', [text])],
    usage: { input_tokens: input, output_tokens: output, total_tokens: total },
    quaero: extrasOf(result),
  }
}

/** A response of which nothing is known but its run. */
function begunResponse(runId: string) {
  return {
    id: `resp_${runId}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'in_progress',
    model: modelName,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: false,
    temperature: null,
    tool_choice: 'none',
    tools: [],
    top_p: null,
    output: [],
    usage: null,
  }
}

/** A stream of events. The response begins with the first step of its run, so that the client knows its id while it waits. */
export function responseView(origin: string): RunView {
  let count = 0
  const frame = (event: ResponseEvent) => ({ event: event.type, data: { ...event, sequence_number: count++ } })
  return {
    *frames({ event: { runId } }) {
      if (count > 0) return yield { comment: 'working' }
      const response = begunResponse(runId)
      yield frame({ type: 'response.created', response })
      yield frame({ type: 'response.in_progress', response })
    },
    *closing(result) {
      for (const event of eventsOf(result, origin)) yield frame(event)
    },
  }
}

/** An event of a streamed response; its fields depend on its type. */
type ResponseEvent = { readonly type: string } & Readonly<Record<string, unknown>>

/** The events that follow `response.created` and `response.in_progress`, without their numbers. */
function* eventsOf(result: RunResult, origin: string): Generator<ResponseEvent> {
  const { runId } = result
  const text = withFootnotes(result)
  const annotations = urlCitations(result, origin)
  const item = { output_index: 0 }
  const part = { ...item, item_id: `msg_${runId}`, content_index: 0 }
  const whole = outputText(text, annotations)
  yield { type: 'response.output_item.added', ...item, item: messageOf(runId, 'in_progress', []) }
  yield { type: 'response.content_part.added', ...part, part: outputText('', []) }
  for (const delta of wordsOf(text)) yield { type: 'response.output_text.delta', ...part, delta, logprobs: [] }
  for (const [annotation_index, annotation] of annotations.entries())
    yield { type: 'response.output_text.annotation.added', ...part, annotation_index, annotation }
  yield { type: 'response.output_text.done', ...part, text, logprobs: [] }
  yield { type: 'response.content_part.done', ...part, part: whole }
  yield { type: 'response.output_item.done', ...item, item: messageOf(runId, 'completed', [whole]) }
  yield { type: 'response.completed', response: responseOf(result, origin) }
}

function messageOf(runId: string, status: 'in_progress' | 'completed', content: readonly object[]) {
  return { id: `msg_${runId}`, type: 'message', role: 'assistant', status, content }
}

function outputText(text: string, annotations: readonly object[]) {
  return { type: 'output_text', text, annotations, logprobs: [] }
}

function urlCitations(result: RunResult, origin: string) {
  return annotationsOf(result, origin).map(({ start, end, title, url }) => ({
    type: 'url_citation',
    start_index: start,
    end_index: end,
    title,
    url,
  }))
}
