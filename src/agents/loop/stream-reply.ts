import { randomUUID } from 'node:crypto'
import { type AIMessage, type AIMessageChunk, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCallChunk } from '@langchain/core/messages/tool'
import { z } from 'zod'
import type { TextFilter } from '../../answers/index.ts'
import type { StreamRedactor } from '../../credentials/index.ts'
import { type Context, callSignal, fact, type Payloads, type Request } from '../../events/index.ts'
import { type OnToolCallPiece, openStream, type ToolCallPiece, toMessage } from '../../models/index.ts'
import type { Tool } from '../../tools/index.ts'
import { changed, maskedMessage, toolCallsOf } from './messages.ts'
import type { ModelRequest } from './model-call.ts'

/** Asks the model with what hooks have made of the call, and logs what comes, piece by piece; returns the whole reply, without reasoning and credentials. */
export async function streamReply(context: Context, request: ModelRequest, call: Request<'model'>): Promise<AIMessage> {
  const { scope } = request
  const messageId = randomUUID()
  await fact(context, 'message.created', { messageId, role: 'assistant', scope })
  await fact(context, 'model.prompted', promptedBy(request, call.input))
  const shown: string[] = []
  const deltas = maskedDeltas(context, async (text, call) => {
    shown.push(text)
    await fact(context, 'message.delta', { messageId, scope, text, ...(call && { toolCall: call }) })
  })
  try {
    const whole = await readStream(context, request, call, deltas.push)
    await deltas.flush()
    await fact(context, 'model.replied', { text: whole.text, toolCalls: writtenCalls(whole) })
    const clean = maskedMessage(toReply(whole, messageId), context)
    const reply = request.read?.(clean) ?? clean
    if (scope === 'thread') return reply
    const toolCalls = toolCallsOf(reply)
    const superseded = reply.text !== shown.join('')
    const said = { messageId, role: 'assistant', scope, text: reply.text, superseded } as const
    await fact(context, 'message.completed', { ...said, ...(toolCalls.length > 0 && { toolCalls }) })
    return reply
  } catch (error) {
    // What was streamed is not the answer.
    const began = { messageId, role: 'assistant', scope: 'scratch', text: shown.join('') } as const
    await fact(context, 'message.completed', { ...began, superseded: true })
    callSignal(context).throwIfAborted()
    throw error
  }
}

async function readStream(
  context: Context,
  request: ModelRequest,
  call: Request<'model'>,
  onDelta: OnDelta,
): Promise<AIMessageChunk> {
  const filter = request.filter?.() ?? unfiltered
  let whole: AIMessageChunk | undefined
  // A model that reports pieces of tool calls also yields the whole calls at the end.
  let reportsPieces = false
  const onPiece = (piece: ToolCallPiece) => {
    reportsPieces = true
    return onDelta('', piece)
  }
  const unreported = ({ tool_call_chunks = [] }: AIMessageChunk) => (reportsPieces ? [] : tool_call_chunks)
  const options = callOptions(context, request, call, onPiece)
  for await (const chunk of await openStream(request.chat.model, [...call.input], options)) {
    whole = whole ? whole.concat(chunk) : chunk
    const text = filter.push(chunk.text)
    if (text) await onDelta(text)
    for (const call of unreported(chunk)) await onDelta('', toPiece(call))
  }
  const rest = filter.flush()
  if (rest) await onDelta(rest)
  if (!whole) throw new Error(`${request.chat.name} ended its stream without a word`)
  return whole
}

const unfiltered: TextFilter = { push: (text) => text, flush: () => '' }

function callOptions(
  context: Context,
  request: ModelRequest,
  { beginWithinMs }: Request<'model'>,
  onToolCallPiece: OnToolCallPiece,
) {
  const { tools = [], agentTask } = request
  return {
    tools: tools.map(toolDefinition),
    signal: callSignal(context),
    agentTask,
    onToolCallPiece,
    ...(beginWithinMs !== undefined && { beginWithinMs }),
    ...parametersOf(request),
  }
}

/** The parameters of the request, under the names of OpenAI's protocol. */
function parametersOf({ chat, temperature, responseFormat }: ModelRequest) {
  const isTaken = temperature !== null && chat.takesTemperature !== false
  return {
    ...(isTaken && { temperature }),
    ...(responseFormat && {
      response_format: { type: 'json_schema', json_schema: { ...responseFormat, strict: true } },
    }),
  }
}

