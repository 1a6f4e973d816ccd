import { z } from 'zod'
import { abortSignal, callable, checkOptions, count } from '../../options.ts'
import type { AddOptions, EmbedOptions, Library } from './library.ts'

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
