import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { z } from 'zod'
import { type RunResult, UsageError } from '../../index.ts'
import { finishedRun } from '../access/finished-run.ts'
import { describeError } from '../access/refusals.ts'
import type { Served } from '../api/routes.ts'
import {
  annotationsOf,
  chatRequest,
  extrasOf,
  type Message,
  questionIn,
  responsesRequest,
  usageOf,
  withFootnotes,
} from './shapes.ts'
import { ConversationThreads } from './threads.ts'

const modelName = 'quaero'

/** Headers by which clients name a conversation. */
const threadHeaders = ['x-quaero-thread', 'x-openwebui-chat-id']

/**
 * OpenAI's chat completions and responses over the workflow. The text is sent once it is verified: a client of this
 * protocol cannot take words back.
 */
export function openaiRoutes(): Hono<Served> {
  const threads = new ConversationThreads()
  const app = new Hono<Served>()
  app.onError((error, c) => {
    const description = describeError(error)
    return c.json(problemOf(description), description.status, description.headers)
  })
  app.get('/models', (c) =>
    c.json({ object: 'list', data: [{ id: modelName, object: 'model', created: 0, owned_by: 'quaero' }] }),
  )
  app.post('/chat/completions', async (c) => {
    const { messages, stream, stream_options: options } = await read(c, chatRequest)
    const asked = conversationOf(c, messages, threads)
    if (!stream) return c.json(completionOf(await asked.answer(), originOf(c)))
    let onEvent = () => {}
    const answer = asked.answer(() => onEvent())
    // What is refused is an HTTP error.
    await Promise.race([new Promise<void>((resolve) => (onEvent = resolve)), answer])
    return streamSSE(c, async (out) => {
      const send = (value: unknown) => out.writeSSE({ data: JSON.stringify(value) })
      try {
        // The client sees at once that somebody works on it.
        onEvent = () => void out.write(': working\n\n')
        onEvent()
        const result = await answer
        for (const chunk of chunksOf(result, originOf(c), isOpenWebUi(c), options?.include_usage === true))
          await send(chunk)
        await out.writeSSE({ data: '[DONE]' })
      } catch (error) {
        await send(problemOf(describeError(error)))
      }
    })
  })
  app.post('/responses', async (c) => {
    const { input, previous_response_id: previous } = await read(c, responsesRequest)
    const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    const threadId = previous ? (await c.var.engine.result(previous.replace(/^resp_/, ''))).threadId : null
    const result = await conversationOf(c, messages, threads, threadId).answer()
    return c.json(responseOf(result, originOf(c)))
  })
  return app
}

function problemOf({ status, body }: ReturnType<typeof describeError>) {
  const { code, message } = body.error
  return { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code } }
}

async function read<T extends z.ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const parsed = schema.safeParse(await c.req.json().catch(() => null))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the request'}: ${message}`)
  throw new UsageError(problems.join('; '))
}

function conversationOf(
  c: Context<Served>,
  messages: readonly Message[],
  threads: ConversationThreads,
  known: string | null = null,
) {
  const question = questionIn(messages)
  if (question === null) throw new UsageError('The messages hold no question of the user.')
  if (question.startsWith('### Task:'))
    throw new UsageError('This model answers questions alone: let another one make titles and tags.')
  const user = c.var.user.name ?? ''
  const named = threadHeaders.map((name) => c.req.header(name)).find((value) => value !== undefined)
  const threadId = known ?? named ?? threads.of(user, messages)
  return {
    async answer(onEvent?: () => void): Promise<RunResult> {
      const options = { approve: 'none', ...(threadId !== null && { threadId }) } as const
      const result = await finishedRun(c.var.engine, question, options, onEvent)
      threads.keep(user, messages, withFootnotes(result), result.threadId)
      return result
    },
  }
}

function originOf(c: Context): string {
  return new URL(c.req.url).origin
}

function isOpenWebUi(c: Context): boolean {
  return c.req.header('x-openwebui-chat-id') !== undefined
}

function completionOf(result: RunResult, origin: string) {
  const annotations = annotationsOf(result, origin).map(urlCitation)
  return {
    id: `chatcmpl-${result.runId}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: modelName,
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

function urlCitation({ start, end, title, url }: ReturnType<typeof annotationsOf>[number]) {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, title, url } }
}

/** The chunks of a stream. Open WebUI shows sources of its own; other clients find the footnotes below the text. */
function* chunksOf(result: RunResult, origin: string, isWebUi: boolean, withUsage: boolean): Generator<unknown> {
  const about = {
    id: `chatcmpl-${result.runId}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model: modelName,
  }
  const chunk = (delta: object, finish: 'stop' | null = null) => ({
    ...about,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  })
  yield chunk({ role: 'assistant', content: '' })
  const text = isWebUi ? result.answer || result.clarification || '' : withFootnotes(result)
  for (const part of text.match(/\S+\s*/g) ?? []) yield chunk({ content: part })
  const annotations = annotationsOf(result, origin)
  if (isWebUi) for (const note of annotations) yield sourceEvent(note)
  else if (annotations.length > 0) yield chunk({ annotations: annotations.map(urlCitation) })
  yield { ...chunk({}, 'stop'), quaero: extrasOf(result) }
  if (withUsage) yield { ...about, choices: [], usage: usageOf(result) }
}

/** A source as Open WebUI shows it behind its marker; each has a name of its own, or it groups them. */
function sourceEvent({ title, quote, marker, url }: ReturnType<typeof annotationsOf>[number]) {
  const metadata = [{ source: `${url}`, name: title }]
  return {
    event: {
      type: 'source',
      data: { source: { name: title, embed_url: url, id: String(marker) }, document: [quote], metadata },
    },
  }
}

function responseOf(result: RunResult, origin: string) {
  const annotations = annotationsOf(result, origin).map(({ start, end, title, url }) => ({
    type: 'url_citation',
    start_index: start,
    end_index: end,
    title,
    url,
  }))
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usageOf(result)
  return {
    id: `resp_${result.runId}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'completed',
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
    output: [
      {
        id: `msg_${result.runId}`,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: withFootnotes(result), annotations }],
      },
    ],
    usage: { input_tokens: input, output_tokens: output, total_tokens: total },
    quaero: extrasOf(result),
  }
}
