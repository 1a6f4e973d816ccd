import { basename } from 'node:path'
import { citationLabel, quotedTable } from '../../answers/index.ts'
import type { Citation, Observation, StoredEvent } from '../../events/index.ts'
import { findQuote } from '../../library/index.ts'
import type { Storage } from '../../storage/index.ts'
import { observationAt } from '../../tools/index.ts'

/**
 * An imported log as it may be believed here: each citation is verified only if this library's page holds its quote where
 * the citation says, and then names its document and place as this library does; the run says that it was imported.
 * Whether a sentence follows from its quotes is not checked.
 */
export async function checkedHere(
  log: readonly StoredEvent[],
  { library: passages }: Pick<Storage, 'library'>,
): Promise<readonly StoredEvent[]> {
  const found = new Map<string, Promise<Here | null>>()
  const findHere = (citation: Citation): Promise<Here | null> => {
    const key = JSON.stringify({ ...citation, marker: 0 })
    const known = found.get(key) ?? passageOf(citation, passages)
    found.set(key, known)
    return known
  }
  const checked = async (citations: readonly Citation[] = []): Promise<Citation[]> => {
    const here = await Promise.all(citations.map(findHere))
    const among = here.flatMap((each) => each?.observation ?? [])
    return citations.map(({ table: _, ...citation }, at) => ({ ...citation, ...shownAs(here[at] ?? null, among) }))
  }
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

/** What a reader takes for the citation's origin comes from this library, not from the log. */
function shownAs(here: Here | null, among: readonly Observation[]): Partial<Citation> {
  if (here === null) return { verified: false }
  const { observation, table } = here
  const { title, source, section } = observation
  return {
    label: citationLabel(observation, among, table),
    title,
    source,
    section,
    verified: true,
    ...(table && { table }),
  }
}

/** The passage that a quote stands in, and what its table says of it. */
interface Here {
  readonly observation: Observation
  readonly table: Citation['table']
}

/**
 * The passage of the quote. null unless the quote stands on its own at its place, and the citation says of its document
 * what the library says.
 */
async function passageOf(
  { documentId, page, start, end, quote, source, title }: Citation,
  passages: Storage['library'],
): Promise<Here | null> {
  const [document, stored] = await Promise.all([passages.document(documentId), passages.page(documentId, page)])
  if (!document || !stored || basename(document.source) !== basename(source) || document.title !== title) return null
  const place = findQuote(quote, stored.text, { start, end })
  if (place?.start !== start || place.end !== end) return null
  const observation = await observationAt(passages, { documentId, page, start, end })
  const tables = await passages.tables(documentId, page, { start, end })
  return (
    observation && { observation, table: quotedTable(tables, place, (each) => stored.text.slice(each.start, each.end)) }
  )
}
