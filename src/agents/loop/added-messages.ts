import { randomUUID } from 'node:crypto'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { type AddedMessage, type Context, fact } from '../../events/index.ts'

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
