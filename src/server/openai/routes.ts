import { type Context, Hono } from 'hono'
import type { SSEStreamingApi } from 'hono/streaming'
import type { z } from 'zod'
import { type RunResult, TerminalError, UsageError } from '../../index.ts'
import { describeError } from '../access/refusals.ts'
import { eventStream } from '../api/event-stream.ts'
import type { Served } from '../api/routes.ts'
import { finishedRun } from '../user/finished-run.ts'
import { chunksOf, completionOf, workEvent } from './chat-completions.ts'
import { begunResponse, eventsOf, type ResponseEvent, responseOf } from './responses.ts'
import { chatRequest, type Message, modelName, questionIn, responsesRequest, withFootnotes } from './shapes.ts'
import { ConversationThreads } from './threads.ts'

/** Headers by which clients name a conversation. */
const webUiHeader = 'x-openwebui-chat-id'
const threadHeaders = ['x-quaero-thread', webUiHeader]

/** The run ended without an answer. */
class RunFailed extends TerminalError {
  readonly code = 'run_failed'
}

type EventReceiver = NonNullable<Parameters<typeof finishedRun>[3]>

interface Conversation {
  /** Throws `RunFailed`. */
  answer(onEvent?: EventReceiver): Promise<RunResult>
}

/**
 * OpenAI's chat completions and responses over the workflow. The text is sent once it is verified: a client of this
 * protocol cannot take words back.
 */
export function openaiRoutes(): Hono<Served> {
  const threads = new ConversationThreads()
  const app = new Hono<Served>()
  app.onError((error, c) => {
    const { status, body, headers } = refusalOf(error)
    // A client repeats what failed on the server; a run that failed would be paid for again.
    if (error instanceof RunFailed) c.header('x-should-retry', 'false')
    return c.json(body, status, headers)
  })
  app.get('/models', (c) => c.json({ object: 'list', data: [model] }))
  app.get('/models/quaero', (c) => c.json(model))
  app.post('/chat/completions', async (c) => {
    const { messages, stream, stream_options: options } = await read(c, chatRequest)
    const asked = conversationOf(c, messages, threads)
    if (!stream) return c.json(completionOf(await asked.answer(), originOf(c)))
    const isWebUi = c.req.header(webUiHeader) !== undefined
    return sendEvents(c, asked, async (out, { result, receive }) => {
      const send = (value: unknown) => out.writeSSE({ data: JSON.stringify(value) })
      receive(({ type, agent = '' }) => {
        const work = isWebUi && type === 'agent.started' ? workEvent(agent) : null
        // The client sees at once that somebody works on it.
        void (work ? send(work) : out.write(': working\n\n'))
      })
      const withUsage = options?.include_usage === true
      for (const chunk of chunksOf(await result, originOf(c), { isWebUi, withUsage })) await send(chunk)
      await out.writeSSE({ data: '[DONE]' })
    })
  })
  app.post('/responses', async (c) => {
    const { input, stream, previous_response_id: previous } = await read(c, responsesRequest)
    const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    const threadId = previous ? (await c.var.engine.result(previous.replace(/^resp_/, ''))).threadId : null
    const asked = conversationOf(c, messages, threads, threadId)
    return stream
      ? sendEvents(c, asked, (out, work) => sendResponse(out, work, originOf(c)))
      : c.json(responseOf(await asked.answer(), originOf(c)))
  })
  return app
}

const model = { id: modelName, object: 'model', created: 0, owned_by: 'quaero' } as const

/** The response is begun with the first event of its run, so that the client knows its id while it waits. */
async function sendResponse(out: SSEStreamingApi, { result, receive }: Work, origin: string): Promise<void> {
  let count = 0
  const send = (event: ResponseEvent) =>
    out.writeSSE({ event: event.type, data: JSON.stringify({ ...event, sequence_number: count++ }) })
  receive(({ runId }) => {
    if (count > 0) return void out.write(': working\n\n')
    const response = begunResponse(runId)
    void send({ type: 'response.created', response })
    void send({ type: 'response.in_progress', response })
  })
  for (const event of eventsOf(await result, origin)) await send(event)
}

/** A question at work: its events, the earlier ones too, and its result. */
interface Work {
  readonly result: Promise<RunResult>
  readonly receive: (next: EventReceiver) => void
}

/**
 * A stream of events that begins with the first one of the run: what is refused before is an HTTP error. A later error
 * ends the stream, in the form that clients of this protocol know.
 */
async function sendEvents(
  c: Context<Served>,
  asked: Conversation,
  send: (out: SSEStreamingApi, work: Work) => Promise<void>,
): Promise<Response> {
  const early: Parameters<EventReceiver>[0][] = []
  let next: EventReceiver = (event) => void early.push(event)
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const result = asked.answer((event) => {
    next(event)
    begin()
  })
  await Promise.race([begun, result])
  const receive = (receiver: EventReceiver) => {
    for (const event of early) receiver(event)
    next = receiver
  }
  return eventStream(c, (out) => send(out, { result, receive }), {
    onError(error, out) {
      const { error: about } = refusalOf(error).body
      return out.writeSSE({ data: JSON.stringify({ type: 'error', error: about }) })
    },
  })
}

function refusalOf(error: unknown) {
  const { status, body, headers } = describeError(error)
  const { code, message } = body.error
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return { status, headers, body: { error: { message, type, param: null, code } } }
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
): Conversation {
  const question = questionIn(messages)
  if (question === null) throw new UsageError('The messages hold no question of the user.')
  if (question.startsWith('### Task:'))
    throw new UsageError('This model answers questions alone: let another one make titles and tags.')
  const user = c.var.user.name ?? ''
  const named = threadHeaders.map((name) => c.req.header(name)).find((value) => value !== undefined && value !== '')
  const threadId = known ?? named ?? threads.of(user, messages)
  return {
    async answer(onEvent) {
      const options = { approve: 'none', ...(threadId !== null && { threadId }) } as const
      const result = await finishedRun(c.var.engine, question, options, onEvent)
      const said = withFootnotes(result)
      if (said === '') throw new RunFailed(result.error?.message ?? `The run ended as "${result.status}".`)
      threads.keep(user, messages, said, result.threadId)
      return result
    },
  }
}

function originOf(c: Context): string {
  return new URL(c.req.url).origin
}
