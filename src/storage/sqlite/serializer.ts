import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isBaseMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { DeltaSnapshot, type SerializerProtocol } from '@langchain/langgraph-checkpoint'
import type { Mask } from '../../credentials/mask.ts'
import { UnsupportedValue } from '../../errors.ts'

/**
 * How checkpoints are written: as JSON text. Plain data is kept exactly and stays plain data for ever, whatever it
 * looks like (`{ lc: 1, … }`, `__proto__`); an object without a prototype comes back as an ordinary one. Beside it
 * these are kept: `undefined`, NaN, infinities, −0, bigint, Date, Map, Set, the messages of LangChain (chunks become
 * whole messages), and LangGraph's `Send`, `Overwrite` (as plain objects, which LangGraph takes for the same) and
 * `DeltaSnapshot`. Everything else is refused with `UnsupportedValue`, which names the place.
 */
export const checkpointSerializer: SerializerProtocol = {
  async dumpsTyped(value) {
    return ['json', encodeValue(value)]
  },
  async loadsTyped(type, data) {
    if (type !== 'json') throw new UnsupportedValue(`A checkpoint holds a value of type "${type}", which is not known.`)
    return decodeValue(data)
  },
}

/** UTF-8 text of the value, passed through `mask`. `at` names the value in errors. Throws `UnsupportedValue`. */
export function encodeValue(value: unknown, at = '$', mask: Mask = (plain) => plain): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(mask(encode(value, { name: at, value, depth: 0, outer: null }))))
}

/** The value again. */
export function decodeValue(data: Uint8Array | string): unknown {
  return decode(JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data)))
}

/**
 * What JSON has no word for is written as `{ [tag]: kind, … }`. Data that has this key of its own is written as a list
 * of entries, so it can never be taken for one of these.
 */
const tag = '$quaero'
/** Deeper data is refused: it overflows the stack of whoever reads it. */
const deepest = 200

/** Where a value stands, from the inside outwards: for the path in errors, and to find circles. */
interface Place {
  readonly name: string | number
  readonly value: unknown
  readonly depth: number
  readonly outer: Place | null
}

function encode(value: unknown, place: Place): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return isPlainNumber(value) ? value : tagged('number', sign(value))
  if (value === undefined) return tagged('undefined', null)
  if (typeof value === 'bigint') return tagged('bigint', String(value))
  if (typeof value !== 'object') throw refusal(`a ${typeof value}`, place)
  if (place.depth > deepest) throw refusal(`data nested more than ${deepest} deep`, place)
  if (isCircular(place)) throw refusal('a reference back to something around it', place)
  return encodeObject(value, place)
}

function encodeObject(value: object, place: Place): unknown {
  if (Array.isArray(value)) return encodeArray(value, place)
  if (isBaseMessage(value)) return encodeMessage(value, place)
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return encodeRecord(value, place)
  if (prototype === Date.prototype) return tagged('date', (value as Date).getTime())
  if (prototype === Map.prototype) return tagged('map', encodeArray([...(value as Map<unknown, unknown>)], place))
  if (prototype === Set.prototype) return tagged('set', encodeArray([...(value as Set<unknown>)], place))
  return encodePacket(value, place)
}

function encodeArray(value: readonly unknown[], place: Place): unknown {
  if (Object.keys(value).length !== value.length) throw refusal('an array with holes or named entries', place)
  let changed = false
  const encoded = value.map((item, index) => {
    const next = encode(item, inside(place, index, item))
    changed ||= next !== item
    return next
  })
  return changed ? encoded : value
}

function encodeRecord(value: object, place: Place): unknown {
  if (Object.getOwnPropertySymbols(value).length > 0) throw refusal('an object with a symbol for a key', place)
  if ('toJSON' in value && typeof value.toJSON === 'function') throw refusal('an object with a toJSON function', place)
  let changed = false
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const next = encode(item, inside(place, key, item))
    changed ||= next !== item
    return [key, next]
  })
  if (Object.hasOwn(value, tag)) return tagged('entries', entries)
  // Unlike an assignment, fromEntries keeps `__proto__` as a key like any other.
  return changed ? Object.fromEntries(entries) : value
}

function encodeMessage(message: BaseMessage, place: Place): unknown {
  const record = recordOfMessage(message)
  if (!record) throw refusal(`a message of type "${message.type}"`, place)
  return { [tag]: 'message', type: record.type, value: encodeRecord(record.fields, place) }
}

/** What LangGraph itself writes. Its own saver keeps `Send` and `Overwrite` as plain objects, too. */
function encodePacket(value: object, place: Place): unknown {
  if (value instanceof DeltaSnapshot)
    return tagged('snapshot', encode(value.value, inside(place, 'value', value.value)))
  const { lg_name, node, args, timeout, __overwrite__ } = value as Record<string, unknown>
  if (lg_name === 'Send') return encodeRecord({ node, args, ...(timeout !== undefined && { timeout }) }, place)
  if (lg_name === 'Overwrite') return encodeRecord({ __overwrite__ }, place)
  throw refusal(`an instance of ${value.constructor?.name || 'an unnamed class'}`, place)
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value) && Object.hasOwn(value, tag)) return revive(value as Tagged)
  for (const [key, item] of Object.entries(value)) {
    const next = decode(item)
    // Not an assignment, which would take `__proto__` for more than a key.
    if (next !== item) {
      Object.defineProperty(value, key, { value: next, enumerable: true, writable: true, configurable: true })
    }
  }
  return value
}

