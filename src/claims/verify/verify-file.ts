import { basename, extname } from 'node:path'
import { UsageError } from '../../errors.ts'
import type { ProvenClaim } from '../cards/claim.ts'
import { type ClaimStanding, type ReadLibrary, standingOf } from '../cards/standing.ts'
import { archiveProven } from '../proof/archive.ts'
import { textOf, textProven } from '../proof/carriers.ts'
import type { Proven } from '../proof/proof.ts'
import { answerProven } from './answer.ts'

/** What a file claims, looked up in the documents again. */
export interface VerifiedFile {
  /** Nothing of the file was changed, it has claims with quotes, and all of them stand. */
  readonly stands: boolean
  /** What was changed in the file since it was written. */
  readonly changes: readonly string[]
  readonly claims: readonly ClaimStanding<ProvenClaim>[]
}

/** Finds what a file claims again in these documents. Throws `UsageError` for a file without a proof. */
export async function verifyFile(name: string, bytes: Uint8Array, library: ReadLibrary): Promise<VerifiedFile> {
  return lookUp(readProven(name, bytes), library)
}

/** Finds claims again in these documents. */
export async function lookUp(
  { claims, changes }: Proven,
  library: ReadLibrary,
  signal?: AbortSignal,
): Promise<VerifiedFile> {
  const found = await standingOf(claims, library, signal)
  const proves = claims.some(({ quotes }) => quotes.length > 0)
  return { stands: proves && changes.length === 0 && found.every(({ stands }) => stands), changes, claims: found }
}

/** What a file claims, and what of it was changed. Throws `UsageError` for a file without a proof. */
export function readProven(name: string, bytes: Uint8Array): Proven {
  const proven = provenIn(name, bytes)
  if (proven) return proven
  throw new UsageError(
    `${basename(name)} carries no proof that can be found: it was not written by Quaero, or by an older one, or the proof was taken out of it. "quaero table -o", "quaero report -o" and "quaero ask --json" write what can be verified.`,
  )
}

function provenIn(name: string, bytes: Uint8Array): Proven | null {
  const ending = extname(name).slice(1).toLowerCase()
  switch (ending) {
    case 'json':
      return textProven('json', textOf(bytes)) ?? answerProven(textOf(bytes))
    case 'md':
    case 'html':
    case 'tex':
      return textProven(ending, textOf(bytes))
    case 'xlsx':
      return readable(name, 'workbook', bytes)
    case 'docx':
      return readable(name, 'document of Word', bytes)
    default:
      throw new UsageError(`${basename(name)} is no file of .md, .html, .json, .xlsx, .docx, .tex.`)
  }
}

function readable(name: string, kind: string, bytes: Uint8Array): Proven | null {
  try {
    return archiveProven(bytes)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${basename(name)} cannot be read as a ${kind}: it is damaged, or larger than one can be.`)
  }
}
