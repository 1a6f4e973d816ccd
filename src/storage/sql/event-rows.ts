import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
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
import type { Dialect } from './dialect.ts'
import { all, first, type Work } from './work.ts'

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
function isToolMessage(event: Event): event is Event<'message.completed'> {
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

// What an event repeats of an earlier one of its run is stored once: the result of a tool, which its message repeats
// (`textAt`), and the answer with its citations, which the end of the run repeats (`repeats`). Long payloads are packed.

type Payload = Readonly<Record<string, unknown>>

/** Where a field of the end of a run stands in the message of its answer. */
const fieldsOfMessage: Readonly<Record<string, string>> = {
  answer: 'text',
  citations: 'citations',
  calculations: 'calculations',
  highlights: 'highlights',
  sentences: 'sentences',
}

/** The payload as it is stored: what an earlier event of the run says too is a place in the log. */
export function* shortened(event: Event): Work<object> {
  if (isToolMessage(event)) return yield* withoutResult(event)
  return event.type === 'run.completed' ? yield* withoutAnswer(event) : event.payload
}

/** Shorter payloads stay as they are, and can be read by anybody. Characters. */
const leastPacked = 1000

/** The columns for a payload: JSON, or JSON that is packed. */
export function payloadColumns(json: string): readonly [payload: string, packed: Uint8Array | null] {
  return json.length < leastPacked ? [json, null] : ['', deflateRawSync(json)]
}

function payloadOf({ payload, packed }: Pick<EventRow, 'payload' | 'packed'>) {
  return JSON.parse(packed ? inflateRawSync(packed).toString('utf8') : payload)
}

/** Of the result of a tool, by which a message finds it. */
export function resultHash(event: Event): string | null {
  return event.type === 'tool.completed' ? hashOf(event.payload.content) : null
}

/** The whole payloads of rows, in their order. */
export function* restored(dialect: Dialect, rows: readonly EventRow[]): Work<readonly Payload[]> {
  const parsed = rows.map((row) => ({ row, payload: payloadOf(row) }))
  const wanted = parsed.flatMap(({ row, payload: { textAt, repeats } }) => {
    const place = textAt ?? repeats?.at
    return place === undefined ? [] : [{ id: row.run_id, place }]
  })
  if (wanted.length === 0) return parsed.map(({ payload }) => payload)
  const earlier = yield* all<EventRow>(
    `SELECT events.* FROM ${dialect.rows('$1', 'wanted', { id: 'text', place: 'bigint' })}
     JOIN events ON run_id = wanted.id AND position = place`,
    [JSON.stringify(wanted)],
  )
  const payloads = new Map(earlier.map((row) => [`${row.run_id} ${row.position}`, payloadOf(row)]))
  return parsed.map(({ row, payload: { textAt, repeats, ...payload } }) => {
    const said = payloads.get(`${row.run_id} ${textAt ?? repeats?.at}`) ?? {}
    if (textAt !== undefined) return { ...payload, text: said.content ?? '' }
    const fields: readonly string[] = repeats?.fields ?? []
    return { ...payload, ...Object.fromEntries(fields.map((field) => [field, said[fieldsOfMessage[field] ?? field]])) }
  })
}

function* withoutResult({ correlationId, payload }: Event<'message.completed'>): Work<object> {
  const known = yield* first<{ position: number }>(
    'SELECT position FROM events WHERE run_id = $1 AND result_hash = $2 ORDER BY position DESC LIMIT 1',
    [correlationId, hashOf(payload.text)],
  )
  return known ? { ...payload, text: '', textAt: known.position } : payload
}

function* withoutAnswer({ correlationId, payload }: Event<'run.completed'>): Work<object> {
  if (payload.citations.length === 0) return payload
  const last = yield* first<Pick<EventRow, 'position' | 'payload' | 'packed'>>(
    `SELECT position, payload, packed FROM events WHERE run_id = $1 AND type = 'message.completed' ORDER BY position DESC LIMIT 1`,
    [correlationId],
  )
  if (!last) return payload
  const said: Payload = payloadOf(last)
  const [own, other] = [new Map(Object.entries(payload)), new Map(Object.entries(said))]
  const fields = Object.entries(fieldsOfMessage).flatMap(([field, there]) => {
    const isRepeated = own.get(field) !== undefined && isDeepStrictEqual(own.get(field), other.get(there))
    return isRepeated ? [field] : []
  })
  if (fields.length === 0) return payload
  for (const field of fields) own.delete(field)
  return { ...Object.fromEntries(own), repeats: { at: last.position, fields } }
}

/** UTF-16, so that halves of surrogate pairs are told apart. */
function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('base64')
}