type Tagged = { readonly [tag]: unknown; readonly type?: unknown; readonly value?: unknown }

/** What is damaged, or of a kind that is not known here, stays the data that it is. */
function revive(record: Tagged): unknown {
  const kind = record[tag]
  const reviver = typeof kind === 'string' ? revivers.get(kind) : undefined
  try {
    return reviver ? reviver(record.value, record.type) : record
  } catch {
    return record
  }
}

// Each trusts the shape of what it is given: nothing but `encode` writes it, and `revive` catches what was damaged.
const revivers: ReadonlyMap<string, (value: unknown, type: unknown) => unknown> = new Map([
  ['undefined', () => undefined],
  ['number', (value: unknown) => Number(value)],
  ['bigint', (value: unknown) => BigInt(value as string)],
  ['date', (value: unknown) => new Date((value as number | null) ?? Number.NaN)],
  ['map', (value: unknown) => new Map(decode(value) as [unknown, unknown][])],
  ['set', (value: unknown) => new Set(decode(value) as unknown[])],
  [
    'entries',
    (value: unknown) => Object.fromEntries((value as [string, unknown][]).map(([key, item]) => [key, decode(item)])),
  ],
  ['message', reviveMessage],
  ['snapshot', (value: unknown) => new DeltaSnapshot(decode(value))],
])

function reviveMessage(value: unknown, type: unknown): unknown {
  const fields = decode(value)
  return messageOfRecord(type, fields) ?? { type, fields }
}

function tagged(kind: string, value: unknown): Tagged {
  return { [tag]: kind, value }
}

function isPlainNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0)
}

function sign(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

function inside(outer: Place, name: string | number, value: unknown): Place {
  return { name, value, depth: outer.depth + 1, outer }
}

function isCircular({ value, outer }: Place): boolean {
  for (let place = outer; place; place = place.outer) if (place.value === value) return true
  return false
}

function refusal(what: string, place: Place): UnsupportedValue {
  return new UnsupportedValue(
    `${pathOf(place)}: ${what} cannot be kept in a checkpoint. Put plain data there, or keep it out of the state.`,
  )
}

function pathOf({ name, outer }: Place): string {
  if (!outer) return String(name)
  if (typeof name === 'number') return `${pathOf(outer)}[${name}]`
  const isWord = /^[A-Za-z_$][\w$]*$/.test(name)
  return isWord ? `${pathOf(outer)}.${name}` : `${pathOf(outer)}[${JSON.stringify(name)}]`
}

/** A message as plain data: its type, and the fields that were set. */
interface MessageRecord {
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The fields that are kept, and the one class that is made of them, by message type. */
const kinds: Readonly<
  Record<string, { readonly keeps: readonly string[]; readonly make: (fields: Fields) => BaseMessage }>
> = Object.freeze({
  human: { keeps: [], make: (fields) => new HumanMessage(fields) },
  system: { keeps: [], make: (fields) => new SystemMessage(fields) },
  ai: {
    keeps: ['tool_calls', 'invalid_tool_calls', 'usage_metadata'],
    make: (fields) => new AIMessage(fields),
  },
  tool: {
    keeps: ['tool_call_id', 'status', 'artifact', 'metadata'],
    make: (fields) => new ToolMessage({ ...fields, tool_call_id: String(fields.tool_call_id ?? '') }),
  },
  remove: { keeps: [], make: (fields) => new RemoveMessage({ ...fields, id: String(fields.id ?? '') }) },
})
const keptByAll = ['id', 'name', 'content', 'additional_kwargs', 'response_metadata']

type Fields = { content: string; tool_call_id?: unknown; id?: string }

/** The message as data; null for a type that is not known. Chunks become whole messages when they are read. */
function recordOfMessage(message: BaseMessage): MessageRecord | null {
  const kind = kindOf(message.type)
  if (!kind) return null
  const source = message as unknown as Record<string, unknown>
  const kept = [...keptByAll, ...kind.keeps].flatMap((name) =>
    source[name] === undefined ? [] : [[name, source[name]] as const],
  )
  return { type: message.type, fields: Object.fromEntries(kept) }
}

/** The message again; null if the data is not that of a known one. */
function messageOfRecord(type: unknown, data: unknown): BaseMessage | null {
  const kind = kindOf(type)
  if (!kind || !isFields(data)) return null
  const names = [...keptByAll, ...kind.keeps].filter((name) => Object.hasOwn(data, name))
  const fields = Object.fromEntries(names.map((name) => [name, data[name]]))
  // The constructors guess at what is missing and rewrite content; what was kept is set afterwards, as it was.
  const message = kind.make({ ...fields, content: '', additional_kwargs: {}, response_metadata: {} } as Fields)
  Object.assign(message, fields)
  Object.assign(message.lc_kwargs, fields)
  return message
}

function kindOf(type: unknown) {
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

function isFields(data: unknown): data is Record<string, unknown> {
  if (typeof data !== 'object' || data === null) return false
  const { id, content } = data as Record<string, unknown>
  return (id === undefined || typeof id === 'string') && (typeof content === 'string' || Array.isArray(content))
}
