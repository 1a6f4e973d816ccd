import { basename } from 'node:path'
import type { Citation, StoredEvent } from '../../events/index.ts'
import { findQuote } from '../../library/quote.ts'
import type { Storage } from '../../storage/storage.ts'

/**
 * An imported log as it may be believed here: each citation is verified only if this library's page holds its quote where
 * the citation says, and the run says that it was imported. Whether a sentence follows from its quotes is not checked.
 */
export async function checkedHere(
  log: readonly StoredEvent[],
  { passages }: Pick<Storage, 'passages'>,
): Promise<readonly StoredEvent[]> {
  const found = new Map<string, Promise<boolean>>()
  const isHere = (citation: Citation): Promise<boolean> => {
    const key = JSON.stringify({ ...citation, marker: 0 })
    const known = found.get(key) ?? isOnPage(citation, passages)
    found.set(key, known)
    return known
  }
  const checked = (citations: readonly Citation[] = []) =>
    Promise.all(citations.map(async (citation) => ({ ...citation, verified: await isHere(citation) })))
  const last = log.findLast((event) => event.type === 'run.completed' || event.type === 'message.completed')
  const shown = await checked(last?.payload.citations)
  const missingQuotes = shown.filter(({ verified }) => !verified).length
  return Promise.all(
    log.map(async (event): Promise<StoredEvent> => {
      if (event.type === 'run.created') return { ...event, payload: { ...event.payload, imported: { missingQuotes } } }
      if (event.type === 'run.completed') {
        return { ...event, payload: { ...event.payload, citations: await checked(event.payload.citations) } }
      }
      if (event.type === 'message.completed' && event.payload.citations) {
        return { ...event, payload: { ...event.payload, citations: await checked(event.payload.citations) } }
      }
      return event
    }),
  )
}

/** The event as it is exported, without the result of the check here: each import makes its own check. */
export function withoutImport(event: StoredEvent): StoredEvent {
  if (event.type !== 'run.created') return event
  const { imported: _, ...payload } = event.payload
  return { ...event, payload }
}

/** The quote stands on its own at its place, and the citation says of its document what the library says. */
async function isOnPage(
  { documentId, page, start, end, quote, source, title }: Citation,
  passages: Storage['passages'],
): Promise<boolean> {
  const [document, stored] = await Promise.all([passages.document(documentId), passages.page(documentId, page)])
  if (!document || !stored || basename(document.source) !== basename(source) || document.title !== title) return false
  const place = findQuote(quote, stored.text, { start, end })
  return place?.start === start && place.end === end
}
