import { randomUUID } from 'node:crypto'
import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { type Context, callSignal, fact } from '../../events/index.ts'
import type { OnToolCallPiece, ToolCallPiece } from '../../models/port/model.ts'
import { maskedDeltas, type OnDelta } from './masked-deltas.ts'
import { maskedMessage } from './masked-message.ts'
import type { ModelRequest } from './model-call.ts'
import { promptedMessage } from './prompted-message.ts'
import { toolCallsOf } from './reply-parts.ts'
import { toolDefinition } from './tool-definition.ts'
import { afterReasoning, reasoningFirst, unfiltered } from './unmarked-reasoning.ts'

/** A model call, and how long the endpoint may take to begin, where it has failed before. Milliseconds. */
export type TimedRequest = ModelRequest & { readonly beginWithinMs: number | undefined }

/** Asks the model and logs what comes, piece by piece; returns the whole reply, without reasoning and credentials. */
export async function streamReply(
  context: Context,
  request: TimedRequest,
  messages: BaseMessage[],
): Promise<AIMessage> {
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
