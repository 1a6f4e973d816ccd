import { z } from 'zod'
import type { MetadataChange } from '../port/document.ts'
import { cleanLine } from '../readers/common/clean-text.ts'

const longest = 1000
/** One line of text; an empty one states nothing. */
const line = z
  .union([z.string(), z.number()], 'it must be text')
  .transform((value) => cleanLine(String(value)) || null)
  .refine((value) => value === null || value.length <= longest, `it is longer than ${longest} characters`)

const authors = z
  .union([z.string(), z.array(z.string())], 'it must be a list of names, or "A; B"')
  .transform((value) => [value].flat().flatMap((names) => names.split(';')))
  .transform((names) => names.map(cleanLine).filter((name) => name !== ''))
  .transform((names) => (names.length > 0 ? names : null))
  .refine((names) => (names?.join().length ?? 0) <= 20 * longest, 'there are too many')

const year = z
  .union([z.literal(''), z.number(), z.string().regex(/^\d{1,4}$/, 'it must be a whole number')], {
    error: 'it must be a whole number',
  })
  .transform((value) => (value === '' ? null : Number(value)))
  .refine((value) => value === null || (Number.isInteger(value) && value > 0 && value < 10_000), {
    error: 'it must be a whole number, for instance 2021',
  })

const statedMetadata = z.strictObject({
  title: line.nullish(),
  authors: authors.nullish(),
  year: year.nullish(),
  // It can only be taken back: `library.cite` gives it.
  reference: z
    .literal(['', null])
    .transform(() => null)
    .optional(),
})

/** Checks a person's statements on a document; an empty value is null. `problem` is one sentence. */
export function parseStatedMetadata(
  input: unknown,
): { readonly change: MetadataChange } | { readonly problem: string } {
  const parsed = statedMetadata.safeParse(input ?? {})
  if (!parsed.success) return { problem: parsed.error.issues.map(describe).join('; ') }
  const stated = Object.entries(parsed.data).filter(([, value]) => value !== undefined)
  return { change: Object.fromEntries(stated) }
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => JSON.stringify(key)).join(', ')
    return `unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${keys}: only title, authors and year may stand there`
  }
  if (issue.path.length === 0) return 'it must hold keys and values: title, authors, year'
  return `${String(issue.path[0])}: ${issue.message}`
}
