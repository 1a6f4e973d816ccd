import { randomUUID } from 'node:crypto'
import { HumanMessage, RemoveMessage } from '@langchain/core/messages'
import type { AgentState } from '../agents/state.ts'
import { type Event, event, type StoredEvent } from '../events/index.ts'

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

/**
 * The question as the latest message of its thread. If other questions were asked there since, it moves behind them:
 * a message of the same id would stay in its old place, and the wrong question be answered.
 */
export function askedAnew(runId: string, content: string, messages: AgentState['messages']) {
  const own = messages.flatMap(({ id }) => (id?.startsWith(`${runId}-`) ? [new RemoveMessage({ id })] : []))
  const id = own.length > 0 ? `${runId}-question-${randomUUID()}` : `${runId}-question`
  return [...own, new HumanMessage({ id, content })]
}
