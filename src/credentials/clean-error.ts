import { inspect } from 'node:util'
import { asError } from '../errors.ts'
import { isSecretField, type Redact } from '../redact.ts'

/**
 * What was thrown, without credentials in its message, stack, fields and causes, however it is printed. The same error,
 * so that its class, its code and whoever compares it stay; one that cannot be changed is replaced.
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

/** The methods of an object, bound to it, which throw, reject and end their streams with clean errors only. */
export function withCleanErrors<T extends object>(target: T, hide: Redact): T
export function withCleanErrors(target: object, hide: Redact): object {
  const prototype: object = Object.getPrototypeOf(target)
  const inherited = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype)
  const members = [...Object.keys(target), ...inherited].map((name) => {
    const value: unknown = Reflect.get(target, name)
    return [name, typeof value === 'function' ? withCleanFailure(value.bind(target), hide) : value]
  })
  // The same public names, with values of the same types.
  return Object.fromEntries(members)
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
  if (isData(value)) return cleanData(value, cleaning)
  // A request, a response, a client: nobody needs it to understand what failed.
  const kept = holdsCredential(value, hide) ? '[redacted]' : value
  seen.set(value, kept)
  return kept
}

/** The same data where it holds none. */
function cleanData(value: object, cleaning: Cleaning): unknown {
  const isChanged = holdsCredential(value, cleaning.hide)
  const copy: object = isChanged ? (Array.isArray(value) ? [] : {}) : value
  cleaning.seen.set(value, copy)
  for (const name of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, name)
    if (Array.isArray(value) && name === 'length') continue
    const each = cleanField(name, Reflect.get(value, name), cleaning)
    if (!isChanged) continue
    const { enumerable = false } = descriptor ?? {}
    const own = { value: each, enumerable, writable: true, configurable: true }
    Object.defineProperty(copy, cleanKey(name, cleaning.hide), own)
  }
  return copy
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

function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/** A client with all its sockets is not looked through to its last object: it is taken to hold one. */
const mostObjects = 5000

/**
 * True if a credential stands anywhere in a value, however deep: in texts, in names of fields, in fields that are not
 * listed. Nothing is called but what prints it.
 */
function holdsCredential(value: object, hide: Redact): boolean {
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
