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
import type { Mask } from '../credentials/index.ts'
import { UnsupportedValue } from '../errors.ts'

/**
 * Writes checkpoints as JSON text. Plain data comes back exactly, special keys too (`{ lc: 1, … }`, `__proto__`);
 * so do `undefined`, NaN, infinities, −0, bigint, Date, Map, Set, the messages of LangChain (chunks as whole messages),
 * and LangGraph's `Send`, `Overwrite` (both as plain objects, which LangGraph accepts) and `DeltaSnapshot`. Everything
 * else is refused with `UnsupportedValue`, which names the place.
 */
export const checkpointSerializer: SerializerProtocol = {
  async dumpsTyped(value) {
    return ['json', new TextEncoder().encode(encodeValue(value))]
  },
  async loadsTyped(type: string | null, data) {
    // Where a column has no type, there is no other.
    if (type !== null && type !== 'json')
      throw new UnsupportedValue(`A checkpoint holds a value of type "${type}", which is not known.`)
    return decodeValue(data)
  },
}

/** JSON text of the value, passed through `mask`. `at` names the value in errors. Throws `UnsupportedValue`. */
export function encodeValue(value: unknown, at = '$', mask: Mask = (plain) => plain): string {
  return JSON.stringify(mask(encode(value, { name: at, within: null, depth: 0 })))
}

/** The value again. */
export function decodeValue(data: Uint8Array | string): unknown {
  return decode(JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data)))
}

/**
 * The key of values that JSON cannot express: `{ [tag]: kind, … }`. Data that has this key itself is written as a list
 * of entries, so that it is never taken for such a value.
 */
const tag = '$quaero'
/** Deeper data is refused, since it overflows the stack of its reader; a circle is found as such data. */
const deepest = 200

/** Where a value stands; only an error needs the whole path. */
interface Place {
  readonly name: string | number
  readonly within: Place | null
  readonly depth: number
}

function encode(value: unknown, place: Place): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return isPlainNumber(value) ? value : tagged('number', sign(value))
  if (value === undefined) return tagged('undefined', null)
  if (typeof value === 'bigint') return tagged('bigint', String(value))
  if (typeof value !== 'object') throw refusal(`a ${typeof value}`, place)
  if (place.depth > deepest) throw refusal(`data that is circular, or nested more than ${deepest} deep,`, place)
  return encodeObject(value, place)
}

function encodeObject(value: object, place: Place): unknown {
  if (Array.isArray(value)) return encodeArray(value, place)
  if (isBaseMessage(value)) return encodeMessage(value, place)
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return encodeRecord(value, place)
  if (value instanceof Date && prototype === Date.prototype) return tagged('date', value.getTime())
  if (value instanceof Map && prototype === Map.prototype) return tagged('map', encodeArray([...value], place))
  if (value instanceof Set && prototype === Set.prototype) return tagged('set', encodeArray([...value], place))
  return encodePacket(value, place)
}

function encodeArray(value: readonly unknown[], place: Place): unknown {
  if (Object.keys(value).length !== value.length) throw refusal('an array with holes or named entries', place)
  let changed = false
  const encoded = value.map((item, index) => {
    const next = encode(item, inside(place, index))
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
    const next = encode(item, inside(place, key))
    changed ||= next !== item
    return [key, next]
  })
  if (Object.hasOwn(value, tag)) return tagged('entries', entries)
  // Unlike an assignment, fromEntries keeps `__proto__` as a key like any other.
  return changed ? Object.fromEntries(entries) : value
}

function encodeMessage(message: BaseMessage, place: Place): unknown {
  const fields = fieldsOf(message)
  if (!fields) throw refusal(`a message of type "${message.type}"`, place)
  return { [tag]: 'message', type: message.type, value: encodeRecord(fields, place) }
}

function encodePacket(value: object, place: Place): unknown {
  if (value instanceof DeltaSnapshot) return tagged('snapshot', encode(value.value, inside(place, 'value')))
  const { lg_name, node, args, timeout, __overwrite__ }: Readonly<Record<string, unknown>> = { ...value }
  if (lg_name === 'Send') return encodeRecord({ node, args, ...(timeout !== undefined && { timeout }) }, place)
  if (lg_name === 'Overwrite') return encodeRecord({ __overwrite__ }, place)
  throw refusal(`an instance of ${value.constructor?.name || 'an unnamed class'}`, place)
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isTagged(value)) return revive(value)
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

