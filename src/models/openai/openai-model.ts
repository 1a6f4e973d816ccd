import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import type { AIMessageChunk, BaseMessage, MessageContent } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { ChatOpenAICompletions, convertMessagesToCompletionsMessageParams } from '@langchain/openai'
import type { Settings } from '../../config.ts'
import type { ModelError } from '../port/errors.ts'
import {
  type Abilities,
  type AgentTask,
  abilitiesBy,
  type ChatModel,
  estimateTokens,
  type OnToolCallPiece,
  type Price,
} from '../port/model.ts'
import { collect } from '../port/stream.ts'
import { assembleAnswer } from './answer.ts'
import { readCompletion } from './completion-reader.ts'
import { type Endpoint, openEndpoint, type Reply } from './endpoint.ts'
import { readProblem, refusalError, streamedError } from './endpoint-errors.ts'
import { type Asked, isSuccess, readRefusal, toRefusal } from './refused-request.ts'
import { refusesUsage } from './unsupported.ts'

/** Options of a single call, in addition to LangChain's own (`signal`, `stop`, `tool_choice`, …). */
export interface OpenAICallOptions extends BaseChatModelCallOptions {
  /** In OpenAI's JSON form, or anything that LangChain can turn into it. */
  tools?: BindToolsInput[]
  response_format?: unknown
  temperature?: number
  /** For models that answer by rule; never sent. */
  agentTask?: AgentTask
  onToolCallPiece?: OnToolCallPiece
  /** For the first byte of the answer, where the settings would allow more. */
  beginWithinMs?: number
}

export interface OpenAIModelOptions {
  readonly model: string
  /** null for servers that ask for none. */
  readonly apiKey: string | null
  /** With the version, as in `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** null leaves it to the endpoint; a call's own `temperature` comes first. */
  readonly temperature: number | null
  readonly endpoint: Settings['endpoint']
  readonly price: Price | null
  readonly contextWindow: number | null
  /** Shared by all that ask the same model. */
  readonly abilities?: Abilities | undefined
  readonly fetch?: typeof globalThis.fetch
}

/**
 * A model behind an OpenAI-compatible endpoint, always streamed, never retried here. Calls reject with the errors of
 * `models/port/errors.ts`, or with the signal's reason. The reply's `response_metadata.finish_reason` is always set;
 * `usage_metadata` is absent where the endpoint does not count. Throws `ConfigInvalid` for an unusable base URL or key.
 */
export function openaiModel(options: OpenAIModelOptions): ChatModel {
  const { model, apiKey, baseUrl, price, contextWindow, fetch } = options
  const abilities = options.abilities ?? abilitiesBy(options.endpoint)
  const endpoint = openEndpoint({ baseUrl, apiKey, settings: options.endpoint, fetch })
  return {
    kind: 'language',
    name: `openai:${model}`,
    model: new OpenAIModel(endpoint, abilities, options),
    contextWindow,
    price,
    takesTemperature: takesTemperature(model),
    abilities,
    rehearsal: () => openaiModel({ ...options, abilities: abilitiesBy(options.endpoint), fetch: answerInRehearsal }),
  }
}

const wordsOfRehearsal = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'I see.' } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'a', arguments: '{}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
]

