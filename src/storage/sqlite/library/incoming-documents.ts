import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DocumentUnreadable } from '../../../errors.ts'
import type { DocumentBatch, IncomingDocument, NewDocument, SourceRecord } from '../../../library/index.ts'
import { currentProcess, isAlive } from '../../process-identity.ts'
import { all, first, type Work, type Workplace } from '../../sql/work.ts'
import { anyDocument, grow, mostAtOnce, putPassage, type StoredDocuments } from './contents.ts'
import { putPiece } from './page-texts.ts'

/** A document that is being stored or removed, and the process that does it. */
interface UnfinishedRow {
  readonly documentId: string
  /** The id of this attempt; empty for a document to be removed. */
  readonly claim: string
  readonly pid: number
  readonly startedAt: string
  readonly activeAt: number
}

/** A living owner that has done nothing for this long has given up. */
const abandonedAfterMs = 60_000
const waitForOtherMs = 100
const piecesRemovedAtOnce = 50

/** Documents that are stored, and removed, in more than one transaction. */
export class IncomingDocuments {
  readonly #place: Workplace
  readonly #documents: StoredDocuments

  constructor(place: Workplace, documents: StoredDocuments) {
    this.#place = place
    this.#documents = documents
  }

  /** `PassageIndex.putInBatches`; `repairing` replaces a damaged index and repeats the work. */
  async put(
    { record, from, batches }: IncomingDocument,
    source: SourceRecord,
    repairing: <T>(work: () => Promise<T>) => Promise<T>,
  ): Promise<boolean> {
    const documents = this.#documents
    const repaired = <T>(work: () => Work<T>) => repairing(() => this.#place.write(work))
    const { documentId } = record
    const claim = randomUUID()
    if (!(await this.#begin({ record, ...(from && { from }), pages: [], passages: [] }, claim))) {
      await repaired(() => documents.table.link(source))
      return false
    }
    try {
      for await (const batch of batches) await repaired(() => addBatch(documents, { documentId, claim, batch }))
      await repaired(() => finish(documents, claim, source))
    } catch (error) {
      await this.#removeClaimed(documentId, claim)
      throw error
    }
    return true
  }

  /** Removes unfinished documents that no process works on, in batches. */
  async removeAbandoned(): Promise<void> {
    const { read, write } = this.#place
    for (const { documentId, ...row } of (await read(() => all<UnfinishedRow>(unfinished))).filter(isAbandoned)) {
      const claim = randomUUID()
      const isTaken = await write(function* () {
        if ((yield* unfinishedOf(documentId))?.claim !== row.claim) return false
        yield* putUnfinished(documentId, claim)
        return true
      })
      if (isTaken) await this.#removeClaimed(documentId, claim)
    }
  }

  /** Creates the document, hidden; waits while another process stores it. False if it is stored. */
  async #begin(document: NewDocument, claim: string): Promise<boolean> {
    const { documentId } = document.record
    const documents = this.#documents
    for (;;) {
      const begun = await this.#place.write(function* () {
        if (yield* documents.table.document(documentId)) return false
        if (yield* unfinishedOf(documentId)) return null
        yield* documents.begin(document)
        yield* putUnfinished(documentId, claim)
        return true
      })
      if (begun !== null) return begun
      await this.removeAbandoned()
      await sleep(waitForOtherMs)
    }
  }

  /** Removes a document in batches, unless another process takes it over. */
  async #removeClaimed(documentId: string, claim: string): Promise<void> {
    let isLeft = true
    while (isLeft) isLeft = await this.#place.write(() => removeSome(this.#documents, documentId, claim))
  }
}

function* finish(documents: StoredDocuments, claim: string, source: SourceRecord): Work<void> {
  yield* keepClaim(source.documentId, claim)
  yield* all('DELETE FROM unfinished_documents WHERE document_id = $1', [source.documentId])
  yield* documents.table.link(source)
}

function* addBatch(
  documents: StoredDocuments,
  { documentId, claim, batch }: { documentId: string; claim: string; batch: DocumentBatch },
): Work<void> {
  const { pages, passages } = batch
  yield* keepClaim(documentId, claim)
  for (const piece of pages) yield* putPiece(documentId, piece)
  const document = (yield* anyDocument(documentId)) ?? { title: null, source: '' }
  for (const passage of passages) yield* documents.addTerms(yield* putPassage(passage), passage, document)
  yield* grow(documentId, { pages: pages.filter(({ start }) => start === 0).length, passages: passages.length })
}

/** Throws if another process has taken the document over, as it may when this one was suspended. */
function* keepClaim(documentId: string, claim: string): Work<void> {
  if (yield* isOwn(documentId, claim)) return
  throw new DocumentUnreadable('unreadable', 'Another process began to store it too. Add it again')
}

/** Notes that its owner is at work; false if that is another. */
function* isOwn(documentId: string, claim: string): Work<boolean> {
  const touched = yield* all(
    'UPDATE unfinished_documents SET active_at = $3 WHERE document_id = $1 AND claim = $2 RETURNING document_id',
    [documentId, claim, Date.now()],
  )
  return touched.length > 0
}

function isAbandoned({ pid, startedAt, activeAt }: UnfinishedRow): boolean {
  return Date.now() - activeAt > abandonedAfterMs || !isAlive({ pid, startedAt })
}

/** True while there is more to remove. */
function* removeSome({ terms }: StoredDocuments, documentId: string, claim: string): Work<boolean> {
  if (!(yield* isOwn(documentId, claim))) return false
  const row = yield* first<{ ordinal: number | null }>(
    'SELECT min(ordinal) AS ordinal FROM passages WHERE document_id = $1',
    [documentId],
  )
  const ordinal = row?.ordinal ?? null
  if (ordinal !== null) {
    yield* terms.removeDocument(documentId, ordinal + mostAtOnce)
    yield* all('DELETE FROM passages WHERE document_id = $1 AND ordinal < $2', [documentId, ordinal + mostAtOnce])
    return true
  }
  const pieces = 'SELECT rowid FROM page_pieces WHERE document_id = $1 LIMIT $2'
  const removed = `DELETE FROM page_pieces WHERE rowid IN (${pieces}) RETURNING page`
  if ((yield* all(removed, [documentId, piecesRemovedAtOnce])).length > 0) return true
  yield* all('DELETE FROM pages WHERE document_id = $1', [documentId])
  yield* all('DELETE FROM documents WHERE document_id = $1', [documentId])
  return false
}

const unfinished =
  'SELECT document_id AS "documentId", claim, pid, process_start AS "startedAt", active_at AS "activeAt" FROM unfinished_documents'

function unfinishedOf(documentId: string): Work<UnfinishedRow | undefined> {
  return first<UnfinishedRow>(`${unfinished} WHERE document_id = $1`, [documentId])
}

/** Notes that this process stores or removes the document. */
function putUnfinished(documentId: string, claim: string): Work<unknown> {
  const { pid, startedAt } = currentProcess()
  return all(
    `INSERT OR REPLACE INTO unfinished_documents (document_id, claim, pid, process_start, active_at)
     VALUES ($1, $2, $3, $4, $5)`,
    [documentId, claim, pid, startedAt, Date.now()],
  )
}
