import {
  type DocumentRecord,
  type IncomingDocument,
  type MatchQuery,
  type Passage,
  type PassageIndex,
  type PassageMatch,
  piecesOf,
  type SourceRecord,
} from '../../../library/index.ts'
import { documentOf, wholeText } from '../../document-rows.ts'
import { DocumentTable, documentReads } from '../../sql/documents.ts'
import { all, first, type Statement, type Work } from '../../sql/work.ts'
import { runWork, type Sql } from '../database/connection.ts'
import type { PostgresDatabase } from '../database/database.ts'
import { dialect } from '../database/dialect.ts'
import { addBatch, beginDocument, contents } from './contents.ts'
import {
  damagedPages,
  type PassageRow,
  pageWindow,
  passageColumns,
  passageOf,
  tablesOn,
  wholePage,
} from './page-texts.ts'
import { PassageTerms } from './passage-terms.ts'

const { library } = dialect
const documents = new DocumentTable(dialect, contents)

/**
 * Stores documents, pages and passages in tables, and the stems of each passage's words beside it. A document is stored
 * in one transaction, however large it is, so that nobody sees a part of it.
 */
export function postgresPassageIndex(database: PostgresDatabase): PassageIndex {
  const { sql } = database
  const terms = new PassageTerms(sql)
  const { aside } = database.place
  const changing = <T>(work: () => Work<T>) => aside(() => changed(work))
  return {
    ...storing(database),
    ...documentReads(database.place, dialect, documents),
    ...contentReads(database),
    linkSource: (source) => changing(() => documents.link(source)),
    unlinkSource: (source) => changing(() => documents.unlink(source)),
    override: (documentId, change) => changing(() => documents.restate(documentId, change)),
    tag: (documentIds, change) => changing(() => documents.tag(documentIds, change)),
    remove: (documentId) => changing(() => documents.forget(documentId)),
    match: (query) => match(sql, terms, query),
    frequencies: (words) => terms.frequencies(words),
    namedBy: (words) => terms.namedBy(words),
  }
}

/** Changes documents and sources. */
function* changed<T>(work: () => Work<T>): Work<T> {
  yield* lockLibrary()
  const result = yield* work()
  yield* library.changed()
  return result
}

/** Two that store the same document take turns. Take it before the library's lock. */
function lockDocument(documentId: string): Work<unknown> {
  return lock(`document ${documentId}`)
}

/**
 * Alone among those that change documents and sources. Who stores a document takes the lock at the end only, since its
 * contents may take long to arrive.
 */
function lockLibrary(): Work<unknown> {
  return lock('library')
}

/** Until the end of the transaction. */
function lock(name: string): Work<unknown> {
  return first('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}

/** A document that arrives holds a connection until it is complete; the others are left for what reads. */
const arrivingAtOnce = 3

function storing(database: PostgresDatabase): Pick<PassageIndex, 'put' | 'putInBatches'> {
  const takingTurns = inTurns(arrivingAtOnce)
  return {
    put: (document, source) =>
      database.place.aside(function* () {
        const { pages, passages } = document
        const { documentId } = document.record
        yield* lockDocument(documentId)
        const isNew = (yield* documents.document(documentId)) === undefined
        yield* beginDocument(document, { isNew })
        yield* addBatch(documentId, { pages: pages.flatMap((page) => [...piecesOf(page)]), passages })
        yield* changed(() => documents.link(source))
        return isNew
      }),
    putInBatches: (document, source) =>
      takingTurns(() => database.transaction((sql) => storeBatches(sql, document, source), { once: true })),
  }
}

async function storeBatches(sql: Sql, document: IncomingDocument, source: SourceRecord): Promise<boolean> {
  const { record, from, batches } = document
  await runWork(sql, lockDocument(record.documentId))
  const isNew = (await runWork(sql, documents.document(record.documentId))) === undefined
  if (isNew) {
    await runWork(sql, beginDocument({ record, ...(from && { from }), pages: [], passages: [] }, { isNew }))
    for await (const batch of batches) await runWork(sql, addBatch(record.documentId, batch))
  }
  await runWork(
    sql,
    changed(() => documents.link(source)),
  )
  return isNew
}

/** Contents that are stored as they are read: the text of passages, and pages in pieces. */
function contentReads(database: PostgresDatabase) {
  const { read } = database.place
  const passagesIn = async (query: string, values: Statement['values']): Promise<Passage[]> =>
    (await read(() => all<PassageRow>(query, values))).map(passageOf)
  return {
    page: (documentId, page) => read(() => wholePage(documentId, page)),
    damaged: async () => [...new Set((await read(damagedPages)).map(({ documentId }) => documentId))],
    tables: (documentId, page, within = wholeText) => read(() => tablesOn(documentId, page, within)),
    pageWindow: (documentId, page, range) => read(() => pageWindow(documentId, page, range)),
    passages: (passageIds) =>
      passagesIn(
        `SELECT ${passageColumns} FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place)
         JOIN passages ON passage_id = id ORDER BY place`,
        [passageIds],
      ),
    passagesOf: (documentId, page) =>
      passagesIn(
        `SELECT ${passageColumns} FROM passages WHERE document_id = $1 AND ($2::bigint IS NULL OR page = $2) ORDER BY ordinal`,
        [documentId, page ?? null],
      ),
    neighbours: (passageId, { before, after }) =>
      passagesIn(
        `WITH found AS (SELECT document_id AS document, ordinal AS place FROM passages WHERE passage_id = $1)
         SELECT ${passageColumns} FROM passages
         JOIN found ON document_id = document AND ordinal BETWEEN place - $2 AND place + $3 ORDER BY ordinal`,
        [passageId, before, after],
      ),
  } satisfies Partial<PassageIndex>
}

async function match(sql: Sql, terms: PassageTerms, query: MatchQuery): Promise<PassageMatch[]> {
  const found = await terms.match(query)
  const rows = await runWork(sql, documents.documentsOf([...new Set(found.map(({ documentId }) => documentId))]))
  const byId = new Map<string, DocumentRecord>(rows.map((row) => [row.documentId, documentOf(row)]))
  return found.flatMap(({ bm25, ...passage }) => {
    const document = byId.get(passage.documentId)
    return document ? [{ passage: passageOf(passage), document, bm25 }] : []
  })
}

/** Lets only so many works go on at once; the others wait in the order in which they came. */
function inTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = atOnce
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