const answerInRehearsal: typeof globalThis.fetch = async () => {
  const events = wordsOfRehearsal.map((chunk) => `data: ${JSON.stringify({ model: 'rehearsal', ...chunk })}\n\n`)
  return new Response(`${events.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

/** OpenAI's reasoning models answer 400 to any temperature but their own. */
function takesTemperature(model: string): boolean {
  return !/^(o\d|gpt-5(?!-chat))/.test(model)
}

/**
 * What LangChain sees of it. `@langchain/openai` writes the request. The answer is read here: OpenAI's client would retry,
 * time out and reword errors by rules of its own, and accept a cut answer as a whole one. Endpoint and key are private:
 * neither printing nor a callback can show them.
 */
class OpenAIModel extends BaseChatModel<OpenAICallOptions> {
  readonly model: string
  readonly #endpoint: Endpoint
  readonly #abilities: Abilities
  readonly #params: ChatOpenAICompletions

  constructor(endpoint: Endpoint, abilities: Abilities, { model, temperature }: OpenAIModelOptions) {
    super({ maxRetries: 0 })
    this.model = model
    this.#endpoint = endpoint
    this.#abilities = abilities
    // It is given a placeholder, or it would look for a key in the environment.
    const apiKey = 'kept-by-the-endpoint'
    this.#params = new ChatOpenAICompletions({ model, ...(temperature !== null && { temperature }), apiKey })
  }

  static override lc_name(): string {
    return 'OpenAIModel'
  }

  override _llmType(): string {
    return 'openai'
  }

  override bindTools(
    tools: BindToolsInput[],
    options?: Partial<OpenAICallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, OpenAICallOptions> {
    return this.withConfig({ ...options, tools: tools.map((tool) => convertToOpenAITool(tool)) })
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const request = this.#request(messages, options)
    for await (const chunk of streamAnswer(this.#endpoint, request, options, this.#abilities)) {
      options.signal?.throwIfAborted()
      yield chunk
      const place = { prompt: 0, completion: 0 }
      await runManager?.handleLLMNewToken(chunk.text, place, undefined, undefined, undefined, { chunk })
    }
    options.signal?.throwIfAborted()
  }

  override _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    return collect(this._streamResponseChunks(messages, options, runManager))
  }

  /** An estimate: LangChain would download a tokenizer to know better. */
  override async getNumTokens(content: MessageContent): Promise<number> {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    return estimateTokens(text)
  }

  /** Takes the temperature from the call, where it names one. */
  #request(messages: BaseMessage[], options: this['ParsedCallOptions']) {
    // The same options, in the type that LangChain gives them for its own model.
    const theirs = options as ChatOpenAICompletions['ParsedCallOptions']
    const { temperature: own, ...params } = this.#params.invocationParams(theirs, { streaming: true })
    const temperature = options.temperature ?? own
    return {
      ...params,
      ...(temperature != null && takesTemperature(this.model) && { temperature }),
      // Without the model's name: for OpenAI's newer ones "system" would become "developer", which other servers do not know.
      messages: convertMessagesToCompletionsMessageParams({ messages }),
      stream: true,
    }
  }
}

type ChatRequest = ReturnType<ChatOpenAICompletions['invocationParams']> & {
  readonly messages: ReturnType<typeof convertMessagesToCompletionsMessageParams>
}
type RequestOptions = Pick<OpenAICallOptions, 'signal' | 'onToolCallPiece' | 'beginWithinMs'>

/** Repeats no failed request, since `runs/hooks/retry.ts` decides about that; only one that asked for too much. */
async function* streamAnswer(
  endpoint: Endpoint,
  { stream_options, ...request }: ChatRequest,
  options: RequestOptions,
  abilities: Abilities,
): AsyncGenerator<ChatGenerationChunk> {
  const { signal, onToolCallPiece, beginWithinMs } = options
  const counting = abilities.countsTokens && stream_options ? { stream_options } : {}
  const body = JSON.stringify({ ...request, ...counting })
  const reply = await endpoint.request('/chat/completions', { body, signal, beginWithinMs })
  const asked = () => askedFor(endpoint, request, reply, signal)
  if (!isSuccess(reply)) {
    const refusal = await readRefusal(asked())
    if (!counting.stream_options || !refusesUsage(refusal)) throw refusalError(refusal)
    abilities.countsTokens = false
    yield* streamAnswer(endpoint, request, options, abilities)
    return
  }
  const { host } = endpoint
  const refusal = (value: unknown, place: 'body' | 'event') => problemIn(value, place, asked)
  const takenIds = new Set(request.messages.flatMap(callIds))
  const { model } = request
  yield* assembleAnswer(readCompletion(reply, { host, refusal }), { host, model, takenIds, onToolCallPiece })
}

/** What an error needs to know of a request. */
function askedFor(
  endpoint: Endpoint,
  { model, messages, tools = [], response_format }: ChatRequest,
  reply: Reply,
  signal: AbortSignal | undefined,
): Asked {
  const asksFor = { tools: tools.length > 0, structuredOutput: response_format !== undefined }
  const characters = JSON.stringify(messages).length
  return { endpoint, model, characters, signal, reply, chosenWith: '--model', asksFor }
}

function callIds(message: ChatRequest['messages'][number]): string[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : []
}

function problemIn(body: unknown, place: 'body' | 'event', asked: () => Asked): ModelError | undefined {
  const problem = readProblem(body)
  if (!problem) return undefined
  const request = asked()
  const refusal = toRefusal({ ...problem, status: problem.status ?? request.reply.status }, request)
  return place === 'event' ? streamedError(refusal) : refusalError(refusal)
}
