import { inspect } from 'node:util'
import { asError } from '../errors.ts'
import { isSecretField, type Redact } from '../redact.ts'

/**
 * What was thrown, without credentials in its message, stack, fields and causes, however it is printed. It is the same
 * error, with its class and code; an error that cannot be changed is replaced.
 */
export function cleanError(thrown: unknown, hide: Redact): Error {
  const error = asError(thrown)
  try {
    clean(error, { hide, seen: new Map() })
    return error
  } catch {
    return new Error(hide(error.message))
  }
}

/** The same object, whose own methods throw, reject and end their streams with clean errors only. */
export function withCleanErrors<T extends object>(target: T, hide: Redact): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? withCleanFailure(value.bind(target), hide) : value
    },
  })
}

function withCleanFailure(method: CallableFunction, hide: Redact) {
  const refuse = (error: unknown): never => {
    throw cleanError(error, hide)
  }
  return (...args: readonly unknown[]): unknown => {
    try {
      const made: unknown = method(...args)
      if (made instanceof Promise) return made.catch(refuse)
      return isStream(made) ? cleanStream(made, refuse) : made
    } catch (error) {
      return refuse(error)
    }
  }
}

async function* cleanStream(stream: AsyncIterable<unknown>, refuse: (error: unknown) => never): AsyncGenerator {
  try {
    yield* stream
  } catch (error) {
    refuse(error)
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

interface Cleaning {
  readonly hide: Redact
  /** What was looked at, and what stands in its place. */
  readonly seen: Map<object, unknown>
}

function clean(error: Error, cleaning: Cleaning): void {
  const { hide, seen } = cleaning
  if (seen.has(error)) return
  seen.set(error, error)
  // The stack is made when it is first read, and begins with the message.
  const { stack, message } = error
  setIfChanged(error, 'message', message, hide(message))
  if (stack !== undefined) setIfChanged(error, 'stack', stack, hide(stack))
  for (const name of Reflect.ownKeys(error)) {
    if (name === 'message' || name === 'stack') continue
    const value: unknown = Reflect.get(error, name)
    const kept = cleanKey(name, hide)
    setIfChanged(error, kept, kept === name ? value : undefined, cleanField(name, value, cleaning))
    if (kept !== name && !Reflect.deleteProperty(error, name)) throw error
  }
}

function cleanValue(value: unknown, cleaning: Cleaning): unknown {
  const { hide, seen } = cleaning
  if (typeof value === 'string') return hide(value)
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value
  if (seen.has(value)) return seen.get(value)
  if (value instanceof Error) {
    clean(value, cleaning)
    return value
  }
  // What stands for a value within itself.
  seen.set(value, '[redacted]')
  const kept = Array.isArray(value) ? cleanItems(value, cleaning) : withoutCredential(value, hide)
  seen.set(value, kept)
  return kept
}

function cleanItems(items: readonly unknown[], cleaning: Cleaning): readonly unknown[] {
  const cleaned = items.map((item) => cleanValue(item, cleaning))
  return cleaned.some((item, index) => item !== items[index]) ? cleaned : items
}

/** Data, a request or a client that holds one is not needed to understand what failed. */
function withoutCredential(value: object, hide: Redact): unknown {
  return holdsCredential(value, hide) ? '[redacted]' : value
}

function cleanField(name: PropertyKey, value: unknown, cleaning: Cleaning): unknown {
  return typeof name === 'string' && isSecretField(name, value) ? '[redacted]' : cleanValue(value, cleaning)
}

function cleanKey<K extends PropertyKey>(name: K, hide: Redact): PropertyKey {
  if (typeof name === 'string') return hide(name)
  if (typeof name !== 'symbol' || name.description === undefined) return name
  const description = hide(name.description)
  return description === name.description ? name : Symbol(description)
}

function setIfChanged(error: Error, name: PropertyKey, before: unknown, after: unknown): void {
  if (before === after) return
  const enumerable = Object.getOwnPropertyDescriptor(error, name)?.enumerable ?? false
  Object.defineProperty(error, name, { value: after, enumerable, writable: true, configurable: true })
}

/** A value with more objects, such as a client with its sockets, counts as one with a credential. */
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

/** Own fields, enumerable or not, and the content of a map or a set. Getters are not called. */
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

/** The text of platform objects such as URL and Headers, whose fields are no properties. */
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