function isTagged(value: object): value is Tagged {
  return !Array.isArray(value) && Object.hasOwn(value, tag)
}

/** Damaged data, and data of an unknown kind, is returned as it was stored. */
function revive(record: Tagged): unknown {
  const kind = record[tag]
  const reviver = typeof kind === 'string' ? revivers.get(kind) : undefined
  try {
    return reviver ? reviver(record.value, record.type) : record
  } catch {
    return record
  }
}

const revivers: ReadonlyMap<string, (value: unknown, type: unknown) => unknown> = new Map([
  ['undefined', () => undefined],
  ['number', Number],
  ['bigint', (value: unknown) => BigInt(String(value))],
  ['date', (value: unknown) => new Date(typeof value === 'number' ? value : Number.NaN)],
  ['map', (value: unknown) => new Map(listIn(decode(value)))],
  ['set', (value: unknown) => new Set(listIn(decode(value)))],
  ['entries', (value: unknown) => Object.fromEntries(listIn(value).map(([key, item]) => [key, decode(item)]))],
  ['message', reviveMessage],
  ['snapshot', (value: unknown) => new DeltaSnapshot(decode(value))],
])

function listIn(value: unknown) {
  if (Array.isArray(value)) return value
  throw new TypeError('not a list')
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

function inside(within: Place, name: string | number): Place {
  return { name, within, depth: within.depth + 1 }
}

function pathOf({ name, within }: Place): string {
  if (!within) return String(name)
  const isWord = typeof name === 'string' && /^[A-Za-z_$][\w$]*$/.test(name)
  return pathOf(within) + (isWord ? `.${name}` : `[${JSON.stringify(name)}]`)
}

const longestPath = 200

function refusal(what: string, place: Place): UnsupportedValue {
  const path = pathOf(place)
  return new UnsupportedValue(
    `${path.length > longestPath ? `${path.slice(0, longestPath)}…` : path}: ${what} cannot be stored in a checkpoint. ` +
      'Put plain data there, or remove it from the state.',
  )
}

/** The fields that are kept, and the class that is made of them, by message type. */
const kinds: ReadonlyMap<unknown, { readonly keeps: readonly string[]; readonly make: () => BaseMessage }> = new Map([
  ['human', { keeps: [], make: () => new HumanMessage('') }],
  ['system', { keeps: [], make: () => new SystemMessage('') }],
  ['ai', { keeps: ['tool_calls', 'invalid_tool_calls', 'usage_metadata'], make: () => new AIMessage('') }],
  [
    'tool',
    {
      keeps: ['tool_call_id', 'status', 'artifact', 'metadata'],
      make: () => new ToolMessage({ content: '', tool_call_id: '' }),
    },
  ],
  ['remove', { keeps: [], make: () => new RemoveMessage({ id: '' }) }],
])
const keptByAll = ['id', 'name', 'content', 'additional_kwargs', 'response_metadata']

function fieldsOf(message: BaseMessage): Readonly<Record<string, unknown>> | null {
  const kind = kinds.get(message.type)
  if (!kind) return null
  const source: Readonly<Record<string, unknown>> = { ...message }
  const kept = [...keptByAll, ...kind.keeps].filter((name) => source[name] !== undefined)
  return Object.fromEntries(kept.map((name) => [name, source[name]]))
}

/** The message again; its type and fields if they make no known message. */
function reviveMessage(value: unknown, type: unknown): unknown {
  const fields = decode(value)
  const kind = kinds.get(type)
  if (!kind || !isFields(fields)) return { type, fields }
  const names = [...keptByAll, ...kind.keeps].filter((name) => Object.hasOwn(fields, name))
  const kept = Object.fromEntries(names.map((name) => [name, fields[name]]))
  // The constructors would guess what is missing and rewrite the content, so they get nothing of it.
  const message = kind.make()
  Object.assign(message, kept)
  Object.assign(message.lc_kwargs, kept)
  return message
}

function isFields(data: unknown): data is Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null || !('content' in data)) return false
  const isNamed = !('id' in data) || data.id === undefined || typeof data.id === 'string'
  return isNamed && (typeof data.content === 'string' || Array.isArray(data.content))
}
