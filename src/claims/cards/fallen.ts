import { type FallenClaim, fallenClaim } from '../../events/index.ts'
import { resultOf } from '../../runs/index.ts'
import type { Storage } from '../../storage/index.ts'
import { claimsOfAnswer, isKept } from './claim.ts'
import { type ClaimStanding, type ReadLibrary, standingOf } from './standing.ts'

/**
 * The sentences of answers whose quotes from these documents are not there any more, now that the documents were replaced or
 * removed. Only logs of answers that cite one of them are read, and no model is asked.
 */
export async function fallenBy(
  documentIds: readonly string[],
  { storage, library }: { readonly storage: Pick<Storage, 'events'>; readonly library: ReadLibrary },
): Promise<readonly FallenClaim[]> {
  const changed = new Set(documentIds)
  const runIds = await storage.events.citing(documentIds)
  const claims = []
  for await (const log of storage.events.logs(runIds)) claims.push(...claimsOfAnswer(resultOf(log)).filter(isKept))
  const resting = claims.filter(({ quotes }) => quotes.some(({ documentId }) => changed.has(documentId)))
  const found = resting.length > 0 ? await standingOf(resting, library) : []
  // What another document has made fall before was told then.
  return asFallen(
    found.filter(({ quotes }) => quotes.some((each) => !each.stands && changed.has(each.quote.documentId))),
  )
}

/** Those that do not stand, with what is told of them. */
export function asFallen(found: readonly ClaimStanding[]): readonly FallenClaim[] {
  return found.filter(({ stands }) => !stands).map((each) => fallenClaim.parse(each))
}
