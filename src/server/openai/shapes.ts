import { z } from 'zod'
import type { RunResult } from '../../index.ts'
import { sourceUrl } from '../access/running.ts'
import { choice } from '../api/shapes.ts'
import { footnotesOf, saidIn } from '../protocol/protocol.ts'

/** The one model that is offered. */
export const modelName = 'quaero'

const parts = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))
const text = z.union([z.string(), parts], 'a text or a list of parts is needed')

export const message = z.looseObject({ role: z.string(), content: text.nullable().optional() })
export type Message = z.output<typeof message>

export const chatRequest = z.looseObject({
  model: z.string().default(modelName),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  user: z.string().nullish(),
  quaero: choice.nullish(),
})

export const responsesRequest = z.looseObject({
  model: z.string().default(modelName),
  input: z.union([z.string(), z.array(message)], 'a text or a list of messages is needed'),
  stream: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  quaero: choice.nullish(),
})

/** The words of a message, whichever of its two forms it has. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => part.text ?? '').join('')
}

/** The last question of a conversation; null if it has none. */
export function questionIn(messages: readonly Message[]): string | null {
  const last = messages.findLast(({ role }) => role === 'user')
  const question = last ? textOf(last).trim() : ''
  return question === '' ? null : question
}

/** A footnote of the answer where its marker stands, and the address at which the page opens at the quote. */
export function annotationsOf({ answer, citations, runId }: RunResult, origin: string) {
  return citations.flatMap(({ marker, label, quote, page }) => {
    const sign = `[${marker}]`
    const start = answer.indexOf(sign)
    return start < 0
      ? []
      : [{ start, end: start + sign.length, title: label, quote, page, marker, url: sourceUrl(origin, runId, marker) }]
  })
}

/** The answer with its footnotes below it, for clients that show text alone. */
export function withFootnotes(result: RunResult): string {
  const notes = footnotesOf(result)
  return notes.length === 0 ? saidIn(result) : `${saidIn(result)}\n\n${notes.join('\n')}`
}

/** What a client of this protocol does not know of. */
export function extrasOf(result: RunResult) {
  const { runId, threadId, status, limitedTo, confidence, abstained, citations, calculations, sentences, unsupported } =
    result
  return { runId, threadId, status, limitedTo, confidence, abstained, citations, calculations, sentences, unsupported }
}

export function usageOf({ usage }: RunResult) {
  const { inputTokens, outputTokens } = usage
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens }
}
