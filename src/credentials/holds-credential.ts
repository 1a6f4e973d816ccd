import { inspect } from 'node:util'
import { isSecretField, type Redact } from '../redact.ts'

/** A client with all its sockets is not looked through to its last object: it is taken to hold one. */
const mostObjects = 5000

/**
 * True if a credential stands anywhere in a value, however deep: in texts, in names of fields, in fields that are not
 * listed. Nothing is called but what prints it.
 */
export function holdsCredential(value: object, hide: Redact): boolean {
  const seen = new Set<object>()
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string' && isFound(next, hide)) return true
    if (!isObject(next) || seen.has(next)) continue
    seen.add(next)
    const fields = fieldsOf(next)
    if (seen.size > mostObjects || isShown(next, fields, hide)) return true
    for (const [, each] of fields) waiting.push(each)
  }
  return false
}

type Field = readonly [name: string, value: unknown]

/** True where the names of its fields, or its own words, hold one. */
function isShown(value: object, fields: readonly Field[], hide: Redact): boolean {
  return (
    fields.some(([name, each]) => isFound(name, hide) || isSecretField(name, each)) || isFound(printed(value), hide)
  )
}

function isFound(text: string, hide: Redact): boolean {
  return hide(text) !== text
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** Its own fields, listed or not, and what a map or a set holds. Getters are not asked. */
function fieldsOf(value: object): readonly Field[] {
  // Numbers hold no text, however many there are.
  if (ArrayBuffer.isView(value)) return [['', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()]]
  const own = Reflect.ownKeys(value).map(
    (name): Field => [
      typeof name === 'symbol' ? (name.description ?? '') : name,
      Object.getOwnPropertyDescriptor(value, name)?.value,
    ],
  )
  if (value instanceof Map) return [...own, ...[...value].flat().map((each): Field => ['', each])]
  return value instanceof Set ? [...own, ...[...value].map((each): Field => ['', each])] : own
}

/** What the platform's own objects, such as addresses and headers, say of themselves: their fields are no properties. */
function printed(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || Array.isArray(value) || ArrayBuffer.isView(value)) return ''
  return inspect(value, {
    depth: 0,
    maxStringLength: null,
    maxArrayLength: null,
    breakLength: Number.POSITIVE_INFINITY,
  })
}
