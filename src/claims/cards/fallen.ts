import { type FallenClaim, fallenClaim } from '../../events/index.ts'
import type { Storage } from '../../storage/index.ts'
import { isKept } from './claim.ts'
import { claimsIn } from './claims.ts'
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
  for await (const log of storage.events.logs(runIds)) claims.push(...claimsIn(log).filter(isKept))
  const resting = claims.filter(({ quotes }) => quotes.some(({ documentId }) => changed.has(documentId)))
  const found = resting.length > 0 ? await standingOf(resting, library) : []
  // What another document has made fall before was told then.
  const fallen = found.filter(({ quotes }) => quotes.some((each) => !each.stands && changed.has(each.quote.documentId)))
  return onceEach(asFallen(fallen))
}

/** Of answers that say the same with the same quotes, the sentence of the first. */
export function onceEach(fallen: readonly FallenClaim[]): readonly FallenClaim[] {
  const alike = new Map<string, FallenClaim>()
  for (const each of fallen) {
    const key = JSON.stringify([each.claim.text, each.quotes.map(({ quote }) => quote)])
    const first = alike.get(key)
    alike.set(key, first ? { ...first, answers: (first.answers ?? 1) + 1 } : each)
  }
  return [...alike.values()]
}

/** Those that do not stand, with what is told of them. */
export function asFallen(found: readonly ClaimStanding[]): readonly FallenClaim[] {
  return found.filter(({ stands }) => !stands).map((each) => fallenClaim.parse(each))
}
