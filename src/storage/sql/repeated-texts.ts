import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Event } from '../../events/index.ts'
import type { Dialect } from './dialect.ts'
import { type EventRow, isToolMessage } from './event-rows.ts'
import { all, first, type Work } from './work.ts'

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
export function columnsOf(json: string): readonly [payload: string, packed: Uint8Array | null] {
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
