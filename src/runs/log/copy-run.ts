import { randomUUID } from 'node:crypto'
import type { Event, StoredEvent } from '../../events/index.ts'

/** Where a copied run belongs. */
export interface CopyTo {
  readonly runId: string
  readonly threadId: string
  readonly turn: number
}

/** A run's log under another run, thread and turn: every id in it is a new one, and all lead where they led before. */
export function copyRun(log: readonly StoredEvent[], to: CopyTo): readonly Event[] {
  const ids = new Map(log.map(({ id }) => [id, randomUUID() as string]))
  return log.map(({ position: _, ...event }) => {
    const { id, causationId, correlationId: from } = event
    const payload = event.type === 'run.created' ? createdIn(event, to) : renamed(event.payload, from, to.runId)
    const cause = causationId === undefined ? {} : { causationId: ids.get(causationId) ?? causationId }
    return { ...event, id: ids.get(id) ?? id, ...cause, correlationId: to.runId, payload } as Event
  })
}

function createdIn({ payload, correlationId }: Event<'run.created'>, { threadId, turn }: CopyTo) {
  const copiedFrom = payload.copiedFrom ?? { threadId: payload.threadId, runId: correlationId }
  return { ...payload, threadId, turn, copiedFrom }
}

/** Messages are named after their run. */
function renamed<T>(payload: T, from: string, to: string): T {
  if (typeof payload !== 'object' || payload === null || !('messageId' in payload)) return payload
  const { messageId } = payload
  if (typeof messageId !== 'string' || !messageId.startsWith(`${from}-`)) return payload
  return { ...payload, messageId: to + messageId.slice(from.length) }
}
