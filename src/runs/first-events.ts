import { randomUUID } from 'node:crypto'
import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages'
import type { AgentState } from '../agents/state.ts'
import { type Event, event, type StoredEvent } from '../events/index.ts'
import type { ThreadAddition } from './hooks/added-to-thread.ts'

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

/**
 * The same for a run that goes on. If other questions were asked on its thread since, its messages move behind them:
 * a message of the same id would stay in its old place, and the wrong question be answered.
 */
export function askedAnew(
  runId: string,
  content: string,
  { before, messages }: { readonly before: readonly ThreadAddition[]; readonly messages: AgentState['messages'] },
): BaseMessage[] {
  const own = messages.flatMap(({ id }) => (id?.startsWith(`${runId}-`) ? [new RemoveMessage({ id })] : []))
  if (own.length === 0) return asked(runId, content, before)
  const moved = before.map((each) => ({ ...each, id: `${each.id}-${randomUUID()}` }))
  return [...own, ...toMessages(moved), new HumanMessage({ id: `${runId}-question-${randomUUID()}`, content })]
}

/** Additions as the graph's state holds them. */
export function toMessages(additions: readonly ThreadAddition[]): BaseMessage[] {
  return additions.map(({ id, role, text }) =>
    role === 'user' ? new HumanMessage({ id, content: text }) : new AIMessage({ id, content: text }),
  )
}
