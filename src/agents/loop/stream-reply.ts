import { randomUUID } from 'node:crypto'
import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import type { ToolCallChunk } from '@langchain/core/messages/tool'
import { z } from 'zod'
import type { TextFilter } from '../../answers/cited-text.ts'
import type { StreamRedactor } from '../../credentials/mask.ts'
import { type Context, callSignal, fact, type Payloads } from '../../events/index.ts'
import type { OnToolCallPiece, ToolCallPiece } from '../../models/port/model.ts'
import { openStream } from '../../models/port/stream.ts'
import type { Tool } from '../../tools/tool.ts'
import { maskedMessage, toolCallsOf } from './messages.ts'
import type { ModelRequest } from './model-call.ts'

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
    const clean = maskedMessage(toMessage(whole, messageId), context)
    if (clean.response_metadata.retracted) request.chat.abilities?.learnReasoningFirst()
    const reply = request.read?.(clean) ?? clean
    if (scope === 'thread') return reply
    const toolCalls = toolCallsOf(reply)
    const superseded = reply.text !== shown.join('')
    const said = { messageId, role: 'assistant', scope, text: reply.text, superseded } as const
    await fact(context, 'message.completed', { ...said, ...(toolCalls.length > 0 && { toolCalls }) })
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
  const options = callOptions(context, request, calls.onPiece)
  request.onRequest?.()
  for await (const chunk of await openStream(request.chat.model, messages, options)) {
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

function callOptions(context: Context, request: TimedRequest, onToolCallPiece: OnToolCallPiece) {
  const { tools = [], responseFormat, agentTask, temperature, beginWithinMs } = request
  return {
    tools: tools.map(toolDefinition),
    signal: callSignal(context),
    agentTask,
    onToolCallPiece,
    ...(beginWithinMs !== undefined && { beginWithinMs }),
    ...(temperature !== null && { temperature }),
    ...(responseFormat && {
      response_format: { type: 'json_schema', json_schema: { ...responseFormat, strict: true } },
    }),
  }
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

function toPiece({ index = 0, id, name, args = '' }: ToolCallChunk): ToolCallPiece {
  return { index, ...(id && { id }), ...(name && { name }), args }
}

/** Told of each piece of a reply: of its text, or of a tool call. */
export type OnDelta = (text: string, toolCall?: ToolCallPiece) => Promise<void>

/** Pieces of a reply on their way to the reader, without configured credentials, also where one comes in two pieces. */
function maskedDeltas({ credentials }: Pick<Context, 'credentials'>, tell: OnDelta) {
  if (!credentials) return { push: tell, flush: async () => {} }
  const text = credentials.maskedPieces()
  const calls = new Map<number, StreamRedactor>()
  return {
    async push(piece: string, call?: ToolCallPiece) {
      if (call) {
        const args = calls.get(call.index) ?? credentials.maskedPieces()
        calls.set(call.index, args)
        return tell('', { ...call, args: args.push(call.args) })
      }
      const clean = text.push(piece)
      if (clean) await tell(clean)
    },
    async flush() {
      const rest = text.flush()
      if (rest) await tell(rest)
      for (const [index, args] of calls) {
        const left = args.flush()
        if (left) await tell('', { index, args: left })
      }
    },
  }
}

/** A tool as endpoints want it described. */
export function toolDefinition(tool: Tool): object {
  const known = toolDefinitions.get(tool)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' })
  const { name, description } = tool
  const definition = { type: 'function', function: { name, description, parameters } }
  toolDefinitions.set(tool, definition)
  return definition
}

/** Every call of a loop describes the same tools. */
const toolDefinitions = new WeakMap<Tool, object>()

/**
 * Templates of models that always reason (DeepSeek-R1, QwQ) write the opening mark themselves, so that where no server
 * parses the reasoning out, the text begins in the middle of it and only its end is marked, on a line of its own.
 */
const end = /(?:^|\n)[ \t]*<\/think>[ \t]*(?:\n|$)/

/** What follows reasoning that has an end and no beginning; the text as it is, if it holds none. */
export function afterReasoning(text: string): string {
  const mark = end.exec(text)
  if (!mark || text.slice(0, mark.index).includes('<think>')) return text
  return text.slice(mark.index + mark[0].length).trimStart()
}

/** Shows nothing before the reasoning has ended, then what `inner` shows; all of it at last, if it had no end. */
export function reasoningFirst(inner: TextFilter): TextFilter {
  let held: string | null = ''
  const release = (text: string) => {
    held = null
    return inner.push(text)
  }
  return {
    push(text) {
      if (held === null) return inner.push(text)
      held += text
      // A line that is only begun may still be the end, or more than it.
      return end.test(held.slice(0, held.lastIndexOf('\n') + 1)) ? release(afterReasoning(held)) : ''
    },
    flush() {
      const rest = held === null ? '' : release(afterReasoning(held))
      return rest + inner.flush()
    },
  }
}

/** Shows everything. */
export const unfiltered: TextFilter = { push: (text) => text, flush: () => '' }

/** A message as traces show what a model was asked. */
export function promptedMessage(message: BaseMessage): Payloads['model.prompted']['messages'][number] {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
  return {
    role: roles[message.type] ?? 'user',
    text: message.text,
    ...(calls.length > 0 && { toolCalls: calls.map(({ id = '', name, args }) => ({ id, name, args })) }),
  }
}

const roles: { readonly [type: string]: 'user' | 'assistant' | 'tool' | 'system' } = {
  human: 'user',
  ai: 'assistant',
  tool: 'tool',
  system: 'system',
}