function toReply(chunk: AIMessageChunk, id: string): AIMessage {
  const reply = changed(toMessage(chunk), { id })
  const content = afterReasoning(chunk.text)
  if (content === chunk.text) return reply
  return changed(reply, { content, response_metadata: { ...reply.response_metadata, retracted: true } })
}

function toPiece({ index = 0, id, name, args = '' }: ToolCallChunk): ToolCallPiece {
  return { index, ...(id && { id }), ...(name && { name }), args }
}

/** Receives each piece of a reply: of its text, or of a tool call. */
type OnDelta = (text: string, toolCall?: ToolCallPiece) => Promise<void>

/** Masks configured credentials in the pieces of a reply, also where one is split between two pieces. */
function maskedDeltas({ credentials }: Pick<Context, 'credentials'>, onDelta: OnDelta) {
  if (!credentials) return { push: onDelta, flush: async () => {} }
  const text = credentials.maskedPieces()
  const calls = new Map<number, StreamRedactor>()
  return {
    async push(piece: string, call?: ToolCallPiece) {
      if (call) {
        const args = calls.get(call.index) ?? credentials.maskedPieces()
        calls.set(call.index, args)
        return onDelta('', { ...call, args: args.push(call.args) })
      }
      const clean = text.push(piece)
      if (clean) await onDelta(clean)
    },
    async flush() {
      const rest = text.flush()
      if (rest) await onDelta(rest)
      for (const [index, args] of calls) {
        const left = args.flush()
        if (left) await onDelta('', { index, args: left })
      }
    },
  }
}

/** Every call of a loop describes the same tools. */
const toolDefinitions = new WeakMap<Tool, Record<string, unknown>>()

/** A tool as endpoints want it described. */
function toolDefinition(tool: Tool): Record<string, unknown> {
  const known = toolDefinitions.get(tool)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' })
  const { name, description } = tool
  const definition = { type: 'function', function: { name, description, parameters } }
  toolDefinitions.set(tool, definition)
  return definition
}

/**
 * Templates of models that always reason (DeepSeek-R1, QwQ) write the start tag themselves. Where no server parses the
 * reasoning out, the text begins in the middle of it, and only the end tag stands there, on a line of its own.
 */
const reasoningEnd = /(?:^|\n)[ \t]*<\/think>[ \t]*(?:\n|$)/

/** The text after reasoning that has an end tag and no start tag; any other text unchanged. */
export function afterReasoning(text: string): string {
  const mark = reasoningEnd.exec(text)
  if (!mark || text.slice(0, mark.index).includes('<think>')) return text
  return text.slice(mark.index + mark[0].length).trimStart()
}

/** What a model is asked, as traces show it. A model that answers by rule reads no parameters. */
function promptedBy(request: ModelRequest, messages: readonly BaseMessage[]): Payloads['model.prompted'] {
  const { chat, tools = [] } = request
  const parameters = chat.kind === 'rules' ? {} : parametersOf(request)
  return {
    messages: messages.map(promptedMessage),
    ...(tools.length > 0 && { tools: tools.map(toolDefinition) }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  }
}

function promptedMessage(message: BaseMessage): Payloads['model.prompted']['messages'][number] {
  const toolCalls = toolCallsOf(message)
  return {
    role: roles[message.type] ?? 'user',
    text: message.text,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(ToolMessage.isInstance(message) && { toolCallId: message.tool_call_id }),
  }
}

function writtenCalls({
  tool_call_chunks = [],
  tool_calls = [],
}: AIMessageChunk): Payloads['model.replied']['toolCalls'] {
  if (tool_call_chunks.length === 0) {
    return tool_calls.map(({ id = '', name, args }) => ({ id, name, args: JSON.stringify(args) }))
  }
  return tool_call_chunks.map(({ id = '', name = '', args = '' }) => ({ id, name, args }))
}

const roles: { readonly [type: string]: 'user' | 'assistant' | 'tool' | 'system' } = {
  human: 'user',
  ai: 'assistant',
  tool: 'tool',
  system: 'system',
}
