import type { Redact } from '../redact.ts'
import { cleanError } from './clean-error.ts'

/**
 * The same object, whose methods throw, reject and end their streams with clean errors only; so do the methods of the
 * objects that it holds. Everything else is handed through.
 */
export function guarded<T extends object>(target: T, hide: Redact, except: readonly PropertyKey[] = []): T {
  const known = new Map<PropertyKey, { readonly value: unknown; readonly guard: unknown }>()
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (except.includes(name) || !isGuardable(value)) return value
      const before = known.get(name)
      if (before?.value === value) return before.guard
      const guard = typeof value === 'function' ? guardedMethod(target, value, hide) : guarded(value, hide)
      known.set(name, { value, guard })
      return guard
    },
  })
}

function isGuardable(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && !Object.isFrozen(value))
}

function guardedMethod(target: object, method: CallableFunction, hide: Redact) {
  const refuse = (error: unknown): never => {
    throw cleanError(error, hide)
  }
  return (...args: readonly unknown[]): unknown => {
    try {
      // On the object itself: its private fields are not the proxy's.
      const made: unknown = Reflect.apply(method, target, args)
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
