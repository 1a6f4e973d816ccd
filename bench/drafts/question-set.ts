import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Asked } from './ask.ts'

/** A question with what a right answer says, for whoever judges it. */
export interface WantedQuestion extends Asked {
  /** Null: nothing is known of it. */
  readonly wanted: string | null
}

/** Documents in one library and questions over them. */
export interface AskedSet {
  readonly name: string
  readonly documents: readonly { readonly id: string; readonly sha256: string }[]
  /** Their files, by their ids. */
  readonly files: ReadonlyMap<string, string>
  readonly questions: readonly WantedQuestion[]
}

/** Files, and questions that may be limited to one of them. */
export interface PlainSet {
  readonly files: ReadonlyMap<string, string>
  readonly questions: readonly (Omit<WantedQuestion, 'documentIds'> & { readonly within?: string })[]
}

export function setOf(name: string, { files, questions }: PlainSet): AskedSet {
  const sums = new Map(Array.from(files, ([id, path]) => [id, sha256Of(path)]))
  return {
    name,
    documents: Array.from(sums, ([id, sha256]) => ({ id, sha256 })),
    files,
    questions: questions.map(({ within, ...each }) => {
      // A library names a document by the beginning of its checksum.
      const documentId = sums.get(within ?? '')?.slice(0, 16)
      return { ...each, ...(documentId !== undefined && { documentIds: [documentId] }) }
    }),
  }
}

function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
