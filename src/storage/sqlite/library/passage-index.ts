import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { DocumentRecord, Passage } from '../../../library/port/document.ts'
import type { MatchQuery, PassageIndex, PassageMatch } from '../../../library/port/passage-index.ts'
import { documentOf, sourceOf, wholeText } from '../../document-rows.ts'
import { forgetStatements, metadataOf, override } from '../../sql/document-metadata.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { isDamage } from '../database/failure.ts'
import { type DocumentNames, documentNames } from './document-names.ts'
import { type IncomingDocuments, incomingDocuments } from './incoming-documents.ts'
import { type LibraryTables, libraryTables } from './library-tables.ts'
import { damagedPages } from './page-checks.ts'
import { passageReader } from './page-texts.ts'
import { indexSome, link, mostAtOnce, put, removeDocument, renewSome, settle, unlink } from './stored-documents.ts'

/**
 * Stores documents, pages and passages in tables, and the words of passages in a full-text index without the text.
 * Pages fetched from the web are stored, so that quotes can be checked, but not indexed.
 */
export function sqlitePassageIndex(database: SqliteDatabase): PassageIndex {
  const tables = libraryTables(database)
  const { terms, texts } = tables
  const incoming = incomingDocuments(database, tables)
  const names = documentNames(database, texts)
  const { repairing, current, completing, changing } = maintenance(database, tables, { incoming, names })
  return {
    put: (document, source) => changing(() => put(tables, document, source)),
    putInBatches: (document, source) => completing(() => incoming.put(document, source, repairing)),
    source: (source) => database.read(() => sourceOf(tables.source.get(source))),
    linkSource: (source) => changing(() => link(tables, source)),
    sources: () => database.read(() => tables.sources.all().flatMap((row) => sourceOf(row) ?? [])),
    unlinkSource: (source) => changing(() => unlink(tables, source)),
    metadata: (documentId) => database.read(() => tables.run(metadataOf(documentId))),
    override: (documentId, change) =>
      changing(() => {
        const format = tables.document.get(documentId)?.format
        if (!format || format === 'web') return false
        tables.run(override(documentId, change))
        settle(tables, documentId)
        return true
      }),
    remove: (documentId) =>
      changing(() => {
        tables.run(forgetStatements(documentId))
        return removeDocument(tables, documentId)
      }),
    documents: ({ includeWeb = false, limit = -1, offset = 0 } = {}) =>
      database.read(() => tables.documents.all(includeWeb ? 1 : 0, limit, offset).map(documentOf)),
    document: (documentId) => database.read(() => documentReader(tables)(documentId)),
    page: (documentId, page) =>
      database.read(() => (isThere(tables, documentId) ? texts.whole(documentId, page) : null)),
    damaged: () => database.read(() => [...new Set(damagedPages(database).map(({ documentId }) => documentId))]),
    printedPages: (documentIds) => database.read(() => texts.printed(documentIds)),
    leftOut: (documentId) => database.read(() => texts.leftOut(documentId)),
    places: (documentId, page) => database.read(() => texts.places(documentId, page)),
    tables: (documentId, page, within = wholeText) => database.read(() => texts.tables(documentId, page, within)),
    pageWindow: (documentId, page, range) =>
      database.read(() => (isThere(tables, documentId) ? texts.window(documentId, page, range) : null)),
    passages: (passageIds) =>
      database.read(() => passageIds.flatMap((id) => tables.passage.get(id) ?? []).map(passageReader(texts))),
    passagesOf: (documentId, page) => passagesOf(database, tables, documentId, page),
    neighbours: (passageId, reach) =>
      database.read(() => tables.neighbours.all({ passageId, ...reach }).map(passageReader(texts))),
    match: (query) => repairing(() => current(() => database.read(() => match(tables, query)))),
    frequencies: (words) => repairing(() => current(() => database.read(() => terms.frequencies(words)))),
    namedBy: (words) =>
      repairing(async () => {
        while (!(await database.read(names.isCurrent))) await database.write(names.renewSome)
        return database.read(() => names.of(words))
      }),
  }
}

/** The work around reads and changes of the index. */
function maintenance(
  database: SqliteDatabase,
  tables: LibraryTables,
  { incoming, names }: { readonly incoming: IncomingDocuments; readonly names: DocumentNames },
) {
  const { terms } = tables

  async function repairing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error) || !isDamage(error.cause)) throw error
      await database.write(() => {
        terms.reset()
        names.reset()
      })
      return await work()
    }
  }

  /** Renews the index of an earlier version before the work. */
  async function current<T>(work: () => Promise<T>): Promise<T> {
    if (!(await database.read(terms.isCurrent))) {
      await inBatches((place) => renewSome(tables, place), { form: terms.form(), after: 0 })
    }
    return await work()
  }

  async function completing<T>(work: () => Promise<T>): Promise<T> {
    const result = await work()
    for (const documentId of tables.retitled) {
      // First, so that a change of the title meanwhile is not lost.
      tables.retitled.delete(documentId)
      await repairing(() => inBatches((after) => indexSome(tables, documentId, { after, limit: mostAtOnce }), -1))
    }
    await incoming.removeAbandoned()
    return result
  }

  const changing = <T>(work: () => T): Promise<T> => completing(() => repairing(() => database.write(work)))

  /** One transaction for each batch, until there is no more. */
  async function inBatches<Place>(some: (from: Place) => Place | null, first: Place): Promise<void> {
    let place: Place | null = first
    while (place !== null) {
      const from: Place = place
      place = await database.write(() => some(from))
    }
  }

  return { repairing, current, completing, changing }
}

const passagesAtOnce = 500

/** Reads a long document in parts, between which the event loop turns. */
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
