import { asError } from '../errors.ts'
import { isSecretField, type Redact } from '../redact.ts'
import { holdsCredential } from './holds-credential.ts'

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
