import { createHash } from 'node:crypto'
import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { type ProvenClaim, provenClaim } from '../cards/claim.ts'

/**
 * What an exported file carries, so that whoever has it and the documents can find every quote again: with no model, no
 * network, and no library. Written in this form for good; a change of it gets a new version.
 */
export const proof = z.object({
  format: z.literal('quaero-proof'),
  version: z.literal(2),
  claims: z.array(provenClaim),
  /** All that the file holds beside the proof: a text is one part, of an archive each file is one. */
  parts: z.array(z.object({ name: z.string(), sha256: z.string() })),
  /** SHA-256 of the proof without this field, as JSON with its fields in the order of this schema. */
  digest: z.string(),
})
export type Proof = z.output<typeof proof>

/** What a file holds beside its proof, by name. */
export type Parts = ReadonlyMap<string, string | Uint8Array>

/** What is read of a file that can be verified. */
export interface Proven {
  readonly claims: readonly ProvenClaim[]
  /** What is not as it was when the file was written; empty if nothing is. */
  readonly changes: readonly string[]
}

/** Throws `UsageError` for what is a proof by its place, but cannot be read. */
export function readProof(found: unknown): Proof {
  const { data } = proof.safeParse(found)
  if (data) return data
  throw new UsageError(
    'The proof in the file cannot be read: it was changed, or is of a version that is not known here. Write the file again.',
  )
}

/** The proof of these claims, in a file that holds these parts. */
export function proofOf(claims: readonly ProvenClaim[], parts: Parts): Proof {
  const undigested: Omit<Proof, 'digest'> = {
    format: 'quaero-proof',
    version: 2,
    // In the order of the schema, as whoever reads it finds them.
    claims: z.array(provenClaim).parse(claims),
    parts: Array.from(parts, ([name, part]) => ({ name, sha256: hashOf(part) })),
  }
  return { ...undigested, digest: hashOf(JSON.stringify(undigested)) }
}

/** What a proof claims, and what of its file was changed. `isAsWritten`: nothing stands in its place that we do not write. */
export function provenBy({ digest, ...undigested }: Proof, isAsWritten: boolean, parts: Parts): Proven {
  const isWhole = isAsWritten && hashOf(JSON.stringify(undigested)) === digest
  const then = new Map(undigested.parts.map(({ name, sha256 }) => [name, sha256]))
  const now = new Map(Array.from(parts, ([name, part]) => [name, hashOf(part)]))
  const names = [...then.keys()]
  return {
    claims: undigested.claims,
    changes: [
      ...(isWhole ? [] : ['The proof itself was changed, so that it may claim what the file did not.']),
      ...told(
        'Edited, or saved again by another program',
        names.filter((name) => now.has(name) && now.get(name) !== then.get(name)),
      ),
      ...told(
        'Added',
        [...now.keys()].filter((name) => !then.has(name)),
      ),
      ...told(
        'Taken out',
        names.filter((name) => !now.has(name)),
      ),
    ],
  }
}

function told(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : ''
  const shown = names.slice(0, 5).map((name) => name.slice(0, 100))
  return [`${what}: ${shown.join(', ')}${rest}.`]
}

export function hashOf(part: string | Uint8Array): string {
  return createHash('sha256').update(part).digest('hex')
}
