import { randomUUID } from 'node:crypto'
import { AIMessage, type AIMessageChunk, BaseMessage, type UsageMetadata } from '@langchain/core/messages'
import { z } from 'zod'
import {
  type AddedMessage,
  type AskedBy,
  type Context,
  callSignal,
  fact,
  type PendingToolCall,
  type Request,
  span,
  type Usage,
} from '../../events/index.ts'
import type { AgentTask, ChatModel, OnToolCallPiece, ToolCallPiece } from '../../models/model.ts'
import type { RenderedPrompt } from '../../prompts.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Evidence } from '../answer/evidence.ts'
import { addedIn, logAdded } from './added-messages.ts'
import { repairHistory, withCalls } from './history.ts'
import { maskedDeltas, type OnDelta } from './masked-deltas.ts'
import { maskedMessage } from './masked-message.ts'
import { inPossibleWays, type PlainWay } from './plain/plain-way.ts'
import { afterReasoning, reasoningFirst, unfiltered } from './plain/unmarked-reasoning.ts'
import { promptedMessage } from './prompted-message.ts'
import { replace, replacedIn } from './replacement.ts'
import { step } from './step.ts'

/** Turns streamed text into what a reader may see of it. Stateful: made anew for each stream. */
export interface TextFilter {
  /** The visible part of what has arrived so far and was not returned before. */
  push(text: string): string
  /** What was held back, once the stream is over. */
  flush(): string
}

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
  readonly plain?: PlainWay
  /** What the reply says in other words: calls that the model wrote as text. */
  readonly read?: (reply: AIMessage) => AIMessage
  /** Requests that this call has cost before; they count as tries. */
  readonly triesMade?: number
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
  readonly spare?: boolean
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
export const converse = step('model', inPossibleWays(exchange))

/** What the log does not keep of a model call, and a hook must hand on. */
const beside = {
  request: z.object({ input: z.array(z.custom(BaseMessage.isInstance, { error: 'a message is needed' })) }),
  result: z.object({ reply: z.custom(AIMessage.isInstance, { error: 'an AIMessage is needed' }) }),
}

