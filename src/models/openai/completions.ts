import { ChatOpenAICompletions, type OpenAIClient } from '@langchain/openai'
import { z } from 'zod'
import type { ModelError } from '../errors.ts'
import { assembleAnswer, type CompletionChunk } from './answer.ts'
import { readCompletion } from './completion-reader.ts'
import type { Endpoint, Reply } from './endpoint.ts'
import { type Refusal, readProblem, refusalError, retryAfterMs, streamedError } from './endpoint-errors.ts'

type StreamingRequest = OpenAIClient.Chat.Completions.ChatCompletionCreateParamsStreaming
type WholeRequest = OpenAIClient.Chat.Completions.ChatCompletionCreateParamsNonStreaming
type WholeCompletion = OpenAIClient.Chat.Completions.ChatCompletion
type WireMessage = OpenAIClient.Chat.Completions.ChatCompletionMessageParam
type Params = ReturnType<ChatOpenAICompletions['invocationParams']>
type CallOptions = ChatOpenAICompletions['ParsedCallOptions'] & { readonly temperature?: number }

/**
 * LangChain's conversion between its messages and the chat completions protocol, over a transport of our own: the
 * OpenAI client in between would retry, time out and reword errors by rules of its own, and accept a cut answer as a
 * whole one. The key stays with the endpoint; LangChain is given a placeholder, or it would look into the environment.
 */
export class Completions extends ChatOpenAICompletions {
  readonly #endpoint: Endpoint

  constructor(endpoint: Endpoint, options: { readonly model: string; readonly temperature: number | null }) {
    const { model, temperature } = options
    super({ model, ...(temperature !== null && { temperature }), apiKey: 'kept-by-the-endpoint', maxRetries: 0 })
    this.#endpoint = endpoint
  }

  /** Takes the temperature from the call, where it names one; OpenAI's reasoning models accept none. */
  override invocationParams(options?: this['ParsedCallOptions'], extra?: { streaming?: boolean }): Params {
    const { temperature: own, ...params } = super.invocationParams(options, extra)
    const temperature = (options as CallOptions | undefined)?.temperature ?? own
    return temperature == null || takesNoTemperature.test(this.model) ? params : { ...params, temperature }
  }

  override completionWithRetry(
    request: StreamingRequest,
    options?: OpenAIClient.RequestOptions,
  ): Promise<AsyncIterable<CompletionChunk>>
  override completionWithRetry(request: WholeRequest, options?: OpenAIClient.RequestOptions): Promise<WholeCompletion>
  /** One request, never repeated here: `runs/retry.ts` decides about another. */
  override async completionWithRetry(
    request: StreamingRequest | WholeRequest,
    options?: OpenAIClient.RequestOptions,
  ): Promise<AsyncIterable<CompletionChunk> & WholeCompletion> {
    // OpenAI's newer models read "system" as "developer"; other servers know only the former, whatever the model's name.
    const messages = request.messages.map((message) =>
      message.role === 'developer' ? { ...message, role: 'system' as const } : message,
    )
    const asked = { ...request, messages, stream: true as const }
    const stream = streamAnswer(this.#endpoint, asked, options?.signal ?? undefined)
    // Only `_streamResponseChunks` is ever called, so nobody reads this as a whole completion.
    return stream as unknown as AsyncIterable<CompletionChunk> & WholeCompletion
  }
}

/** OpenAI's reasoning models answer 400 to any temperature but their own. */
const takesNoTemperature = /^(o\d|gpt-5(?!-chat))/

async function* streamAnswer(
  endpoint: Endpoint,
  request: StreamingRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<CompletionChunk> {
  const reply = await endpoint.request('/chat/completions', { body: JSON.stringify(request), signal })
  const asked = { endpoint, request, signal, reply }
  if (reply.status < 200 || reply.status >= 300) throw await readRefusal(asked)
  const { host } = endpoint
  const refusal = (body: unknown, place: 'body' | 'event') => problemIn(body, place, asked)
  const takenIds = new Set(request.messages.flatMap(callIds))
  yield* assembleAnswer(readCompletion(reply, { host, refusal }), { host, model: request.model, takenIds })
}

interface Asked {
  readonly endpoint: Endpoint
  readonly request: StreamingRequest
  readonly signal: AbortSignal | undefined
  readonly reply: Reply
}

function callIds(message: WireMessage): string[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : []
}

function problemIn(body: unknown, place: 'body' | 'event', asked: Asked): ModelError | undefined {
  const problem = readProblem(body)
  if (!problem) return undefined
  const refusal = toRefusal({ ...problem, status: problem.status ?? asked.reply.status }, asked)
  return place === 'event' ? streamedError(refusal) : refusalError(refusal)
}

async function readRefusal(asked: Asked): Promise<ModelError> {
  const { reply } = asked
  const problem = readProblem(await readJson(reply))
  const models = reply.status === 404 ? await listModels(asked) : null
  const { code = null, message = null } = problem ?? {}
  return refusalError({ ...toRefusal({ code, message, status: reply.status }, asked), models })
}

function toRefusal(problem: Pick<Refusal, 'code' | 'message' | 'status'>, asked: Asked): Refusal {
  const { endpoint, request, reply } = asked
  return {
    ...problem,
    message: problem.message && endpoint.redact(problem.message),
    host: endpoint.host,
    hasKey: endpoint.hasKey,
    model: request.model,
    characters: JSON.stringify(request.messages).length,
    retryAfterMs: retryAfterMs(reply.headers),
    models: null,
  }
}

/** The names a server offers, for the person who misspelt one; null if it does not say so at once. */
async function listModels({ endpoint, signal }: Asked): Promise<readonly string[] | null> {
  try {
    const body = modelList.safeParse(
      await readJson(await endpoint.request('/models', { signal, headersTimeoutMs: 5000 })),
    )
    return body.success ? body.data.data.map(({ id }) => endpoint.redact(id)) : null
  } catch {
    signal?.throwIfAborted()
    return null
  }
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) })

/** A short body as JSON; undefined where it is none, or does not come to an end. */
async function readJson({ body }: Reply): Promise<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true })
      if (text.length > shortBody) return undefined
    }
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const shortBody = 1_000_000
