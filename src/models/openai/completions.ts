import { ChatOpenAICompletions, type OpenAIClient } from '@langchain/openai'
import type { Abilities } from '../port/capabilities.ts'
import type { ModelError } from '../port/errors.ts'
import type { OnToolCallPiece } from '../port/model.ts'
import { assembleAnswer, type CompletionChunk } from './answer.ts'
import { readCompletion } from './completion-reader.ts'
import type { Endpoint } from './endpoint.ts'
import { readProblem, refusalError, streamedError } from './endpoint-errors.ts'
import { type Asked, isSuccess, readRefusal, toRefusal } from './refused-request.ts'
import { refusesUsage } from './unsupported.ts'

type StreamingRequest = OpenAIClient.Chat.Completions.ChatCompletionCreateParamsStreaming
type WholeRequest = OpenAIClient.Chat.Completions.ChatCompletionCreateParamsNonStreaming
type WholeCompletion = OpenAIClient.Chat.Completions.ChatCompletion
type WireMessage = OpenAIClient.Chat.Completions.ChatCompletionMessageParam
type Params = ReturnType<ChatOpenAICompletions['invocationParams']>
type CallOptions = ChatOpenAICompletions['ParsedCallOptions'] & { readonly temperature?: number }
/** LangChain passes the options of the call on to the request. */
type RequestOptions = OpenAIClient.RequestOptions & {
  readonly onToolCallPiece?: OnToolCallPiece
  readonly beginWithinMs?: number
}

interface CompletionsOptions {
  readonly model: string
  readonly temperature: number | null
  readonly abilities: Abilities
}

/**
 * LangChain's conversion between its messages and the chat completions protocol, over a transport of our own: the
 * OpenAI client would retry, time out and reword errors by rules of its own, and accept a cut answer as a whole one.
 * Only the endpoint has the key; LangChain gets a placeholder, or it would look into the environment.
 */
export class Completions extends ChatOpenAICompletions {
  readonly #endpoint: Endpoint
  readonly #abilities: Abilities

  constructor(endpoint: Endpoint, { model, temperature, abilities }: CompletionsOptions) {
    super({ model, ...(temperature !== null && { temperature }), apiKey: 'kept-by-the-endpoint', maxRetries: 0 })
    this.#endpoint = endpoint
    this.#abilities = abilities
  }

  /** Takes the temperature from the call, where it names one; OpenAI's reasoning models accept none. */
  override invocationParams(options?: CallOptions, extra?: { streaming?: boolean }): Params {
    const { temperature: own, ...params } = super.invocationParams(options, extra)
    const temperature = options?.temperature ?? own
    return temperature == null || !takesTemperature(this.model) ? params : { ...params, temperature }
  }

  override completionWithRetry(
    request: StreamingRequest,
    options?: RequestOptions,
  ): Promise<AsyncIterable<CompletionChunk>>
  override completionWithRetry(request: WholeRequest, options?: RequestOptions): Promise<WholeCompletion>
  /** Never repeats a failed request: `runs/hooks/retry.ts` decides about that. */
  override async completionWithRetry(
    request: StreamingRequest | WholeRequest,
    options: RequestOptions = {},
  ): Promise<AsyncIterable<CompletionChunk> | WholeCompletion> {
    // OpenAI's newer models read "system" as "developer"; other servers know only the former, whatever the model's name.
    const messages = request.messages.map((message) =>
      message.role === 'developer' ? { ...message, role: 'system' as const } : message,
    )
    // Only `_streamResponseChunks` is ever called, so a whole completion is never asked for.
    return streamAnswer(this.#endpoint, { ...request, messages, stream: true }, options, this.#abilities)
  }
}

/** OpenAI's reasoning models answer 400 to any temperature but their own. */
export function takesTemperature(model: string): boolean {
  return !/^(o\d|gpt-5(?!-chat))/.test(model)
}

async function* streamAnswer(
  endpoint: Endpoint,
  { stream_options, ...request }: StreamingRequest,
  options: RequestOptions,
  abilities: Abilities,
): AsyncGenerator<CompletionChunk> {
  const { onToolCallPiece, beginWithinMs } = options
  const signal = options.signal ?? undefined
  const counting = abilities.countsTokens && stream_options ? { stream_options } : {}
  const body = JSON.stringify({ ...request, ...counting })
  const reply = await endpoint.request('/chat/completions', { body, signal, beginWithinMs })
  const { model, messages, tools = [], response_format } = request
  const asksFor = { tools: tools.length > 0, structuredOutput: response_format !== undefined }
  const characters = JSON.stringify(messages).length
  const asked: Asked = { endpoint, model, characters, signal, reply, chosenWith: '--model', asksFor }
  if (!isSuccess(reply)) {
    const refusal = await readRefusal(asked)
    if (!counting.stream_options || !refusesUsage(refusal)) throw refusalError(refusal)
    abilities.countsTokens = false
    yield* streamAnswer(endpoint, request, options, abilities)
    return
  }
  const { host } = endpoint
  const refusal = (value: unknown, place: 'body' | 'event') => problemIn(value, place, asked)
  const takenIds = new Set(messages.flatMap(callIds))
  yield* assembleAnswer(readCompletion(reply, { host, refusal }), { host, model, takenIds, onToolCallPiece })
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
