import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { DocumentRecord, Passage } from '../../../library/port/document.ts'
import type { MatchQuery, PassageIndex, PassageMatch } from '../../../library/port/passage-index.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { isDamage } from '../database/failure.ts'
import { incomingDocuments } from './incoming-documents.ts'
import { documentOf, sourceOf } from './library-rows.ts'
import { type LibraryTables, libraryTables } from './library-tables.ts'
import { passageReader } from './page-texts.ts'
import { link, put, rebuild, removeDocument, renew, settle, unlink } from './stored-documents.ts'

/**
 * Keeps documents, pages and passages in tables, and the words of passages in a full-text index that holds no text of
 * its own. Pages fetched from the web are kept, so that quotes can be checked, but not indexed.
 */
export function sqlitePassageIndex(database: SqliteDatabase): PassageIndex {
  const tables = libraryTables(database)
  const { terms, texts } = tables
  const incoming = incomingDocuments(database, tables)

  /** Makes the index anew from the tables when it turns out to be damaged, then tries once more. */
  async function repairing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error) || !isDamage(error.cause)) throw error
      await database.write(() => rebuild(tables))
      return await work()
    }
  }

  /** Does the work once all words in the index are as this version of the program makes them. */
  async function current<T>(work: () => Promise<T>): Promise<T> {
    const { isCurrent } = terms
    if (!(await database.read(isCurrent))) await database.write(() => isCurrent() || renew(tables))
    return await work()
  }

  /** Does the work, then removes in batches what it has hidden. */
  async function removing<T>(work: () => T): Promise<T> {
    const result = await repairing(() => database.write(work))
    await incoming.removeAbandoned()
    return result
  }

  return {
    put: (document, source) => removing(() => put(tables, document, source)),
    putInBatches: (document, source) => incoming.put(document, source, repairing),
    source: (source) => database.read(() => sourceOf(tables.source.get(source))),
    linkSource: (source) => removing(() => link(tables, source)),
    sources: () => database.read(() => tables.sources.all().flatMap((row) => sourceOf(row) ?? [])),
    unlinkSource: (source) => removing(() => unlink(tables, source)),
    failure: async (source) => (await database.read(() => tables.failure.get(source))) ?? null,
    putFailure: (failure) => database.write(() => void tables.putFailure.run(failure)),
    metadata: (documentId) => database.read(() => tables.metadata.of(documentId)),
    override: (documentId, change) =>
      repairing(() =>
        database.write(() => {
          const format = tables.document.get(documentId)?.format
          if (!format || format === 'web') return false
          tables.metadata.override(documentId, change)
          settle(tables, documentId)
          return true
        }),
      ),
    remove: (documentId) =>
      removing(() => {
        tables.metadata.forget(documentId)
        return removeDocument(tables, documentId)
      }),
    documents: ({ includeWeb = false } = {}) =>
      database.read(() => tables.documents.all(includeWeb ? 1 : 0).map(documentOf)),
    document: (documentId) => database.read(() => documentReader(tables)(documentId)),
    page: (documentId, page) =>
      database.read(() => (isThere(tables, documentId) ? texts.whole(documentId, page) : null)),
    pageWindow: (documentId, page, range) =>
      database.read(() => (isThere(tables, documentId) ? texts.window(documentId, page, range) : null)),
    passages: (passageIds) =>
      database.read(() => passageIds.flatMap((id) => tables.passage.get(id) ?? []).map(passageReader(texts))),
    passagesOf: (documentId, page) => passagesOf(database, tables, documentId, page),
    neighbours: (passageId, reach) =>
      database.read(() => tables.neighbours.all({ passageId, ...reach }).map(passageReader(texts))),
    match: (query) => repairing(() => current(() => database.read(() => match(tables, query)))),
    frequencies: (words) => repairing(() => current(() => database.read(() => terms.frequencies(words)))),
  }
}

const passagesAtOnce = 500

/** The event loop turns while the passages of a long document are read. */
async function passagesOf(
  database: SqliteDatabase,
  tables: LibraryTables,
  documentId: string,
  page: number | undefined,
): Promise<Passage[]> {
  const found: Passage[] = []
  const read = passageReader(tables.texts)
  for (;;) {
    const after = found.at(-1)?.ordinal ?? -1
    const place = { documentId, page: page ?? null, after, limit: passagesAtOnce }
    const some = await database.read(() => tables.passagesOf.all(place).map(read))
    found.push(...some)
    if (some.length < passagesAtOnce) return found
    await turnOfTheLoop()
  }
}

function isThere(tables: LibraryTables, documentId: string): boolean {
  return tables.document.get(documentId) !== undefined
}

function match(tables: LibraryTables, query: MatchQuery): PassageMatch[] {
  const read = passageReader(tables.texts)
  const documents = new Map<string, DocumentRecord | null>()
  return tables.terms.match(query).flatMap(({ number, bm25 }) => {
    const row = tables.passageAt.get(number)
    if (!row) return []
    const document = documents.get(row.documentId) ?? documentReader(tables)(row.documentId)
    documents.set(row.documentId, document)
    return document ? [{ passage: read(row), document, bm25 }] : []
  })
}

const documentReader = (tables: LibraryTables) => (documentId: string) => {
  const row = tables.document.get(documentId)
  return row ? documentOf(row) : null
}
