import type { Mask } from '../../credentials/index.ts'
import { EventInvalid, InvalidId } from '../../errors.ts'
import {
  type Event,
  hasEnded,
  initialStatus,
  parseEvent,
  type RunRecord,
  type RunStatus,
  type StoredEvent,
  statusOf,
} from '../../events/index.ts'

/** An event as a row of the table `events`; `payload` is JSON, or empty where it is `packed`. */
export interface EventRow {
  readonly run_id: string
  readonly position: number
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly agent: string | null
  readonly causation_id: string | null
  readonly payload: string
  readonly packed: Uint8Array | null
}

/** A run as a row of the table `runs`; `question` and `snapshot` are JSON. */
export interface RunRow {
  readonly run_id: string
  readonly thread_id: string
  readonly turn: number
  readonly question: string
  readonly snapshot: string | null
  readonly snapshot_position: number
}

/** A run's status is stored after each so many events, so that reading it folds at most these. */
export const snapshotEvery = 50

/** Ids are how a run and its thread are found again, so none is masked: one that holds a credential is refused. */
export function maskedEvent(event: Event, mask: Mask): Event {
  const masked = mask(event)
  const isRenamed =
    masked.correlationId !== event.correlationId ||
    (event.type === 'run.created' && mask(event.payload.threadId) !== event.payload.threadId)
  if (!isRenamed) return masked
  throw new InvalidId('The id of the run or its thread holds a configured credential. Choose another one.')
}

/** The status as it was kept; from the beginning where none was, or one of a version that knew less of a run. */
export function snapshotOf({ snapshot, snapshot_position }: RunRow): {
  readonly status: RunStatus
  readonly position: number
} {
  const status: RunStatus | null = snapshot === null ? null : JSON.parse(snapshot)
  const isWhole = status !== null && Object.keys(initialStatus).every((name) => Object.hasOwn(status, name))
  return isWhole ? { status, position: snapshot_position } : { status: initialStatus, position: 0 }
}

/** The record of a run, given what followed its snapshot. */
export function runRecord(row: RunRow, tail: readonly StoredEvent[]): RunRecord {
  const { status } = snapshotOf(row)
  return {
    runId: row.run_id,
    threadId: row.thread_id,
    turn: row.turn,
    question: JSON.parse(row.question),
    // Nothing that comes after the end of a run changes its status.
    status: hasEnded(status.state) ? status : statusOf(tail, status),
  }
}

/** Shorter texts are not worth a search. Characters. */
const leastShared = 500

/** A tool's message that is worth a search for the result that it repeats. */
export function isToolMessage(event: Event): event is Event<'message.completed'> {
  return event.type === 'message.completed' && event.payload.role === 'tool' && event.payload.text.length >= leastShared
}

/** The event of a row. */
export function eventOf(row: EventRow, payload: unknown): StoredEvent {
  const event = parseEvent({
    id: row.id,
    type: row.type,
    timestamp: row.timestamp,
    ...(row.agent !== null && { agent: row.agent }),
    correlationId: row.run_id,
    ...(row.causation_id !== null && { causationId: row.causation_id }),
    payload,
  })
  return { ...event, position: row.position }
}

/** The payload as JSON. Throws `EventInvalid`. */
export function toJson(type: string, payload: unknown): string {
  try {
    return JSON.stringify(payload)
  } catch (cause) {
    throw new EventInvalid(`${type}: the payload cannot be written as JSON.`, { cause })
  }
}

/** The newest of runs in their order, behind those that are left out. */
export function newestOf<T>(
  runs: readonly T[],
  { limit, offset }: { readonly limit: number | null; readonly offset: number },
): readonly T[] {
  const end = Math.max(0, runs.length - offset)
  return runs.slice(limit === null ? 0 : Math.max(0, end - limit), end)
}
