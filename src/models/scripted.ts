import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { ScriptEnded } from './port/errors.ts'
import type { AgentTask } from './port/model.ts'
import { collect } from './port/stream.ts'

/** What a scripted model replies: a text or message, an error to throw, or a function of the question. */
export type Line = Reply | GatedLine | ((messages: readonly BaseMessage[]) => Reply | Promise<Reply>)

type Reply = string | AIMessage | Error

/** A line that waits for its gate, so that a test decides the order of events. */
export interface GatedLine {
  readonly say: Line
  readonly gate: PromiseLike<unknown>
}

/** One script for all callers, or one for each agent or specialist by its name. */
export type Script = readonly Line[] | { readonly [name: string]: readonly Line[] }

export interface ScriptedModelOptions {
  /** Reported for every line that is not an `AIMessage` with its own; unknown if absent. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}

/**
 * A model that replies with its lines in order, word by word, and keeps what it heard: for tests and examples. Agents may
 * share one, each with lines of its own (by the call option `agentTask`). Without lines for it (`secondReading`), a second
 * reading finds nothing wrong. Throws `ScriptEnded` after the last line.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  return new ScriptedModel(script, options)
}

/** The reply of a second reading that finds nothing wrong, for as many claims as one call has. */
const agreement = Array.from({ length: 40 }, (_, at) => `${at + 1} yes`).join('\n')

interface CallOptions extends BaseChatModelCallOptions {
  agentTask?: AgentTask
}

/** Made by `scriptedModel`. */
export class ScriptedModel extends BaseChatModel<CallOptions> {
  /** The messages of each call, in the order of the calls. */
  readonly heard: BaseMessage[][] = []
  readonly #script: Script
  readonly #options: ScriptedModelOptions
  readonly #said = new Map<string, number>()

  constructor(script: Script, options: ScriptedModelOptions) {
    super({ maxRetries: 0 })
    this.#script = script
    this.#options = options
  }

  static override lc_name(): string {
    return 'ScriptedModel'
  }

  override _llmType(): string {
    return 'scripted'
  }

  /** Tools change nothing: the script says which calls are made. */
  override bindTools(_tools: BindToolsInput[]): Runnable<BaseLanguageModelInput, AIMessageChunk, CallOptions> {
    return this.withConfig({})
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.heard.push([...messages])
    const line = this.#next(options.agentTask)
    const reply = await untilAborted(resolveLine(line, messages), options.signal)
    if (reply instanceof Error) throw reply
    for (const message of toChunks(reply, this.#options)) {
      options.signal?.throwIfAborted()
      const chunk = new ChatGenerationChunk({ message, text: message.text })
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }

  override _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    return collect(this._streamResponseChunks(messages, options, runManager))
  }

  #next(task: AgentTask | undefined): Line {
    const script = this.#script
    if (task?.agent === 'secondReading' && !('secondReading' in script)) return agreement
    const agent = task && 'specialist' in task && task.specialist ? task.specialist : task?.agent
    const [part, lines] = isLines(script) ? (['', script] as const) : ([agent ?? '', agent && script[agent]] as const)
    const position = this.#said.get(part) ?? 0
    const line = lines?.[position]
    if (line === undefined) {
      const whose = part === '' ? 'The script' : `The script of ${part}`
      throw new ScriptEnded(`${whose} is over after ${position} lines, and the model was asked for one more`)
    }
    this.#said.set(part, position + 1)
    return line
  }
}

/** `Array.isArray` alone does not narrow a readonly array. */
function isLines(script: Script): script is readonly Line[] {
  return Array.isArray(script)
}

async function resolveLine(line: Line, messages: readonly BaseMessage[]): Promise<Reply> {
  if (typeof line === 'function') return line(messages)
  if (typeof line === 'string' || line instanceof Error || AIMessage.isInstance(line)) return line
  await line.gate
  return resolveLine(line.say, messages)
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** A word a chunk, then the tool calls with the finish reason and the usage. */
function toChunks(reply: string | AIMessage, { usage }: ScriptedModelOptions): AIMessageChunk[] {
  const message = typeof reply === 'string' ? new AIMessage(reply) : reply
  const calls = toCallChunks(message)
  const end = new AIMessageChunk({
    content: '',
    tool_call_chunks: calls,
    response_metadata: { finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', ...message.response_metadata },
  })
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
  const reported = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens }
  const usage_metadata = message.usage_metadata ?? (usage && reported)
  const words = /\S/.test(message.text) ? message.text.split(/(?<=\S)(?=\s+\S)/) : []
  const chunks = [
    ...words.map((content) => new AIMessageChunk(content)),
    usage_metadata ? Object.assign(end, { usage_metadata }) : end,
  ]
  return message.id === undefined ? chunks : chunks.map((chunk) => Object.assign(chunk, { id: message.id }))
}

/** Numbered from 1, like those of an endpoint; one without an id is invalid for LangChain. */
function toCallChunks({ tool_calls = [], invalid_tool_calls = [] }: AIMessage) {
  const valid = tool_calls.map(({ id, name, args }, at) => ({
    id: id ?? `call_${at + 1}`,
    name,
    args: JSON.stringify(args),
  }))
  const invalid = invalid_tool_calls.map(({ name = '', args = '' }) => ({ name, args }))
  return [...valid, ...invalid].map((call, at) => ({ ...call, index: at + 1, type: 'tool_call_chunk' as const }))
}
