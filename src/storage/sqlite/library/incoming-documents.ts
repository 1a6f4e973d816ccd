import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DocumentUnreadable } from '../../../errors.ts'
import type { DocumentBatch, NewDocument } from '../../../library/port/document.ts'
import type { IncomingDocument, SourceRecord } from '../../../library/port/passage-index.ts'
import { currentProcess, isAlive } from '../../process-identity.ts'
import { metadataOf, putReader } from '../../sql/document-metadata.ts'
import type { SqliteDatabase } from '../database/database.ts'
import type { LibraryTables, UnfinishedRow } from './library-tables.ts'
import { addPassageTerms, link, mostAtOnce, putPassage, putRecord } from './stored-documents.ts'

/** Documents that are stored, and removed, in more than one transaction. */
export interface IncomingDocuments {
  /** `PassageIndex.putInBatches`; `repairing` replaces a damaged index and repeats the work. */
  put(
    document: IncomingDocument,
    source: SourceRecord,
    repairing: <T>(work: () => Promise<T>) => Promise<T>,
  ): Promise<boolean>
  /** Removes unfinished documents that no process works on, in batches. */
  removeAbandoned(): Promise<void>
}

/** A living owner that has done nothing for this long has given up. */
const abandonedAfterMs = 60_000
const waitForOtherMs = 100
const piecesRemovedAtOnce = 50

type Write = <T>(work: () => T) => Promise<T>

export function incomingDocuments(database: SqliteDatabase, tables: LibraryTables): IncomingDocuments {
  /** Creates the document, hidden; waits while another process stores it. False if it is stored. */
  async function begin(document: NewDocument, claim: string): Promise<boolean> {
    const { documentId } = document.record
    const own = await currentProcess()
    for (;;) {
      const begun = await database.write(() => {
        if (tables.document.get(documentId)) return false
        if (tables.unfinishedOf.get(documentId)) return null
        putEmpty(tables, document)
        tables.putUnfinished.run({ documentId, claim, ...own, activeAt: Date.now() })
        return true
      })
      if (begun !== null) return begun
      await removeAbandoned()
      await sleep(waitForOtherMs)
    }
  }

  async function removeAbandoned(): Promise<void> {
    for (const row of await database.read(() => tables.unfinished.all())) {
      if (!(await isAbandoned(row))) continue
      const claim = randomUUID()
      const own = await currentProcess()
      const isTaken = await database.write(() => {
        if (tables.unfinishedOf.get(row.documentId)?.claim !== row.claim) return false
        tables.putUnfinished.run({ documentId: row.documentId, claim, ...own, activeAt: Date.now() })
        return true
      })
      if (isTaken) await removeClaimed(row.documentId, claim)
    }
  }

  /** Removes a document in batches, unless another process takes it over. */
  async function removeClaimed(documentId: string, claim: string): Promise<void> {
    let isLeft = true
    while (isLeft) isLeft = await database.write(() => removeSome(tables, documentId, claim))
  }

  return {
    removeAbandoned,
    async put({ record, from, batches }, source, repairing) {
      const write: Write = (work) => repairing(() => database.write(work))
      const { documentId } = record
      const claim = randomUUID()
      if (!(await begin({ record, ...(from && { from }), pages: [], passages: [] }, claim))) {
        await write(() => link(tables, source))
        return false
      }
      try {
        for await (const batch of batches) await write(() => addBatch(tables, documentId, claim, batch))
        await write(() => finish(tables, claim, source))
      } catch (error) {
        await removeClaimed(documentId, claim)
        throw error
      }
      return true
    },
  }
}

function finish(tables: LibraryTables, claim: string, source: SourceRecord): void {
  keepClaim(tables, source.documentId, claim)
  tables.removeUnfinished.run(source.documentId)
  link(tables, source)
}

function addBatch(tables: LibraryTables, documentId: string, claim: string, { pages, passages }: DocumentBatch): void {
  keepClaim(tables, documentId, claim)
  for (const piece of pages) tables.texts.put(documentId, piece)
  const document = tables.anyDocument.get(documentId) ?? { documentId, title: null, source: '' }
  for (const passage of passages) addPassageTerms(tables, putPassage(tables, passage), passage, document)
  tables.growDocument.run(pages.filter(({ start }) => start === 0).length, passages.length, documentId)
}

/** Stores the title in force already, so that the passages are not indexed again at the end. */
function putEmpty(tables: LibraryTables, document: NewDocument): void {
  const { record } = document
  const row = { ...record, pages: 0, passages: 0 }
  putRecord(tables, row)
  tables.run(putReader(document))
  const [title] = tables.run(metadataOf(record.documentId))?.title ?? []
  putRecord(tables, { ...row, title: title?.value ?? null })
}

/** Throws if another process has taken the document over, as it may when this one was suspended. */
function keepClaim(tables: LibraryTables, documentId: string, claim: string): void {
  if (tables.touchUnfinished.run({ documentId, claim, activeAt: Date.now() }).changes > 0) return
  throw new DocumentUnreadable('unreadable', 'Another process began to store it too. Add it again')
}

async function isAbandoned({ pid, startedAt, activeAt }: UnfinishedRow): Promise<boolean> {
  return Date.now() - activeAt > abandonedAfterMs || !(await isAlive({ pid, startedAt }))
}

/** True while there is more to remove. */
function removeSome(tables: LibraryTables, documentId: string, claim: string): boolean {
  if (tables.touchUnfinished.run({ documentId, claim, activeAt: Date.now() }).changes === 0) return false
  const first = tables.firstOrdinal.get(documentId)?.ordinal ?? null
  if (first !== null) {
    const before = first + mostAtOnce
    tables.terms.removeDocument(documentId, before)
    tables.removeSomePassages.run(documentId, before)
    return true
  }
  if (tables.removeSomePieces.run(documentId, piecesRemovedAtOnce).changes > 0) return true
  tables.removePages.run(documentId)
  tables.removeDocument.run(documentId)
  return false
}
