import { randomUUID } from 'node:crypto'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { type AddedMessage, type Context, fact, type PendingToolCall } from '../../events/index.ts'

const constructors = { user: HumanMessage, assistant: AIMessage, system: SystemMessage }

/** What hooks added, as a model reads it. */
export function toMessages(added: readonly AddedMessage[]): BaseMessage[] {
  return added.map(({ role, text }) => new constructors[role](text))
}

/** Logs what hooks added as an agent's working notes. */
export async function logAdded(context: Context, added: readonly AddedMessage[]): Promise<void> {
  for (const { role, text } of added) {
    const message = { messageId: randomUUID(), role, scope: 'scratch' } as const
    await fact(context, 'message.created', message)
    await fact(context, 'message.completed', { ...message, text, superseded: false, added: true })
  }
}

/** A copy of the message with other fields. A message is one of many classes, so its prototype is kept. */
export function changed<M extends BaseMessage>(message: M, fields: object): M {
  const lc_kwargs = { ...message.lc_kwargs, ...fields }
  return Object.assign(Object.create(Object.getPrototypeOf(message)), message, { lc_kwargs }, fields)
}

/** Fields that hold what was said or found. */
const contentFields = [
  'content',
  'tool_calls',
  'invalid_tool_calls',
  'additional_kwargs',
  'response_metadata',
  'artifact',
  'lc_kwargs',
] as const

/** The message without configured credentials, which neither a model nor a checkpoint may see. */
export function maskedMessage<M extends BaseMessage>(message: M, { credentials }: Pick<Context, 'credentials'>): M {
  if (!credentials) return message
  const present = contentFields.filter((name) => name in message)
  const fields = Object.fromEntries(present.map((name) => [name, Reflect.get(message, name)]))
  const clean = credentials.mask(fields)
  return clean === fields ? message : changed(message, clean)
}

export function callsOf(message: BaseMessage | undefined): readonly ToolCall[] {
  return AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
}

/** The tool calls of a message, as the log keeps them. */
export function toolCallsOf(message: BaseMessage): PendingToolCall[] {
  return callsOf(message).map(({ id = '', name, args }) => ({ id, name, args }))
}

/** Why the endpoint says that the reply ended; null if it does not. */
export function finishReasonOf(reply: AIMessage): string | null {
  const reason: unknown = reply.response_metadata.finish_reason
  return typeof reason === 'string' ? reason : null
}
