import { z } from 'zod'
import { EndpointIncompatible, type ModelError, StreamTruncated } from '../port/errors.ts'
import type { Reply } from './endpoint.ts'
import { clean } from './endpoint-errors.ts'

const content = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))])
  .nullish()
  .transform((value) => (typeof value === 'string' ? value : (value ?? []).map(({ text }) => text ?? '').join('')))

const toolCall = z.object({
  index: z.number().int().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z
        .unknown()
        .optional()
        .transform((value) => (typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value))),
    })
    .nullish(),
})

const delta = z
  .object({ content, refusal: z.string().nullish(), tool_calls: z.array(toolCall).nullish() })
  .nullish()
  .transform((value) => value ?? { content: '', refusal: null, tool_calls: null })

const tokens = z.number().int().nonnegative()

/**
 * One chunk of an answer, with what varies between servers evened out. `usage` is null where a server leaves out or
 * misspells a count: an unknown cost must not look like no cost.
 */
const wireChunk = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z
        .object({ index: z.number().nullish(), delta, message: delta, finish_reason: z.string().nullish() })
        .transform(({ index, finish_reason, ...choice }) => ({
          index: index ?? 0,
          finishReason: finish_reason || null,
          // A whole completion (`message`) reads like a stream of one chunk.
          delta: hasSomething(choice.delta) ? choice.delta : choice.message,
        })),
    )
    .nullish()
    .transform((choices) => choices ?? []),
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      prompt_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(null),
      completion_tokens_details: z.object({ reasoning_tokens: tokens }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
})
export type WireChunk = z.output<typeof wireChunk>

interface ReaderOptions {
  readonly host: string
  /** The error for a body or event that holds an error object; undefined if it holds none. */
  readonly refusal: (body: unknown, place: 'body' | 'event') => ModelError | undefined
}

/**
 * The chunks of an answer: an event stream, or a JSON completion as one chunk; those that the network brought together
 * come together. Throws `EndpointIncompatible` for a web page, an empty body or JSON of another kind, `StreamTruncated`
 * for a chunk that cannot be parsed, and the error that `refusal` makes of an error object.
 */
export async function* readCompletion(reply: Reply, options: ReaderOptions): AsyncGenerator<readonly WireChunk[]> {
  const texts = decode(reply.body)
  try {
    const head = await firstText(texts)
    const all = prepend(head, texts)
    const first = head.trimStart()[0]
    if (first === undefined) throw incompatible(options, 'an empty body')
    if (first === '<') throw incompatible(options, `a web page (${mediaType(reply)})`, ' or sign in to your network')
    if (first === '{' || first === '[') yield [await readJson(all, options)]
    else yield* readEvents(all, options, mediaType(reply))
  } finally {
    await texts.return(undefined)
  }
}

async function* decode(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}

/** The text up to and including the first piece that is not blank: it shows what kind of body it is. */
async function firstText(texts: AsyncGenerator<string, void>): Promise<string> {
  let head = ''
  while (head.trim() === '') {
    const { done, value } = await texts.next()
    if (done) return head
    head += value
  }
  return head
}

async function* prepend(head: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield head
  yield* texts
}

async function readJson(texts: AsyncIterable<string>, options: ReaderOptions): Promise<WireChunk> {
  let text = ''
  for await (const piece of texts) text += piece
  const chunk = chunkIn(text, 'body', options)
  if (chunk.choices.length === 0) throw incompatible(options, 'no choices')
  return chunk
}

async function* readEvents(
  texts: AsyncIterable<string>,
  options: ReaderOptions,
  type: string,
): AsyncGenerator<readonly WireChunk[]> {
  let isEmpty = true
  for await (const events of eventData(texts)) {
    const end = events.findIndex((data) => data.trim() === '[DONE]')
    const { chunks, failure } = chunksIn(end < 0 ? events : events.slice(0, end), options)
    if (chunks.length > 0) yield chunks
    if (failure) throw failure
    isEmpty &&= chunks.length === 0
    if (end >= 0) break
  }
  if (isEmpty) throw incompatible(options, `no chunk of an answer (${type})`)
}

/** The chunks before the first faulty one, and its error. */
function chunksIn(events: readonly string[], options: ReaderOptions) {
  const chunks: WireChunk[] = []
  try {
    for (const data of events) chunks.push(chunkIn(data, 'event', options))
  } catch (failure) {
    return { chunks, failure }
  }
  return { chunks, failure: null }
}

function chunkIn(text: string, place: 'body' | 'event', options: ReaderOptions): WireChunk {
  const body = parseJson(text)
  if (body === undefined) {
    if (place === 'body') throw incompatible(options, 'malformed JSON')
    throw new StreamTruncated(`${options.host} sent a chunk of its answer that is not valid JSON`)
  }
  const refusal = options.refusal(body, place)
  if (refusal) throw refusal
  const chunk = wireChunk.safeParse(body)
  if (!chunk.success) throw incompatible(options, place === 'body' ? 'JSON of another kind' : 'chunks of another kind')
  return chunk.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function hasSomething(value: z.output<typeof delta>): boolean {
  return value.content !== '' || Boolean(value.refusal) || Boolean(value.tool_calls?.length)
}

function mediaType({ headers }: Reply): string {
  return clean(headers.get('content-type')?.split(';')[0] ?? 'of no stated type')
}

function incompatible({ host }: ReaderOptions, what: string, alternative = ''): EndpointIncompatible {
  return new EndpointIncompatible(
    `${host} is not an OpenAI-compatible endpoint: it answered with ${what}. Check OPENAI_BASE_URL${alternative}`,
  )
}

/**
 * The data of the events in a `text/event-stream`, whatever pieces it comes in; the events that one piece completes come
 * in one list. A last event without its blank line counts too. After
 * https://html.spec.whatwg.org/multipage/server-sent-events.html, without a lone CR as line ending.
 */
export async function* eventData(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const text of texts) {
    const events = (rest + text).replaceAll('\r\n', '\n').split('\n\n')
    rest = events.pop() ?? ''
    const data = events.flatMap(dataOf)
    if (data.length > 0) yield data
  }
  const last = dataOf(rest)
  if (last.length > 0) yield last
}

/** The `data` lines of an event, joined; none for an event without any. */
function dataOf(event: string): readonly string[] {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'))
  const values = lines.map((line) => line.slice(line.startsWith('data: ') ? 'data: '.length : 'data:'.length))
  return values.length > 0 ? [values.join('\n')] : []
}
