import { randomUUID } from 'node:crypto'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { type AddedMessage, type Context, fact, type PendingToolCall } from '../../events/index.ts'

/** What hooks added, as a model reads it. */
export function toMessages(added: readonly AddedMessage[]): BaseMessage[] {
  return added.map(({ role, text }) => new constructors[role](text))
}

/** Puts what hooks added into the log, as an agent's working notes. */
export async function logAdded(context: Context, added: readonly AddedMessage[]): Promise<void> {
  for (const { role, text } of added) {
    const message = { messageId: randomUUID(), role, scope: 'scratch' } as const
    await fact(context, 'message.created', message)
    await fact(context, 'message.completed', { ...message, text, superseded: false, added: true })
  }
}

const constructors = { user: HumanMessage, assistant: AIMessage, system: SystemMessage }

/** What of a message holds what was said or found. */
const told = [
  'content',
  'tool_calls',
  'invalid_tool_calls',
  'additional_kwargs',
  'response_metadata',
  'artifact',
  'lc_kwargs',
] as const

/** The message without configured credentials: neither a model nor a checkpoint gets to see one. */
export function maskedMessage<M extends BaseMessage>(message: M, { credentials }: Pick<Context, 'credentials'>): M {
  if (!credentials) return message
  const fields = Object.fromEntries(
    told.flatMap((name) => (name in message ? [[name, Reflect.get(message, name)]] : [])),
  )
  const clean = credentials.mask(fields)
  // A message is a class with many kinds, so it is copied as it is.
  return clean === fields ? message : Object.assign(Object.create(Object.getPrototypeOf(message)), message, clean)
}

/** The tool calls of a reply, as the log keeps them. */
export function toolCallsOf(reply: AIMessage): PendingToolCall[] {
  return (reply.tool_calls ?? []).map(({ id = '', name, args }) => ({ id, name, args }))
}

/** Why the endpoint says that the reply ended; null if it does not. */
export function finishReasonOf(reply: AIMessage): string | null {
  const reason: unknown = reply.response_metadata.finish_reason
  return typeof reason === 'string' ? reason : null
}
