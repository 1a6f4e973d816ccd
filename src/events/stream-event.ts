import type { Event, StoredEvent } from './event.ts'
import type { RunState } from './status.ts'

/** A derived line: the run's state changed. Streamed, never stored. */
export interface StatusChanged {
  readonly id: string
  readonly type: 'status.changed'
  /** ISO 8601. */
  readonly timestamp: string
  readonly correlationId: string
  readonly payload: {
    readonly from: RunState
    readonly to: RunState
    /** The type of the event that changed it. */
    readonly trigger: string
    /** The tool behind the change: one that waits for approval, or whose failure ended the run. */
    readonly tool?: string
    /** What ended the run, if something went wrong. */
    readonly error?: { readonly code: string; readonly message: string }
  }
}

/**
 * One line of a run's stream: an event of the catalogue, or a derived `status.changed`. Stored events carry their
 * `position` in the log; `message.delta` and `status.changed` are never stored. Events of the engine's own life
 * (`bootstrap.*`, `ingest.*`, `shutdown.*`) carry the engine's id, `engine-…`, as `runId`, and no thread.
 */
export type StreamEvent = (Event | StoredEvent | StatusChanged) & {
  readonly runId: string
  readonly threadId: string | null
}

/** Watches what happens; it cannot change it, and its failure never hurts a run. */
export interface Subscriber {
  (event: StreamEvent): void | Promise<void>
  /** Finishes what the subscriber still has to do; called once, and waited for within bounds, when the engine closes. */
  readonly flush?: () => Promise<void>
}
