import { z } from 'zod'
import { UsageError } from './errors.ts'

/** A schema for each option of an interface, whose fields are documented there, and for no other: neither can drift. */
export type Shape<Options> = Record<keyof Options, z.ZodType>

/**
 * Lets options through that a program gives, or throws `UsageError` with the one that is wrong: TypeScript has checked
 * them only where it was asked to. `what` begins the sentence.
 */
export function checkOptions(what: string, schema: z.ZodType, given: unknown): void {
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new UsageError(`${what} cannot be used: ${problemsIn(parsed.error)}.`)
}

/**
 * What a schema refuses, as a sentence without its full stop: each field, and what was expected there. With the object that
 * was refused, a choice that is missing is called so.
 */
export function problemsIn({ issues }: Pick<z.ZodError, 'issues'>, refused?: object): string {
  return [...new Set(issues.map((issue) => issueInWords(issue, refused).replace(/\.$/, '')))].join('; ')
}

function issueInWords(issue: z.core.$ZodIssue, refused: object | undefined): string {
  const field = issue.path.length > 0 ? `"${issue.path.join('.')}"` : 'it'
  switch (issue.code) {
    case 'unrecognized_keys':
      return `"${issue.keys.join('", "')}" is not known${issue.path.length > 0 ? ` in ${field}` : ''}`
    case 'invalid_type':
      return wrongType(issue, field)
    case 'invalid_value':
      return `${field}${isMissing(issue, refused) ? ' is missing and' : ''} must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_small':
      return `${field} must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${unitOf(issue)}`
    case 'too_big':
      return `${field} must be at most ${issue.maximum}${unitOf(issue)}`
    default:
      return `${field}: ${'issues' in issue ? issue.issues[0]?.message : issue.message}`
  }
}

function isMissing({ path: [key, ...others] }: z.core.$ZodIssue, refused: object | undefined): boolean {
  return refused !== undefined && others.length === 0 && key !== undefined && !Object.hasOwn(refused, key)
}

function wrongType({ message, expected }: z.core.$ZodIssueInvalidType, field: string): string {
  // A message of the schema's own says more.
  if (!message.startsWith('Invalid input: ')) return `${field}: ${message}`
  return `${field}${message.endsWith('undefined') ? ' is missing and' : ''} must be ${typeNames.get(expected) ?? expected}`
}

function unitOf({ origin }: { readonly origin: string }): string {
  return origin === 'string' ? ' characters long' : origin === 'array' ? ' items long' : ''
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object with fields'],
  ['record', 'an object with fields'],
  ['array', 'a list'],
  ['nonoptional', 'set'],
])

/** Anything that can be called. */
export const callable = z.custom((value) => typeof value === 'function', { error: 'a function is needed' })

export const abortSignal = z.instanceof(AbortSignal, { error: 'an AbortSignal is needed' })

/** The names of an object's fields, in a type that `Object.keys` forgets; for objects that have no others than their type. */
export function keysOf<T extends object>(table: T): readonly Extract<keyof T, string>[] {
  const keys: Extract<keyof T, string>[] = []
  for (const key in table) keys.push(key)
  return keys
}

/** A whole number of things, from 0 on. */
export const count = z.number().int().nonnegative()
