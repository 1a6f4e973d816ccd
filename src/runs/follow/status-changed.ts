import { type Event, type RunStatus, reduceStatus } from '../../events/index.ts'
import type { StatusChanged } from '../stream-event.ts'

/**
 * An event, and the line that follows from it if it changes the run's state, in the order in which they are streamed.
 * A stream ends with the event that ends the run, so what is derived from that one comes before it.
 */
export function withStatusChange<E extends Event>(
  before: RunStatus,
  event: E,
): { readonly status: RunStatus; readonly lines: readonly (E | StatusChanged)[] } {
  const status = reduceStatus(before, event)
  if (status.state === before.state) return { status, lines: [event] }
  const changed = statusChanged(before, status, event)
  return { status, lines: status.activity.length === 0 ? [changed, event] : [event, changed] }
}

function statusChanged({ state: from }: RunStatus, { state: to }: RunStatus, event: Event): StatusChanged {
  const { id, timestamp, correlationId, type: trigger } = event
  // The same line for everyone who is told of it, whenever they are.
  return { id: `${id}:status`, type: 'status.changed', timestamp, correlationId, payload: { from, to, trigger } }
}
