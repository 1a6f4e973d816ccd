import type { RunResult } from '../../index.ts'
import { saidIn, wordsOf } from '../protocol/protocol.ts'
import type { RunView } from '../protocol/stream.ts'
import { annotationsOf, extrasOf, modelName, usageOf, withFootnotes } from './shapes.ts'

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

interface Shown {
  /** Open WebUI shows the work and the sources in ways of its own; other clients find the footnotes below the text. */
  readonly isWebUi: boolean
  readonly withUsage: boolean
}

/** A stream of chunks. The client sees with each step that somebody works on it. */
export function chatView(origin: string, shown: Shown): RunView {
  return {
    *frames(step) {
      const work = shown.isWebUi && step.kind === 'phase' && !step.isOver ? workOf[step.agent] : undefined
      yield work === undefined ? { comment: 'working' } : { data: statusEvent(work, false) }
    },
    *closing(result) {
      for (const data of chunksOf(result, origin, shown)) yield { data }
      yield { data: '[DONE]' }
    },
  }
}

function* chunksOf(result: RunResult, origin: string, { isWebUi, withUsage }: Shown): Generator<unknown> {
  const about = { ...headOf(result.runId), object: 'chat.completion.chunk' }
  const chunk = (delta: object, finish: 'stop' | null = null) => ({
    ...about,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  })
  if (isWebUi) yield statusEvent('Done', true)
  yield chunk({ role: 'assistant', content: '' })
  const text = isWebUi ? saidIn(result) : withFootnotes(result)
  for (const part of wordsOf(text)) yield chunk({ content: part })
  const annotations = annotationsOf(result, origin)
  if (isWebUi) for (const note of annotations) yield sourceEvent(note)
  else if (annotations.length > 0) yield chunk({ annotations: annotations.map(urlCitation) })
  yield { ...chunk({}, 'stop'), quaero: extrasOf(result) }
  if (withUsage) yield { ...about, choices: [], usage: usageOf(result) }
}

/** What Open WebUI shows while an agent works. */
const workOf: Readonly<Record<string, string>> = {
  orchestrator: 'Reading the question',
  research: 'Searching the documents',
  synthesis: 'Writing the answer and checking its quotes',
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
