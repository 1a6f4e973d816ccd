import { InvalidId } from '../errors.ts'

const identifier = /^[A-Za-z0-9_-]{1,128}$/

/** Lets a thread or run id through, or throws `InvalidId`: up to 128 letters, digits, `_` and `-`. */
export function checkIdentifier(kind: 'thread' | 'run', value: unknown): string {
  if (typeof value === 'string' && identifier.test(value)) return value
  throw new InvalidId(
    `${describe(value)} cannot be a ${kind} id. Use 1 to 128 letters, digits, hyphens or underscores.`,
  )
}

function describe(value: unknown): string {
  if (typeof value !== 'string') return `A value of type ${Array.isArray(value) ? 'array' : typeof value}`
  // Never a part of it: a credential that was given for a name is known, and hidden, as a whole only.
  return value.length > 128 ? `A text of ${value.length} characters` : JSON.stringify(value)
}