/** One model call: streamed, logged, and passed through the `model` hooks. */
export async function exchange(context: Context, request: ModelRequest): Promise<Exchange> {
  const messages = repairHistory(request.messages)
  const started = { ...startedBy(request), messages: messages.length }
  const work = async (passed: Request<'model'>, inModel: Context) => {
    const { input, beginWithinMs } = passed as unknown as Asked
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
  const result = await span(context, 'model', { ...started, input: messages }, work, beside)
  const added = addedIn(result)
  await logAdded(context, added)
  const replaced = replacedIn(result)
  // Hooks may have added, changed or removed calls.
  const reply = withCalls(result.reply, result.toolCalls)
  const { evidence } = result as { readonly evidence?: readonly Evidence[] }
  return {
    reply,
    added,
    ...(replaced.length > 0 && { shortened: replace(messages, replaced) }),
    ...(evidence && { evidence }),
  }
}

/** What hooks hand on of a call: they may replace its messages, by the same kind of list. */
interface Asked {
  readonly input: readonly BaseMessage[]
  /** How long the endpoint may take to begin, where it has failed before. */
  readonly beginWithinMs?: number
}

/** What hooks may know of a call beside its messages. */
function startedBy({ chat, prompt, spare, askedBy, triesMade, history = [], evidence = [] }: ModelRequest) {
  const { name: model, contextWindow, price } = chat
  const known = { contextWindow, history, evidence, isPriced: price !== null }
  // Who answers by rule is given no prompt, and a hook asks in its own words.
  const given = model === 'extractive' || askedBy ? {} : { prompt: sourceOf(prompt) }
  return { model, promptId: prompt.id, ...given, spare, triesMade, ...(askedBy && { askedBy }), ...known }
}

function sourceOf({ id, version, langfuse }: RenderedPrompt) {
  return langfuse ? { source: 'langfuse' as const, ...langfuse } : { source: 'file' as const, name: id, version }
}

/** The tool calls of a reply, as the log keeps them. */
export function toolCallsOf(reply: AIMessage): PendingToolCall[] {
  return (reply.tool_calls ?? []).map(({ id = '', name, args }) => ({ id, name, args }))
}

export function finishReasonOf(reply: AIMessage): string | null {
  const reason: unknown = reply.response_metadata.finish_reason
  return typeof reason === 'string' ? reason : null
}

async function streamReply(context: Context, request: TimedRequest, messages: BaseMessage[]): Promise<AIMessage> {
  const { scope } = request
  const messageId = randomUUID()
  await fact(context, 'model.prompted', { messages: messages.map(promptedMessage) })
  await fact(context, 'message.created', { messageId, role: 'assistant', scope })
  const shown: string[] = []
  const deltas = maskedDeltas(context, async (text, call) => {
    shown.push(text)
    await fact(context, 'message.delta', { messageId, scope, text, ...(call && { toolCall: call }) })
  })
  try {
    const whole = await readStream(context, request, messages, deltas.push)
    await deltas.flush()
    const said = maskedMessage(toMessage(whole, messageId), context)
    if (said.response_metadata.retracted) request.chat.abilities?.learnReasoningFirst()
    const reply = request.read?.(said) ?? said
    if (scope === 'scratch') await complete(context, reply, reply.text !== shown.join(''))
    return reply
  } catch (error) {
    // What was begun for the thread did not get there.
    const began = { messageId, role: 'assistant', scope: 'scratch', text: shown.join('') } as const
    await fact(context, 'message.completed', { ...began, superseded: true })
    callSignal(context).throwIfAborted()
    throw error
  }
}

type TimedRequest = ModelRequest & { readonly beginWithinMs: number | undefined }

async function readStream(
  context: Context,
  request: TimedRequest,
  messages: BaseMessage[],
  onDelta: OnDelta,
): Promise<AIMessageChunk> {
  const own = request.filter?.()
  const filter = request.chat.abilities?.reasonsFirst() ? reasoningFirst(own ?? unfiltered) : own
  let whole: AIMessageChunk | undefined
  const calls = callsAsWritten(onDelta)
  request.onRequest?.()
  for await (const chunk of await openStream(context, request, messages, calls.onPiece)) {
    whole = whole ? whole.concat(chunk) : chunk
    const text = filter ? filter.push(chunk.text) : chunk.text
    if (text) await onDelta(text)
    await calls.onChunk(chunk)
  }
  const rest = filter?.flush()
  if (rest) await onDelta(rest)
  if (!whole) throw new Error(`${request.chat.name} ended its stream without a word`)
  return whole
}

/** Tells each piece of a tool call once: a model that tells of pieces hands on the same calls again when they are whole. */
function callsAsWritten(onDelta: OnDelta) {
  let isTold = false
  return {
    onPiece: (piece: ToolCallPiece) => {
      isTold = true
      return onDelta('', piece)
    },
    onChunk: async ({ tool_call_chunks = [] }: AIMessageChunk) => {
      if (!isTold) for (const call of tool_call_chunks) await onDelta('', toPiece(call))
    },
  }
}

function openStream(
  context: Context,
  request: TimedRequest,
  messages: BaseMessage[],
  onToolCallPiece: OnToolCallPiece,
) {
  const { chat, tools = [], responseFormat, agentTask, temperature, beginWithinMs } = request
  const options = {
    signal: callSignal(context),
    agentTask,
    onToolCallPiece,
    ...(beginWithinMs !== undefined && { beginWithinMs }),
    ...(temperature !== null && { temperature }),
    ...(responseFormat && {
      response_format: { type: 'json_schema', json_schema: { ...responseFormat, strict: true } },
    }),
  }
  const model = tools.length > 0 && chat.model.bindTools ? chat.model.bindTools(tools.map(toolDefinition)) : chat.model
  // A bound model and a plain one differ in their option types only.
  return (model as typeof chat.model).stream(messages, options as object)
}

/** A tool as endpoints want it described. */
function toolDefinition(tool: Tool): ToolDefinition {
  const known = toolDefinitions.get(tool)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' })
  const { name, description } = tool
  const definition: ToolDefinition = { type: 'function', function: { name, description, parameters } }
  toolDefinitions.set(tool, definition)
  return definition
}

interface ToolDefinition {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

/** Every call of a loop describes the same tools. */
const toolDefinitions = new WeakMap<Tool, ToolDefinition>()

async function complete(context: Context, reply: AIMessage, superseded: boolean): Promise<void> {
  const toolCalls = toolCallsOf(reply)
  await fact(context, 'message.completed', {
    messageId: reply.id ?? '',
    role: 'assistant',
    scope: 'scratch',
    text: reply.text,
    ...(toolCalls.length > 0 && { toolCalls }),
    superseded,
  })
}

function toMessage(chunk: AIMessageChunk, id: string): AIMessage {
  const content = afterReasoning(chunk.text)
  const message = new AIMessage({
    id,
    content: content === chunk.text ? chunk.content : content,
    tool_calls: chunk.tool_calls ?? [],
    invalid_tool_calls: chunk.invalid_tool_calls ?? [],
    // What was shown of its reasoning does not count.
    response_metadata: { ...chunk.response_metadata, ...(content !== chunk.text && { retracted: true }) },
  })
  if (chunk.usage_metadata) message.usage_metadata = chunk.usage_metadata
  return message
}

function toPiece(call: {
  index?: number | undefined
  id?: string | undefined
  name?: string | undefined
  args?: string | undefined
}): ToolCallPiece {
  return {
    index: call.index ?? 0,
    ...(call.id && { id: call.id }),
    ...(call.name && { name: call.name }),
    args: call.args ?? '',
  }
}

function usageOf(reply: AIMessage, { price }: ChatModel): Usage {
  const reported = reply.usage_metadata as UsageMetadata | undefined
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
