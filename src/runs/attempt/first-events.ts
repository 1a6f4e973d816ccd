import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { type Event, event, type StoredEvent } from '../../events/index.ts'
import type { ThreadAddition } from '../hooks/added-to-thread.ts'

/** The events with which a run's log begins: what was asked, where, and by whom. */
export function firstEvents(runId: string, created: StoredEvent<'run.created'>['payload']): readonly Event[] {
  const begin = event('run.created', created, { correlationId: runId })
  const origin = { correlationId: runId, causationId: begin.id }
  const message = { messageId: `${runId}-question`, role: 'user', scope: 'thread' } as const
  return [
    begin,
    event('message.created', message, origin),
    event('message.completed', { ...message, text: created.question, superseded: false }, origin),
  ] as readonly Event[]
}

/** The question as the latest message of its thread, behind what hooks added before it. */
export function asked(runId: string, content: string, before: readonly ThreadAddition[]): BaseMessage[] {
  return [...toMessages(before), new HumanMessage({ id: `${runId}-question`, content })]
}

/** Additions as the graph's state holds them. */
export function toMessages(additions: readonly ThreadAddition[]): BaseMessage[] {
  return additions.map(({ id, role, text }) =>
    role === 'user' ? new HumanMessage({ id, content: text }) : new AIMessage({ id, content: text }),
  )
}
