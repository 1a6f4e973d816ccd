import { inspect } from 'node:util'
import { asError } from '../errors.ts'
import { type Redact, redactAll } from '../redact.ts'

/**
 * What was thrown, without credentials in its message, stack, fields and causes, however it is printed. The same error,
 * so that its class, its code and whoever compares it stay; one that cannot be changed is replaced.
 */
export function cleanError(thrown: unknown, hide: Redact): Error {
  const error = asError(thrown)
  try {
    clean(error, hide, new Set())
    return error
  } catch {
    return new Error(hide(error.message))
  }
}

function clean(error: Error, hide: Redact, seen: Set<Error>): void {
  if (seen.has(error)) return
  seen.add(error)
  // The stack is made when it is first read, and begins with the message.
  const { stack, message } = error
  setIfChanged(error, 'message', message, hide(message))
  if (stack !== undefined) setIfChanged(error, 'stack', stack, hide(stack))
  for (const name of Object.getOwnPropertyNames(error)) {
    if (name === 'message' || name === 'stack') continue
    const value: unknown = Reflect.get(error, name)
    setIfChanged(error, name, value, cleanValue(value, hide, seen))
  }
}

function cleanValue(value: unknown, hide: Redact, seen: Set<Error>): unknown {
  if (typeof value === 'string') return hide(value)
  if (value instanceof Error) {
    clean(value, hide, seen)
    return value
  }
  if (Array.isArray(value) && value.some((each) => each instanceof Error)) {
    return value.map((each) => cleanValue(each, hide, seen))
  }
  if (typeof value !== 'object' || value === null) return value
  const printed = inspect(value, { depth: 6 })
  if (printed === hide(printed)) return value
  // A request, a response, a client: nobody needs it to understand what failed.
  return isData(value) ? redactAll(value, hide) : '[redacted]'
}

function setIfChanged(error: Error, name: string, before: unknown, after: unknown): void {
  if (before === after) return
  const enumerable = Object.getOwnPropertyDescriptor(error, name)?.enumerable ?? false
  Object.defineProperty(error, name, { value: after, enumerable, writable: true, configurable: true })
}

function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
