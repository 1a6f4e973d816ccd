import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage, type MessageContent } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import type { Settings } from '../../config.ts'
import { type Abilities, abilitiesBy } from '../port/capabilities.ts'
import { estimateTokens } from '../port/estimate-tokens.ts'
import type { AgentTask, ChatModel, OnToolCallPiece, Price } from '../port/model.ts'
import { assistantChunk, collect } from '../port/stream.ts'
import { Completions, takesTemperature } from './completions.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'

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
  const { model, apiKey, baseUrl, temperature, price, contextWindow, fetch } = options
  const abilities = options.abilities ?? abilitiesBy(options.endpoint)
  const endpoint = openEndpoint({ baseUrl, apiKey, settings: options.endpoint, fetch })
  return {
    kind: 'language',
    name: `openai:${model}`,
    model: new OpenAIModel(endpoint, { model, temperature, abilities }),
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

/** What LangChain sees of it. Endpoint and key are private: neither printing nor a callback can show them. */
class OpenAIModel extends BaseChatModel<OpenAICallOptions> {
  readonly model: string
  readonly #completions: Completions

  constructor(endpoint: Endpoint, options: ConstructorParameters<typeof Completions>[1]) {
    super({ maxRetries: 0 })
    this.model = options.model
    this.#completions = new Completions(endpoint, options)
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
    // The same options, in the type that LangChain gives them for its own model.
    const theirs = options as Completions['ParsedCallOptions']
    try {
      for await (const theirChunk of this.#completions._streamResponseChunks(messages, theirs)) {
        const chunk = strict(theirChunk)
        yield chunk
        const place = { prompt: 0, completion: 0 }
        await runManager?.handleLLMNewToken(chunk.text, place, undefined, undefined, undefined, { chunk })
      }
    } catch (error) {
      // LangChain turns an abort into an error of its own.
      options.signal?.throwIfAborted()
      throw error
    }
    // … or into a stream that just ends.
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
}

/**
 * Only what others need, and nothing undefined: LangChain also keeps the raw tool calls, which it would send back even
 * if they are invalid, and leaves the finish reason out of some messages.
 */
function strict({ text, message, generationInfo }: ChatGenerationChunk): ChatGenerationChunk {
  const { id, content, tool_call_chunks = [], usage_metadata } = assistantChunk(message)
  const { finish_reason, model_name } = generationInfo ?? {}
  const ending = finish_reason ? { finish_reason, model_name } : {}
  const chunk = new AIMessageChunk({
    content,
    tool_call_chunks,
    response_metadata: { model_provider: 'openai', ...ending },
  })
  if (id !== undefined) chunk.id = id
  if (usage_metadata) Object.assign(chunk, { usage_metadata: JSON.parse(JSON.stringify(usage_metadata)) })
  return new ChatGenerationChunk({ text, message: chunk, generationInfo: ending })
}
