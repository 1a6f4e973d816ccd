import type { Event, RunState, StoredEvent } from '../events/index.ts'

/** A derived line: the run's state changed. Streamed, never stored. */
export interface StatusChanged {
  readonly id: string
  readonly type: 'status.changed'
  /** ISO 8601. */
  readonly timestamp: string
  readonly correlationId: string
  readonly payload: { readonly from: RunState; readonly to: RunState; readonly trigger: string }
}

/**
 * One line of a run's stream: an event of the catalogue, or a derived `status.changed`. Stored events carry their
 * `position` in the log; `message.delta` and `status.changed` are never stored.
 */
export type StreamEvent = (Event | StoredEvent | StatusChanged) & {
  readonly runId: string
  readonly threadId: string | null
}

/** Watches what happens; it cannot change it, and its failure never hurts a run. */
export type Subscriber = (event: StreamEvent) => void | Promise<void>
