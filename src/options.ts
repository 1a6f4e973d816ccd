import { z } from 'zod'
import { UsageError } from './errors.ts'

/**
 * Lets options through that a program gives, or throws `UsageError` with the one that is wrong: TypeScript has checked
 * them only where it was asked to. `what` begins the sentence.
 */
export function checkOptions(what: string, schema: z.ZodType, given: unknown): void {
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new UsageError(`${what} cannot be used: ${z.prettifyError(parsed.error)}`)
}

/** Anything that can be called. */
export const callable = z.custom((value) => typeof value === 'function', { error: 'a function is needed' })

export const abortSignal = z.instanceof(AbortSignal, { error: 'an AbortSignal is needed' })

/** A whole number of things, from 0 on. */
export const count = z.number().int().nonnegative()
