import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { TextFilter } from '../../answers/index.ts'
import {
  type AddedMessage,
  type AskedBy,
  type Context,
  type Evidence,
  type Request,
  type Result,
  span,
  type Usage,
} from '../../events/index.ts'
import { type AgentTask, type ChatModel, usageIn } from '../../models/index.ts'
import type { RenderedPrompt } from '../../prompts.ts'
import type { Tool } from '../../tools/index.ts'
import { replace } from './fit-context.ts'
import { repairHistory, withCalls } from './history.ts'
import { finishReasonOf, logAdded, maskedMessage, toolCallsOf } from './messages.ts'
import { step } from './step.ts'
import { streamReply } from './stream-reply.ts'
import { type ToollessRequest, withFallbacks } from './toolless.ts'

export interface ModelRequest {
  readonly chat: ChatModel
  readonly messages: readonly BaseMessage[]
  readonly agentTask: AgentTask
  readonly prompt: RenderedPrompt
  readonly temperature: number | null
  readonly tools?: readonly Tool[]
  /** A JSON schema that the reply must fit, for endpoints that can enforce it. */
  readonly responseFormat?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> }
  /** How to ask a model that takes no tools; without it, such a model's refusal is an error. */
  readonly plain?: ToollessRequest
  /** Reads the reply of a model that was asked for searches. */
  readonly read?: (reply: AIMessage) => AIMessage
  /** `thread`: the person reads the reply, so the caller completes the message once it is verified. */
  readonly scope: 'thread' | 'scratch'
  readonly filter?: () => TextFilter
  /** The earlier conversation as it stands in the prompt, a message each, so that hooks can shorten it. */
  readonly history?: readonly string[]
  /** The passages in the prompt, so that hooks can leave some out. */
  readonly evidence?: readonly Evidence[]
  /** The hook whose own call it is. */
  readonly askedBy?: AskedBy
  /** The answer could do without this call, so no limit makes an exception for it. */
  readonly optional?: boolean
}

/** A reply, and how hooks changed the conversation. */
export interface Exchange {
  readonly reply: AIMessage
  /** Messages that hooks added after the reply. */
  readonly added: readonly AddedMessage[]
  /** True where the model takes no tools: its reply holds all searches that it will ask for. */
  readonly plain?: boolean
  /** The messages of the call from now on, where a hook has shortened them. */
  readonly shortened?: readonly BaseMessage[]
  /** The passages that the model has read, where a hook has left some out. */
  readonly evidence?: readonly Evidence[]
}

/** One model call outside a loop: the model's reply. */
export async function askModel(context: Context, request: ModelRequest): Promise<AIMessage> {
  return (await converse(context, request)).reply
}

/** One model call as a step, which is never paid twice. */
export const converse = step('model', withFallbacks(exchange))

/** One model call: streamed, logged, and passed through the `model` hooks. */
export async function exchange(context: Context, request: ModelRequest): Promise<Exchange> {
  const messages = repairHistory(request.messages)
  const started = { ...startedBy(request), messages: messages.length }
  const work = async (call: Request<'model'>, inModel: Context): Promise<Result<'model'>> => {
    const input = repairHistory(call.input).map((message) => maskedMessage(message, inModel))
    const reply = await streamReply(inModel, request, { ...call, input })
    const usage = usageOf(reply, request.chat)
    return {
      reply,
      usage,
      finishReason: finishReasonOf(reply),
      toolCalls: toolCallsOf(reply),
      messageId: reply.id ?? '',
      contextPercent: contextPercent(usage, request.chat),
      ...(request.askedBy && { askedBy: request.askedBy }),
    }
  }
  const result = await span(context, 'model', { ...started, input: messages }, work)
  const { added = [], replaced = [], evidence } = result
  await logAdded(context, added)
  // Hooks may have added, changed or removed calls.
  const reply = withCalls(result.reply, result.toolCalls)
  return {
    reply,
    added,
    ...(replaced.length > 0 && { shortened: replace(messages, replaced) }),
    ...(evidence && { evidence }),
  }
}

/** What the log and hooks know of a call, apart from its messages. */
function startedBy({ chat, prompt, optional, askedBy, history = [], evidence = [] }: ModelRequest) {
  const { name: model, contextWindow, price } = chat
  const answersByRule = chat.kind === 'rules'
  const { id, version, langfuse } = prompt
  const source = langfuse
    ? { source: 'langfuse' as const, ...langfuse }
    : { source: 'file' as const, name: id, version }
  return {
    model,
    promptId: id,
    // A model that answers by rule is given no prompt, and a hook's call has its own words.
    ...(!answersByRule && !askedBy && { prompt: source }),
    ...(askedBy && { askedBy }),
    optional,
    answersByRule,
    contextWindow,
    history,
    evidence,
    isPriced: price !== null,
  }
}

function usageOf(reply: AIMessage, { price }: ChatModel): Usage {
  const reported = usageIn(reply)
  if (!reported) return { inputTokens: null, outputTokens: null, costUsd: null }
  const { input_tokens: inputTokens, output_tokens: outputTokens, ...details } = reported
  const cachedInputTokens = details.input_token_details?.cache_read
  const reasoningTokens = details.output_token_details?.reasoning
  const perMillion = 1e6
  const costUsd = price && (inputTokens * price.input + outputTokens * price.output) / perMillion
  return {
    inputTokens,
    outputTokens,
    costUsd,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(price && {
      inputCostUsd: (inputTokens * price.input) / perMillion,
      outputCostUsd: (outputTokens * price.output) / perMillion,
    }),
  }
}

function contextPercent({ inputTokens }: Usage, { contextWindow }: ChatModel): number | null {
  if (inputTokens === null || contextWindow === null) return null
  return Math.round((1000 * inputTokens) / contextWindow) / 10
}
