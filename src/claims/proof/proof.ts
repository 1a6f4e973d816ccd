import { createHash } from 'node:crypto'
import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { type ProvenClaim, provenClaim } from '../cards/claim.ts'

const provenDocument = z.object({
  /** The beginning of the SHA-256 of the file's bytes. */
  documentId: z.string(),
  title: z.string().nullable(),
  source: z.string(),
})

/**
 * What an exported file carries, so that whoever has it and the documents can find every quote again: with no model, no
 * network, and no library. Written in this form for good; a change of it gets a new version.
 */
export const proof = z.object({
  format: z.literal('quaero-proof'),
  version: z.literal(1),
  documents: z.array(provenDocument),
  claims: z.array(provenClaim),
  /** SHA-256 of what the file shows beside the proof, as `shown` of its format reads it. */
  shown: z.string(),
  /** SHA-256 of the proof without this field, as JSON with the keys of each object in order. */
  digest: z.string(),
})
export type Proof = z.output<typeof proof>

/** The proof in a file; null if there is none. Throws `UsageError` for what is one by its place, but cannot be read. */
export function readProof(found: unknown): Proof | null {
  if (found === undefined) return null
  const { data } = proof.safeParse(found)
  if (data) return data
  throw new UsageError(
    'The proof in the file cannot be read: it was changed, or is of a version that is not known here.',
  )
}

/** The proof of these claims, in a file that shows this text. */
export function proofOf(claims: readonly ProvenClaim[], shown: string): Proof {
  const quotes = claims.flatMap((each) => each.quotes)
  const documents = new Map(quotes.map(({ documentId, title, source }) => [documentId, { documentId, title, source }]))
  const undigested: Omit<Proof, 'digest'> = {
    format: 'quaero-proof',
    version: 1,
    documents: [...documents.values()],
    claims: claims.map(({ id, text, state, quotes, formulas }) => ({ id, text, state, quotes, formulas })),
    shown: hashOf(shown),
  }
  return { ...undigested, digest: digestOf(undigested) }
}

/** What is not as it was when the file was written; empty if nothing is. */
export function changesOf(found: Proof, shown: string): readonly string[] {
  const { digest, ...rest } = found
  const missing = found.claims.filter(({ text }) => !plain(shown).includes(plain(text)))
  return [
    ...(digestOf(rest) === digest ? [] : ['The proof in the file was changed after the file was written.']),
    ...(hashOf(shown) === found.shown
      ? []
      : [`The file does not show what it showed when it was written.${named(missing)}`]),
  ]
}

function named(missing: readonly ProvenClaim[]): string {
  const texts = missing.slice(0, 5).map(({ text }) => `“${text}”`)
  return texts.length === 0 ? '' : ` It does not say any more: ${texts.join('; ')}.`
}

/** Marks of a format (bold, a bar, an entity) may stand in a text. */
function plain(text: string): string {
  return text.replace(/&#?\w+;/g, '').replace(/[^\p{L}\p{N}]+/gu, '')
}

function digestOf(undigested: Omit<Proof, 'digest'>): string {
  return hashOf(JSON.stringify(undigested, (_, value: unknown) => ordered(value)))
}

function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
