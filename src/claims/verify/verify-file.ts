import { basename, extname } from 'node:path'
import { UsageError } from '../../errors.ts'
import { runResult } from '../../runs/index.ts'
import { claimsOfAnswer, type ProvenClaim } from '../cards/claim.ts'
import { type ClaimStanding, type ReadLibrary, standingOf } from '../cards/standing.ts'
import { type Carried, htmlCarried, jsonCarried, latexCarried, markdownCarried, parsed } from '../proof/carriers.ts'
import { changesOf } from '../proof/proof.ts'

/** What a file claims, looked up in the documents again. */
export interface VerifiedFile {
  /** Nothing of the file was changed, and all its claims stand. */
  readonly stands: boolean
  /** What was changed in the file since it was written. */
  readonly changes: readonly string[]
  readonly claims: readonly ClaimStanding<ProvenClaim>[]
}

/** What can be verified: exported files with their proof, and what `--json` prints of an answer. */
export const verifiableEndings = ['md', 'html', 'json', 'xlsx', 'docx', 'tex'] as const

/** The documents that a file rests on, by the paths that it names. Throws `UsageError` for a file without a proof. */
export async function sourcesOf(name: string, bytes: Uint8Array): Promise<readonly string[]> {
  const { claims } = await read(name, bytes)
  return [...new Set(claims.flatMap(({ quotes }) => quotes.map(({ source }) => source)))]
}

/** Finds what a file claims again in these documents. Throws `UsageError` for a file without a proof. */
export async function verifyFile(name: string, bytes: Uint8Array, library: ReadLibrary): Promise<VerifiedFile> {
  const { claims, changes } = await read(name, bytes)
  const found = await standingOf(claims, library)
  return { stands: changes.length === 0 && found.every(({ stands }) => stands), changes, claims: found }
}

interface Read {
  readonly claims: readonly ProvenClaim[]
  readonly changes: readonly string[]
}

async function read(name: string, bytes: Uint8Array): Promise<Read> {
  const { shown, proof } = await carriedBy(name, bytes)
  if (proof) return { claims: proof.claims, changes: changesOf(proof, shown) }
  const answer = readAnswer(name, shown)
  if (answer) return answer
  throw new UsageError(
    `${basename(name)} carries no proof: it was not written by Quaero, or the proof was taken out of it. "quaero table -o", "quaero report -o" and "quaero ask --json" write what can be verified.`,
  )
}

async function carriedBy(name: string, bytes: Uint8Array): Promise<Carried> {
  const text = () => new TextDecoder().decode(bytes)
  switch (extname(name).slice(1).toLowerCase()) {
    case 'md':
      return markdownCarried(text())
    case 'html':
      return htmlCarried(text())
    case 'json':
      return jsonCarried(text())
    case 'tex':
      return latexCarried(text())
    case 'xlsx':
      // Loaded when it is needed, since it takes time.
      return readable(name, 'workbook', (await import('../export/workbook.ts')).workbookCarried(bytes))
    case 'docx':
      return readable(name, 'document of Word', (await import('../export/word.ts')).wordCarried(bytes))
    default:
      throw new UsageError(`${basename(name)} is no file of .${verifiableEndings.join(', .')}.`)
  }
}

function readable(name: string, kind: string, carried: Promise<Carried>): Promise<Carried> {
  return carried.catch((error: unknown) => {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${basename(name)} cannot be read as a ${kind}.`)
  })
}

/** An answer as `quaero ask --json` prints it: it has its sentences, and their quotes. */
function readAnswer(name: string, text: string): Read | null {
  if (extname(name).toLowerCase() !== '.json') return null
  const result = runResult.safeParse(parsed(text)).data
  if (!result) return null
  const { answer } = result
  const claims = claimsOfAnswer(result).filter(({ state }) => state !== 'unsupported')
  const missing = claims.filter(({ text }) => !withoutMarkers(answer).includes(withoutMarkers(text)))
  return { claims, changes: missing.map(({ text }) => `The answer does not have the sentence “${text}” any more.`) }
}

function withoutMarkers(text: string): string {
  return text.replace(/\[\d+\]/g, '').replace(/\s+/g, '')
}
