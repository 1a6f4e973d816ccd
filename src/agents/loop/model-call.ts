import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { TextFilter } from '../../answers/cited-text.ts'
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
import type { AgentTask, ChatModel } from '../../models/port/model.ts'
import { usageIn } from '../../models/port/stream.ts'
import type { RenderedPrompt } from '../../prompts.ts'
import type { Tool } from '../../tools/tool.ts'
import { replace } from '../context-window/parts.ts'
import { repairHistory, withCalls } from './history.ts'
import { finishReasonOf, logAdded, maskedMessage, toolCallsOf } from './messages.ts'
import { step } from './step.ts'
import { streamReply } from './stream-reply.ts'
import { type ToollessRequest, withoutToolsIfNeeded } from './toolless.ts'

export interface ModelRequest {
  readonly chat: ChatModel
  readonly messages: readonly BaseMessage[]
  readonly agentTask: AgentTask
  readonly prompt: RenderedPrompt
  readonly temperature: number | null
  readonly tools?: readonly Tool[]
  /** A JSON schema that the reply must fit, for endpoints that can enforce it. */
  readonly responseFormat?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> }
  /** How to ask a model that takes no tools; without it, tools are asked for in any case. */
  readonly plain?: ToollessRequest
  /** What the reply says in other words: calls that the model wrote as text. */
  readonly read?: (reply: AIMessage) => AIMessage
  /** Requests that this call has cost before; they count as tries. */
  readonly attempts?: number
  readonly onRequest?: () => void
  /** `thread`: the reply is what the person reads, so the caller completes the message once it is verified. */
  readonly scope: 'thread' | 'scratch'
  readonly filter?: () => TextFilter
  /** The earlier conversation as it stands in the prompt, a message each, so that a hook can shorten it. */
  readonly history?: readonly string[]
  /** The passages that stand in the prompt, so that a hook can leave some out. */
  readonly evidence?: readonly Evidence[]
  /** The hook whose own call it is. */
  readonly askedBy?: AskedBy
  /** The answer could do without this call, so that no limit makes an exception for it. */
  readonly optional?: boolean
}

/** A reply, and what hooks made of the conversation. */
export interface Exchange {
  readonly reply: AIMessage
  /** What they added behind it. */
  readonly added: readonly AddedMessage[]
  /** True where the model takes no tools: its reply holds the searches it was asked for, and nothing follows them. */
  readonly plain?: boolean
  /** The messages of the call as they are from now on, where a hook has shortened them. */
  readonly shortened?: readonly BaseMessage[]
  /** The passages that the model has read, where a hook has left some out. */
  readonly evidence?: readonly Evidence[]
}

/** One model call: what the model replied. Nothing follows it, so what hooks add behind it only stands in the log. */
export async function askModel(context: Context, request: ModelRequest): Promise<AIMessage> {
  return (await converse(context, request)).reply
}

/** One model call as a step, which is never paid twice, in the way that the model can take. */
export const converse = step('model', withoutToolsIfNeeded(exchange))

/** One model call: streamed, logged, and passed through the `model` hooks. */
export async function exchange(context: Context, request: ModelRequest): Promise<Exchange> {
  const messages = repairHistory(request.messages)
  const started = { ...startedBy(request), messages: messages.length }
  const work = async ({ input, beginWithinMs }: Request<'model'>, inModel: Context): Promise<Result<'model'>> => {
    const asked = repairHistory(input).map((message) => maskedMessage(message, inModel))
    const reply = await streamReply(inModel, { ...request, beginWithinMs }, asked)
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

/** What hooks may know of a call, apart from its messages. */
function startedBy({ chat, prompt, optional, askedBy, attempts, history = [], evidence = [] }: ModelRequest) {
  const { name: model, contextWindow, price } = chat
  const answersByRule = chat.kind === 'rules'
  const known = { answersByRule, contextWindow, history, evidence, isPriced: price !== null }
  // Who answers by rule is given no prompt, and a hook asks in its own words.
  const given = answersByRule || askedBy ? {} : { prompt: sourceOf(prompt) }
  return { model, promptId: prompt.id, ...given, optional, attempts, ...(askedBy && { askedBy }), ...known }
}

function sourceOf({ id, version, langfuse }: RenderedPrompt) {
  return langfuse ? { source: 'langfuse' as const, ...langfuse } : { source: 'file' as const, name: id, version }
}

function usageOf(reply: AIMessage, { price }: ChatModel): Usage {
  const reported = usageIn(reply)
  if (!reported) return { inputTokens: null, outputTokens: null, costUsd: null }
  const { input_tokens: inputTokens, output_tokens: outputTokens } = reported
  const perMillion = 1e6
  const costUsd = price && (inputTokens * price.input + outputTokens * price.output) / perMillion
  return { inputTokens, outputTokens, costUsd }
}

function contextPercent({ inputTokens }: Usage, { contextWindow }: ChatModel): number | null {
  if (inputTokens === null || contextWindow === null) return null
  const percent = (100 * inputTokens) / contextWindow
  return Math.round(percent * 10) / 10
}
