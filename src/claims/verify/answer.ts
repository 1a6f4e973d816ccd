import { type RunResult, runResult } from '../../runs/index.ts'
import { keptIn } from '../cards/claim.ts'
import { compactJson, parsed } from '../proof/carriers.ts'
import { hashOf, type Proven } from '../proof/proof.ts'

/** A result without its note, with the SHA-256 of all of it, so that it can be verified: its sentences name their quotes themselves. */
export function digested({ note: _, ...result }: RunResult): RunResult & { readonly digest: string } {
  return { ...result, digest: hashOf(compactJson(JSON.stringify(result))) }
}

/** What a result proves as `quaero ask --json` prints it; null for anything else. */
export function answerProven(file: string): Proven | null {
  // White space may stand within no word or number of JSON.
  if (parsed(file) === null) return null
  const [, rest, digest] = /^(.*),"digest":"([0-9a-f]{64})"\}$/s.exec(compactJson(file)) ?? []
  const result = runResult.safeParse(parsed(`${rest}}`)).data
  if (!result) return null
  const isWhole = hashOf(`${rest}}`) === digest
  return {
    claims: keptIn(result),
    changes: isWhole ? [] : ['Edited, or saved again by another program: the answer.'],
  }
}
