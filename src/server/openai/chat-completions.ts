import type { RunResult } from '../../index.ts'
import { annotationsOf, extrasOf, modelName, usageOf, withFootnotes, wordsOf } from './shapes.ts'

type Annotation = ReturnType<typeof annotationsOf>[number]

/** The answer of a request that does not stream. */
export function completionOf(result: RunResult, origin: string) {
  const annotations = annotationsOf(result, origin).map(urlCitation)
  return {
    ...headOf(result.runId),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        logprobs: null,
        message: { role: 'assistant', content: withFootnotes(result), refusal: null, annotations },
      },
    ],
    usage: usageOf(result),
    quaero: extrasOf(result),
  }
}

/** The chunks of a stream. Open WebUI shows sources of its own; other clients find the footnotes below the text. */
export function* chunksOf(
  result: RunResult,
  origin: string,
  { isWebUi, withUsage }: { readonly isWebUi: boolean; readonly withUsage: boolean },
): Generator<unknown> {
  const about = { ...headOf(result.runId), object: 'chat.completion.chunk' }
  const chunk = (delta: object, finish: 'stop' | null = null) => ({
    ...about,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  })
  if (isWebUi) yield statusEvent('Done', true)
  yield chunk({ role: 'assistant', content: '' })
  const text = isWebUi ? result.answer || result.clarification || '' : withFootnotes(result)
  for (const part of wordsOf(text)) yield chunk({ content: part })
  const annotations = annotationsOf(result, origin)
  if (isWebUi) for (const note of annotations) yield sourceEvent(note)
  else if (annotations.length > 0) yield chunk({ annotations: annotations.map(urlCitation) })
  yield { ...chunk({}, 'stop'), quaero: extrasOf(result) }
  if (withUsage) yield { ...about, choices: [], usage: usageOf(result) }
}

const workOf: Readonly<Record<string, string>> = {
  orchestrator: 'Reading the question',
  research: 'Searching the documents',
  synthesis: 'Writing the answer and checking its quotes',
}

/** What Open WebUI shows while an agent works; null for one of which it shows nothing. */
export function workEvent(agent: string): object | null {
  const description = workOf[agent]
  return description === undefined ? null : statusEvent(description, false)
}

function statusEvent(description: string, done: boolean) {
  return { event: { type: 'status', data: { description, done } } }
}

/** A source as Open WebUI shows it behind its marker. It groups sources by `metadata.source`, and counts pages from 0. */
function sourceEvent({ title, quote, marker, url, page }: Annotation) {
  const metadata = [{ source: url, name: title, page: page - 1 }]
  return {
    event: {
      type: 'source',
      data: { source: { name: title, embed_url: url, id: String(marker) }, document: [quote], metadata },
    },
  }
}

function headOf(runId: string) {
  return { id: `chatcmpl-${runId}`, created: Math.floor(Date.now() / 1000), model: modelName }
}

function urlCitation({ start, end, title, url }: Annotation) {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, title, url } }
}
