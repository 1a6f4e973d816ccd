import type { Credentials } from '../credentials/credentials.ts'
import type { Event } from './event.ts'

/**
 * An event as it may be kept and told: it holds no configured credential, and what an error says holds nothing that is
 * shaped like one. What people, models and documents say stays as it was said.
 */
export function cleanEvent<E extends Event>(event: E, { mask, hide }: Pick<Credentials, 'mask' | 'hide'>): E {
  const { payload } = mask({ payload: event.payload })
  const clean = isProblem(payload) ? { ...payload, message: hide(payload.message) } : payload
  if ('error' in clean && isProblem(clean.error)) {
    return { ...event, payload: { ...clean, error: { ...clean.error, message: hide(clean.error.message) } } }
  }
  return clean === event.payload ? event : { ...event, payload: clean }
}

/** What failed, is tried again or was worked around, in words. */
function isProblem(value: unknown): value is { readonly code: string; readonly message: string } {
  if (typeof value !== 'object' || value === null || !('code' in value && 'message' in value)) return false
  return typeof value.message === 'string'
}
