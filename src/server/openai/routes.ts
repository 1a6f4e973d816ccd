import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { type RunResult, UsageError } from '../../index.ts'
import { type Problem, RunFailed } from '../access/refusals.ts'
import type { Choice } from '../api/shapes.ts'
import { bodyOf, type Protocol, type Served, speaking } from '../protocol/protocol.ts'
import { type RunView, sendRun } from '../protocol/stream.ts'
import { chatView, completionOf } from './chat-completions.ts'
import { responseOf, responseView } from './responses.ts'
import { chatRequest, type Message, modelName, questionIn, responsesRequest, textOf, withFootnotes } from './shapes.ts'

/** Headers by which clients name a conversation. */
const webUiHeader = 'x-openwebui-chat-id'
const threadHeaders = ['x-quaero-thread', webUiHeader]

const openai: Protocol = {
  refusal: (problem) => ({ error: errorOf(problem) }),
  failure: (problem) => [{ data: { type: 'error', error: errorOf(problem) } }],
  heartbeat: { text: ': working\n\n', everyMs: 10_000 },
}

function errorOf({ status, code, message }: Problem) {
  return { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code }
}

const model = { id: modelName, object: 'model', created: 0, owned_by: 'quaero' } as const

/**
 * OpenAI's chat completions and responses over the workflow. The text is sent once it is verified: a client of this
 * protocol cannot take words back.
 */
export function openaiRoutes(): Hono<Served> {
  const threads = new ConversationThreads()
  const app = speaking(openai, new Hono<Served>())
  app.get('/models', (c) => c.json({ object: 'list', data: [model] }))
  app.get('/models/quaero', (c) => c.json(model))
  app.post('/chat/completions', async (c) => {
    const { messages, stream, stream_options: options, quaero } = await bodyOf(c.req, chatRequest)
    const asked = conversationOf(c, { messages, ...quaero }, threads)
    if (!stream) return c.json(completionOf(await asked.answer(), originOf(c)))
    const isWebUi = c.req.header(webUiHeader) !== undefined
    return asked.send(chatView(originOf(c), { isWebUi, withUsage: options?.include_usage === true }))
  })
  app.post('/responses', async (c) => {
    const { input, stream, previous_response_id: previous, quaero } = await bodyOf(c.req, responsesRequest)
    const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    const threadId = previous ? (await c.var.engine.result(previous.replace(/^resp_/, ''))).threadId : null
    const asked = conversationOf(c, { messages, ...quaero }, threads, threadId)
    return stream ? asked.send(responseView(originOf(c))) : c.json(responseOf(await asked.answer(), originOf(c)))
  })
  return app
}

/** The last question of a conversation. Both ways to answer it fail with `RunFailed` where nothing was said. */
interface Conversation {
  answer(): Promise<RunResult>
  send(view: RunView): Promise<Response>
}

function conversationOf(
  c: Context<Served>,
  { messages, ...choice }: Choice & { readonly messages: readonly Message[] },
  threads: ConversationThreads,
  known: string | null = null,
): Conversation {
  const question = questionIn(messages)
  if (question === null) throw new UsageError('The messages hold no question of the user.')
  if (question.startsWith('### Task:'))
    throw new UsageError('This model answers questions alone: let another one make titles and tags.')
  const { engine, user } = c.var
  const named = threadHeaders.map((name) => c.req.header(name)).find((value) => value !== undefined && value !== '')
  const threadId = known ?? named ?? threads.of(user.name ?? '', messages)
  const events = () => engine.stream(question, { approve: 'none', ...choice, ...(threadId !== null && { threadId }) })
  const heard = (result: RunResult) => {
    const said = withFootnotes(result)
    if (said === '') throw new RunFailed(result.error?.message ?? `The run ended as "${result.status}".`)
    threads.keep(user.name ?? '', messages, said, result.threadId)
    return result
  }
  return {
    answer: async () => heard(await engine.resultOf(events())),
    send: (view) => sendRun(c, openai, events(), { ...view, closing: (result) => view.closing(heard(result)) }),
  }
}

function originOf(c: Context): string {
  return new URL(c.req.url).origin
}

const mostKept = 2000

/**
 * The thread that a conversation continues, for clients that send all of it each time and name no thread. It is known by
 * the last answer and what was asked before; after a restart, such a conversation begins anew.
 */
class ConversationThreads {
  readonly #threads = new Map<string, string>()

  /** The thread in which the messages before the last question were said; null if that is not known. */
  of(user: string, messages: readonly Message[]): string | null {
    const last = messages.findLastIndex(({ role }) => role === 'user')
    return this.#threads.get(keyOf(user, messages.slice(0, last))) ?? null
  }

  keep(user: string, messages: readonly Message[], answer: string, threadId: string): void {
    const [oldest] = this.#threads.keys()
    if (this.#threads.size >= mostKept && oldest !== undefined) this.#threads.delete(oldest)
    this.#threads.set(keyOf(user, [...messages, { role: 'assistant', content: answer }]), threadId)
  }
}

function keyOf(user: string, messages: readonly Message[]): string {
  const said = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const words = said.map((each) => [each.role, textOf(each).trim()])
  return createHash('sha256')
    .update(JSON.stringify([user, words]))
    .digest('base64')
}
