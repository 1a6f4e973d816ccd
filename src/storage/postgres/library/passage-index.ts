import type { DocumentRecord, Passage } from '../../../library/port/document.ts'
import { piecesOf } from '../../../library/port/document.ts'
import type {
  IncomingDocument,
  MatchQuery,
  PassageIndex,
  PassageMatch,
  SourceRecord,
} from '../../../library/port/passage-index.ts'
import { documentOf, type LabelRow, printedPages, readPlaces, sourceOf, wholeText } from '../../document-rows.ts'
import { metadataOf } from '../../sql/document-metadata.ts'
import type { Sql } from '../database/connection.ts'
import type { PostgresDatabase } from '../database/database.ts'
import { runWork } from '../database/run-work.ts'
import { changeLibrary, inTurns, lockDocument, lockLibrary, noteChange } from './library-changes.ts'
import { damagedPages, leftOutOf, pageWindow, tablesOn, wholePage } from './page-texts.ts'
import { type PassageRow, passageColumns, passageOf } from './passage-rows.ts'
import { type PassageTerms, passageTerms } from './passage-terms.ts'
import {
  addBatch,
  allDocuments,
  beginDocument,
  documentRow,
  documentRows,
  forget,
  link,
  ownSources,
  restate,
  sourceRow,
  unlink,
} from './stored-documents.ts'

/**
 * Stores documents, pages and passages in tables, and the stems of each passage's words beside it. A document is stored
 * in one transaction, however large it is, so that nobody sees a part of it.
 */
export function postgresPassageIndex(database: PostgresDatabase): PassageIndex {
  const { sql } = database
  const terms = passageTerms(sql)
  const changing = <T>(work: (within: Sql) => Promise<T>) => changeLibrary(database, work)
  return {
    ...storing(database),
    ...reading(sql),
    linkSource: (source) => changing((within) => link(within, source)),
    unlinkSource: (source) => changing((within) => unlink(within, source)),
    override: (documentId, change) => changing((within) => restate(within, documentId, change)),
    remove: (documentId) => changing((within) => forget(within, documentId)),
    match: (query) => match(sql, terms, query),
    frequencies: (words) => terms.frequencies(words),
    namedBy: (words) => terms.namedBy(words),
  }
}

/** A document that arrives holds a connection until it is complete; the others are left for what reads. */
const arrivingAtOnce = 3

function storing(database: PostgresDatabase): Pick<PassageIndex, 'put' | 'putInBatches'> {
  const takingTurns = inTurns(arrivingAtOnce)
  return {
    put: (document, source) =>
      database.transaction(async (sql) => {
        const { pages, passages } = document
        const { documentId } = document.record
        await lockDocument(sql, documentId)
        const isNew = (await documentRow(sql, documentId)) === undefined
        await beginDocument(sql, document)
        await addBatch(sql, documentId, { pages: pages.flatMap((page) => [...piecesOf(page)]), passages })
        await lockLibrary(sql)
        await link(sql, source)
        await noteChange(sql)
        return isNew
      }),
    putInBatches: (document, source) =>
      takingTurns(() => database.transaction((sql) => storeBatches(sql, document, source), { once: true })),
  }
}

async function storeBatches(sql: Sql, document: IncomingDocument, source: SourceRecord): Promise<boolean> {
  const { record, from, batches } = document
  await lockDocument(sql, record.documentId)
  const isNew = (await documentRow(sql, record.documentId)) === undefined
  if (isNew) {
    await beginDocument(sql, { record, ...(from && { from }), pages: [], passages: [] })
    for await (const batch of batches) await addBatch(sql, record.documentId, batch)
  }
  await lockLibrary(sql)
  await link(sql, source)
  await noteChange(sql)
  return isNew
}

type Reading =
  | 'source'
  | 'sources'
  | 'metadata'
  | 'documents'
  | 'document'
  | 'page'
  | 'damaged'
  | 'leftOut'
  | 'places'
  | 'printedPages'
  | 'tables'
  | 'pageWindow'
  | 'passages'
  | 'passagesOf'
  | 'neighbours'

function reading(sql: Sql): Pick<PassageIndex, Reading> & Required<Pick<PassageIndex, 'damaged'>> {
  const passagesIn = async (query: string, values: Parameters<Sql['all']>[1]): Promise<Passage[]> =>
    (await sql.all<PassageRow>(query, values)).map(passageOf)
  return {
    source: async (source) => sourceOf(await sourceRow(sql, source)),
    sources: async () => (await ownSources(sql)).flatMap((row) => sourceOf(row) ?? []),
    metadata: (documentId) => runWork(sql, metadataOf(documentId)),
    documents: async (options) => (await allDocuments(sql, options)).map(documentOf),
    document: async (documentId) => {
      const row = await documentRow(sql, documentId)
      return row ? documentOf(row) : null
    },
    page: (documentId, page) => wholePage(sql, documentId, page),
    damaged: async () => [...new Set((await damagedPages(sql)).map(({ documentId }) => documentId))],
    printedPages: async (documentIds) =>
      printedPages(
        await sql.all<LabelRow>(
          `SELECT document_id AS "documentId", number, label FROM pages
           WHERE document_id = ANY($1::text[]) AND label IS NOT NULL ORDER BY number`,
          [documentIds],
        ),
      ),
    leftOut: (documentId) => leftOutOf(sql, documentId),
    places: async (documentId, page) => {
      const row = await sql.get<{ places: string | null }>(
        'SELECT places FROM pages WHERE document_id = $1 AND number = $2',
        [documentId, page],
      )
      return readPlaces(row?.places ?? null)
    },
    tables: (documentId, page, within = wholeText) => tablesOn(sql, documentId, page, within),
    pageWindow: (documentId, page, range) => pageWindow(sql, documentId, page, range),
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
  }
}

async function match(sql: Sql, terms: PassageTerms, query: MatchQuery): Promise<PassageMatch[]> {
  const found = await terms.match(query)
  const rows = await documentRows(sql, [...new Set(found.map(({ documentId }) => documentId))])
  const documents = new Map<string, DocumentRecord>(rows.map((row) => [row.documentId, documentOf(row)]))
  return found.flatMap(({ bm25, ...passage }) => {
    const document = documents.get(passage.documentId)
    return document ? [{ passage: passageOf(passage), document, bm25 }] : []
  })
}
