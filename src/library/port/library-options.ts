import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { abortSignal, callable, checkOptions, count } from '../../options.ts'
import type { AddOptions, EmbedOptions, Library, LibrarySearchOptions } from './library.ts'

type Shape<Options> = Record<keyof Options, z.ZodType>

const addOptions = z.strictObject({
  onProgress: callable.optional(),
  onEmbedProgress: callable.optional(),
  signal: abortSignal.optional(),
  passwords: z.array(z.string()).optional(),
  sync: z.boolean().optional(),
  retry: z.boolean().optional(),
} satisfies Shape<AddOptions>)

const embedOptions = z.strictObject({
  anew: z.boolean().optional(),
  onProgress: callable.optional(),
  signal: abortSignal.optional(),
} satisfies Shape<EmbedOptions>)

const statusOptions = z.strictObject({
  ask: z.boolean().optional(),
  signal: abortSignal.optional(),
} satisfies Shape<NonNullable<Parameters<Library['embeddings']>[0]>>)

const reach = z.strictObject({
  before: count.optional(),
  after: count.optional(),
} satisfies Shape<NonNullable<Parameters<Library['passages']>[1]>>)

/** Lets paths to add and the options beside them through, or throws `UsageError` with what is wrong. */
export function checkAdd(paths: unknown, options: unknown): void {
  checkOptions('The paths', z.array(z.string()), paths)
  checkOptions('The options of adding', addOptions, options)
}

/** Likewise those of giving passages vectors. */
export function checkEmbedOptions(options: unknown): void {
  checkOptions('The options of the embedding', embedOptions.optional(), options)
}

/** Likewise those of looking at the vectors. */
export function checkStatusOptions(options: unknown): void {
  checkOptions('The options', statusOptions.optional(), options)
}

/** Likewise a passage, and how far around it to read. */
export function checkPassages(passageId: unknown, options: unknown): void {
  checkOptions('The passage', z.string(), passageId)
  checkOptions('The options', reach, options)
}

/** Likewise what names a document. */
export function checkNamed(named: unknown): void {
  checkOptions('The document', z.string(), named)
}

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
