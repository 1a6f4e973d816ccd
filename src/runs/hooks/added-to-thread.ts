import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { type AddedMessage, type Context, type Event, fact } from '../../events/index.ts'

/** A message that a hook added to the conversation, as the log holds it. */
interface ThreadAddition {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** Logs what hooks add before the question or behind the answer. */
export async function addToConversation(
  context: Context,
  place: 'before' | 'behind',
  added: readonly AddedMessage[],
): Promise<readonly ThreadAddition[]> {
  const known = additionsIn(context.log?.() ?? [], place).length
  const additions = added.map(({ role, text }, i) => ({
    id: `${context.correlationId}-${place}-${known + i + 1}`,
    role: role === 'user' ? role : ('assistant' as const),
    text,
  }))
  for (const { id: messageId, role, text } of additions) {
    const message = { messageId, role, scope: 'thread' } as const
    await fact(context, 'message.created', message)
    await fact(context, 'message.completed', { ...message, text, superseded: false, added: true })
  }
  return additions
}

/** What hooks added to a run's conversation, in order. */
export function additionsIn(log: readonly Event[], place: 'before' | 'behind'): readonly ThreadAddition[] {
  return log.flatMap((event) => {
    if (event.type !== 'message.completed' || event.payload.scope !== 'thread' || !event.payload.added) return []
    const { messageId: id, role, text } = event.payload
    if (!id.startsWith(`${event.correlationId}-${place}-`)) return []
    return role === 'user' || role === 'assistant' ? [{ id, role, text }] : []
  })
}

/** The question as the latest message of its thread, after the messages that hooks added before it. */
export function asked(runId: string, content: string, log: readonly Event[]): BaseMessage[] {
  return [...toMessages(additionsIn(log, 'before')), new HumanMessage({ id: `${runId}-question`, content })]
}

/** Additions as messages of the graph's state. */
export function toMessages(additions: readonly ThreadAddition[]): BaseMessage[] {
  return additions.map(({ id, role, text }) =>
    role === 'user' ? new HumanMessage({ id, content: text }) : new AIMessage({ id, content: text }),
  )
}
