import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Credentials } from '../credentials/index.ts'
import { EventInvalid, RunNotFound } from '../errors.ts'
import { problemsIn } from '../options.ts'
import { type EventType, type Payloads, payloads } from './catalogue.ts'

/** One entry of a run's log. A span is named by the id of the event that started it. */
export type Event<T extends EventType = EventType> = {
  [K in T]: {
    readonly id: string
    readonly type: K
    /** ISO 8601, UTC, milliseconds. */
    readonly timestamp: string
    readonly agent?: string
    /** The run this event belongs to, or the engine itself. */
    readonly correlationId: string
    /** The span it belongs to; followed upwards, it always reaches `run.created`. */
    readonly causationId?: string
    readonly payload: Payloads[K]
  }
}[T]

/** An event in its place in the log: positions count from 1 within one `correlationId`, without gaps. */
export type StoredEvent<T extends EventType = EventType> = Event<T> & { readonly position: number }

/** The event with which every log begins. Throws `RunNotFound` for a log without it. */
export function createdIn(log: readonly Event[]): Event<'run.created'> {
  const created = log.find((event) => event.type === 'run.created')
  if (!created) throw new RunNotFound('There is no such run in the log')
  return created
}

/** Where an event comes from. */
export type Origin = Pick<Event, 'correlationId' | 'causationId' | 'agent'>

/** As unlikely to come twice as a UUID, and shorter: an id stands in three places of a log. */
export function newEventId(): string {
  return randomBytes(16).toString('base64url')
}

/** Builds an event, keeping only the payload fields that its schema names. Throws `EventInvalid`. */
export function event<T extends EventType>(type: T, payload: Payloads[T], origin: Origin): Event<T> & Event {
  const fields = {
    id: newEventId(),
    timestamp: new Date().toISOString(),
    ...(origin.agent && { agent: origin.agent }),
    correlationId: origin.correlationId,
    ...(origin.causationId && { causationId: origin.causationId }),
  }
  return withPayload(fields, type, payload)
}

/** Event<T> is a union over T, which an object literal cannot satisfy while T is open. Checks the payload. */
function withPayload<T extends EventType>(fields: Fields, type: T, payload: unknown): Event<T> & Event
function withPayload({ id, ...rest }: Fields, type: EventType, payload: unknown): object {
  return { id, type, ...rest, payload: parsePayload(type, payload) }
}

type Fields = Omit<z.output<typeof envelope>, 'type' | 'payload'>

const envelope = z.object({
  id: z.string().min(1),
  type: z.string(),
  timestamp: z.iso.datetime(),
  agent: z.string().optional(),
  correlationId: z.string().min(1),
  causationId: z.string().optional(),
  position: z.number().int().positive().optional(),
  payload: z.unknown(),
})

/** Reads an event back from storage or the wire. Throws `EventInvalid` for an unknown type or a wrong payload. */
export function parseEvent(input: unknown): Event {
  const parsed = envelope.safeParse(input)
  if (!parsed.success) throw new EventInvalid(`This is no event: ${problemsIn(parsed.error)}`)
  const { type, payload, ...rest } = parsed.data
  if (!isEventType(type)) throw new EventInvalid(`There is no event type "${type}"`)
  return withPayload(rest, type, withNewNames(type, payload))
}

/** Fields that stored events may have under a former name. */
const formerNames: { readonly [T in EventType]?: ReadonlyMap<string, string> } = {
  'run.created': new Map([['afresh', 'afterReset']]),
}

function withNewNames(type: EventType, payload: unknown): unknown {
  const names = formerNames[type]
  if (!names || typeof payload !== 'object' || payload === null) return payload
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [names.get(name) ?? name, value]))
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(payloads, type)
}

function parsePayload<T extends EventType>(type: T, payload: unknown): Payloads[T] {
  const parsed = payloads[type].safeParse(payload)
  if (!parsed.success) throw new EventInvalid(`${type}: ${problemsIn(parsed.error)}`)
  return parsed.data
}

/**
 * An event without configured credentials, and without anything shaped like a credential in its error messages. Other
 * texts of people, models and documents stay unchanged.
 */
export function cleanEvent<E extends Event>(event: E, { mask, hide }: Pick<Credentials, 'mask' | 'hide'>): E {
  const { payload } = mask({ payload: event.payload })
  const clean = isProblem(payload) ? { ...payload, message: hide(payload.message) } : payload
  if ('error' in clean && isProblem(clean.error)) {
    return { ...event, payload: { ...clean, error: { ...clean.error, message: hide(clean.error.message) } } }
  }
  return clean === event.payload ? event : { ...event, payload: clean }
}

/** An error, a retry or a notice: a payload with a code and a message. */
function isProblem(value: unknown): value is { readonly code: string; readonly message: string } {
  if (typeof value !== 'object' || value === null || !('code' in value && 'message' in value)) return false
  return typeof value.message === 'string'
}
