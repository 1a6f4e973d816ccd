import { z } from 'zod'
import { abortSignal, callable, count, type Shape } from '../options.ts'
import type { AddOptions, EmbedOptions, Library, LibrarySearchOptions } from './port/library.ts'
import type { FilterOptions, Part, TagChange } from './port/passage-index.ts'

// What may be chosen of a library; each option is documented where its type is.

export const addOptions = z.strictObject({
  onProgress: callable.optional(),
  onEmbedProgress: callable.optional(),
  signal: abortSignal.optional(),
  passwords: z.array(z.string()).optional(),
  sync: z.boolean().optional(),
  repair: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
} satisfies Shape<AddOptions>)

/** Of all options that choose documents. */
export const filterShape = {
  where: z.string().optional(),
  tags: z.array(z.string()).optional(),
} satisfies Shape<FilterOptions>
export const listOptions = z.strictObject({
  ...filterShape,
  limit: count.optional(),
  offset: count.optional(),
} satisfies Shape<Part & FilterOptions>)
export const tagChange = z.strictObject({
  add: z.array(z.string()).optional(),
  remove: z.array(z.string()).optional(),
  ahead: z.boolean().optional(),
} satisfies Shape<TagChange>)
export const embedOptions = z.strictObject({
  anew: z.boolean().optional(),
  onProgress: callable.optional(),
  signal: abortSignal.optional(),
} satisfies Shape<EmbedOptions>)

export const statusOptions = z.strictObject({
  ask: z.boolean().optional(),
  signal: abortSignal.optional(),
} satisfies Shape<NonNullable<Parameters<Library['embeddings']>[0]>>)

export const reach = z.strictObject({
  before: count.optional(),
  after: count.optional(),
} satisfies Shape<NonNullable<Parameters<Library['passages']>[1]>>)

export const searchOptions = z.strictObject({
  ...filterShape,
  limit: z.number().int().positive().optional(),
  documents: z.array(z.string()).nullish(),
  context: count.optional(),
} satisfies Shape<LibrarySearchOptions>)

/** More milliseconds are too many for a timer. */
const milliseconds = count.min(1).max(2 ** 31 - 1)
export const watchOptions = addOptions
  .omit({ sync: true, repair: true, tags: true })
  .extend({ everyMs: milliseconds.optional(), settleMs: milliseconds.optional(), onStart: callable.optional() })
