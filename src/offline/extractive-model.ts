import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { z } from 'zod'
import { slices } from '../events/index.ts'
import { type AgentTask, type ChatModel, collect, type RuleReply } from '../models/index.ts'
import { answerByRule } from './answers/answer-by-rule.ts'
import { clarifyingQuestion } from './clarification/clarifying-question.ts'
import type { ExtractiveParts, SynthesisTask } from './parts/parts.ts'
import { type Call, nextStep } from './retrieve.ts'
import { chooseRoute } from './route.ts'

/**
 * The model that needs no key: it routes by rule, searches the documents, and answers with their own sentences, each
 * quoted. The same question over the same documents always gets the same answer, and costs nothing.
 */
export function extractiveModel(parts: ExtractiveParts): ChatModel {
  const model = new Extractive(parts)
  return { kind: 'rules', name: 'extractive', model, contextWindow: null, price: { input: 0, output: 0 } }
}

interface CallOptions extends BaseChatModelCallOptions {
  readonly agentTask?: AgentTask
  readonly tools?: readonly unknown[]
}

interface Reply {
  readonly text: string
  readonly calls: readonly Call[]
  readonly made?: RuleReply
}

const NO_TASK = 'Without a language model, only questions about the documents can be answered.'

class Extractive extends BaseChatModel<CallOptions> {
  readonly #parts: ExtractiveParts

  constructor(parts: ExtractiveParts) {
    super({})
    this.#parts = parts
  }

  override _llmType(): string {
    return 'extractive'
  }

  override bindTools(tools: BindToolsInput[], options?: Partial<CallOptions>) {
    return this.withConfig({ ...options, tools })
  }

  override _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    return collect(this._streamResponseChunks(messages, options, runManager))
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, calls, made } = await this.#reply(messages, options)
    for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
      options.signal?.throwIfAborted()
      yield chunkOf(word)
      await runManager?.handleLLMNewToken(word)
    }
    yield lastChunk(calls, made)
  }

  async #reply(messages: readonly BaseMessage[], options: this['ParsedCallOptions']): Promise<Reply> {
    options.signal?.throwIfAborted()
    const task = options.agentTask
    switch (task?.agent) {
      case 'orchestrator':
        return { text: JSON.stringify(await chooseRoute(task, this.#parts)), calls: [] }
      case 'clarification':
        return { text: clarifyingQuestion(task), calls: [] }
      case 'research':
        return {
          text: '',
          calls: [],
          ...(await nextStep(task, messages, (options.tools ?? []).map(toolName), this.#parts)),
        }
      case 'synthesis':
        return await answer(task, this.#parts, options.signal)
      default:
        return { text: NO_TASK, calls: [] }
    }
  }
}

async function answer(task: SynthesisTask, parts: ExtractiveParts, signal: AbortSignal | undefined): Promise<Reply> {
  const { text, confidence, remarks } = await answerByRule(task, parts, slices({ signal }))
  return { text, calls: [], made: { confidence, remarks } }
}

function chunkOf(word: string): ChatGenerationChunk {
  return new ChatGenerationChunk({ message: new AIMessageChunk({ content: word }), text: word })
}

function lastChunk(calls: readonly Call[], made: Reply['made']): ChatGenerationChunk {
  const message = new AIMessageChunk({
    content: '',
    tool_call_chunks: calls.map(({ id, name, args }, index) => ({
      id,
      name,
      args: JSON.stringify(args),
      index,
      type: 'tool_call_chunk' as const,
    })),
    response_metadata: { finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', ...made },
  })
  // Assigned afterwards because LangChain's types make the field `undefined` and nothing else.
  const counted = Object.assign(message, { usage_metadata: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } })
  return new ChatGenerationChunk({ message: counted, text: '' })
}

/** The name in a tool of ours, of LangChain's, or in the form that OpenAI's protocol has. */
function toolName(tool: unknown): string {
  const { name, function: inner } = namedTool.safeParse(tool).data ?? {}
  return inner?.name ?? name ?? ''
}

const namedTool = z.object({
  name: z.string().optional(),
  function: z.object({ name: z.string().optional() }).optional(),
})
