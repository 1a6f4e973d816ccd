import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { count } from '../../options.ts'
import type { LibrarySearchOptions } from './library.ts'

const searchOptions = z.strictObject({
  limit: z.number().int().positive().optional(),
  documents: z.array(z.string()).nullish(),
  wider: z.boolean().optional(),
  context: count.optional(),
})

/** The options of a search, as a program gives them. Throws `UsageError` for what cannot be meant. */
export function checkedSearch(query: unknown, options: unknown): LibrarySearchOptions {
  if (typeof query !== 'string') throw new UsageError('The search is not a text. Give it as a string.')
  const parsed = searchOptions.safeParse(options)
  if (!parsed.success)
    throw new UsageError(`The options of the search cannot be used: ${z.prettifyError(parsed.error)}`)
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given)
}
