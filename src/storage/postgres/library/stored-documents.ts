import { DocumentNotFound } from '../../../errors.ts'
import { indexStems } from '../../../library/language/terms.ts'
import type { DocumentBatch, MetadataChange, NewDocument, Passage } from '../../../library/port/document.ts'
import type { DocumentsOptions, SourceRecord } from '../../../library/port/passage-index.ts'
import {
  type DocumentRow,
  descriptionOf,
  headLength,
  joined,
  nameOf,
  type SourceRow,
  titlesOf,
} from '../../document-rows.ts'
import { carryOver, forgetStatements, override, statedOf } from '../../sql/document-metadata.ts'
import { allStatements, readerMetadata } from '../../sql/metadata-statements.ts'
import type { Sql } from '../database/connection.ts'
import { runWork } from '../database/run-work.ts'
import { putPieces } from './page-texts.ts'
import { indexPassages } from './passage-terms.ts'

// Call all of this inside a transaction that holds the library's lock, but for the contents of a document that only
// this transaction sees yet.

const documentColumns = 'document_id AS "documentId", title, authors, year, source, format, pages, passages'
const documents = `SELECT ${documentColumns} FROM documents`

/** The person's documents by title, and pages of the web if asked for. */
export function allDocuments(sql: Sql, { includeWeb = false, limit, offset = 0 }: DocumentsOptions = {}) {
  // As SQLite orders them: without regard to the case of the letters a to z.
  const order = `lower(coalesce(title, source) COLLATE "C"), document_id COLLATE "C"`
  return sql.all<DocumentRow>(
    `${documents} WHERE format <> 'web' OR $1::boolean ORDER BY ${order} LIMIT $2 OFFSET $3`,
    [includeWeb, limit ?? null, offset],
  )
}

export function documentRow(sql: Sql, documentId: string): Promise<DocumentRow | undefined> {
  return sql.get<DocumentRow>(`${documents} WHERE document_id = $1`, [documentId])
}

export function documentRows(sql: Sql, documentIds: readonly string[]): Promise<readonly DocumentRow[]> {
  return sql.all<DocumentRow>(`${documents} WHERE document_id = ANY ($1)`, [documentIds])
}

const sources = `SELECT source, document_id AS "documentId", size, modified_ms AS "modifiedMs", location FROM sources`

export function sourceRow(sql: Sql, source: string): Promise<SourceRow | undefined> {
  return sql.get<SourceRow>(`${sources} WHERE source = $1`, [source])
}

/** The files of the person's documents, the oldest first. */
export function ownSources(sql: Sql): Promise<readonly SourceRow[]> {
  return sql.all<SourceRow>(
    `${sources} WHERE document_id IN (SELECT document_id FROM documents WHERE format <> 'web') ORDER BY number`,
  )
}

/** Stores a document without contents, in the place of what it held, under the title in force. */
export async function beginDocument(sql: Sql, document: NewDocument): Promise<void> {
  const { documentId, authors, year, source, format } = document.record
  const reader = readerMetadata(document)
  const [title] = allStatements(reader, (await runWork(sql, statedOf(documentId))) ?? {}).title
  const former = ['passages', 'page_pieces', 'pages'].map(
    (table) => `${table}_before AS (DELETE FROM ${table} WHERE document_id = $1)`,
  )
  await sql.run(
    `WITH ${former.join(', ')}
     INSERT INTO documents (document_id, title, authors, year, source, format, reader) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (document_id) DO UPDATE SET title = excluded.title, authors = excluded.authors, year = excluded.year,
       source = excluded.source, format = excluded.format, reader = excluded.reader`,
    [documentId, title?.value ?? null, JSON.stringify(authors), year, source, format, JSON.stringify(reader)],
  )
}

/** Stores some of a document's pages and passages. */
export async function addBatch(sql: Sql, documentId: string, { pages, passages }: DocumentBatch): Promise<void> {
  if (pages.length > 0) await putPieces(sql, documentId, pages)
  if (passages.length === 0) return
  const stored = await sql.all<FoundBy>(
    `WITH stored AS (
       INSERT INTO passages (passage_id, document_id, ordinal, page, section, sections, kind, start_at, end_at, text)
       SELECT id, $1, ordinal, page, section, sections, kind, start_at, end_at, text
       FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
         $10::text[])
         AS passage (id, ordinal, page, section, sections, kind, start_at, end_at, text) ORDER BY ordinal RETURNING *
     ) ${foundBy('stored')}`,
    [
      documentId,
      passages.map(({ passageId }) => passageId),
      passages.map(({ ordinal }) => ordinal),
      passages.map(({ page }) => page),
      passages.map(({ section }) => section),
      passages.map(({ sections }) => (sections ? JSON.stringify(sections) : null)),
      passages.map(({ kind }) => kind),
      passages.map(({ start }) => start),
      passages.map(({ end }) => end),
      passages.map(({ text }) => text),
    ],
  )
  await index(sql, documentId, stored)
}

/** Points a source at a document whose contents are stored. Throws `DocumentNotFound`. */
export async function link(sql: Sql, source: SourceRecord): Promise<void> {
  const { documentId, size, modifiedMs, location = null } = source
  const before = await sourceRow(sql, source.source)
  if (before && before.documentId !== documentId) {
    await runWork(sql, carryOver(before.documentId, documentId))
    await unlink(sql, before.source)
  }
  const linked = await sql.run(
    `INSERT INTO sources (source, document_id, size, modified_ms, location)
     SELECT $1, document_id, $3::bigint, $4::float8, $5 FROM documents WHERE document_id = $2
     ON CONFLICT (source) DO UPDATE SET size = excluded.size, modified_ms = excluded.modified_ms,
       location = excluded.location`,
    [source.source, documentId, size, modifiedMs, location],
  )
  if (linked === 0) throw new DocumentNotFound(`There is no document "${documentId}".`)
  await settle(sql, documentId)
}

/** True if this was the document's last source, so that it was removed; until then one of the others names it. */
export async function unlink(sql: Sql, source: string): Promise<boolean> {
  const row = await sourceRow(sql, source)
  if (!row) return false
  await sql.run('DELETE FROM sources WHERE source = $1', [source])
  if ((await sourcesOf(sql, row.documentId)).length === 0) return await removeDocument(sql, row.documentId)
  await settle(sql, row.documentId)
  return false
}

/** Changes what is stated of a document of the person's own; false if there is none. */
export async function restate(sql: Sql, documentId: string, change: MetadataChange): Promise<boolean> {
  const format = (await documentRow(sql, documentId))?.format
  if (!format || format === 'web') return false
  await runWork(sql, override(documentId, change))
  await settle(sql, documentId)
  return true
}

/** Removes a document with what was stated of it; false if it was not there. */
export async function forget(sql: Sql, documentId: string): Promise<boolean> {
  await runWork(sql, forgetStatements(documentId))
  return await removeDocument(sql, documentId)
}

async function removeDocument(sql: Sql, documentId: string): Promise<boolean> {
  return (await sql.run('DELETE FROM documents WHERE document_id = $1', [documentId])) > 0
}

async function sourcesOf(sql: Sql, documentId: string): Promise<readonly string[]> {
  const rows = await sql.all<SourceRow>(`${sources} WHERE document_id = $1 ORDER BY number`, [documentId])
  return rows.map(({ source }) => source)
}

interface SettledRow extends DocumentRow {
  /** JSON. */
  readonly reader: string
  readonly stated: string | null
  /** The paths of its files, the oldest first. */
  readonly files: readonly string[]
  /** Of page 1. */
  readonly opening: string | null
}

/**
 * Updates a document's title, authors, year, path and name from all statements, and what is counted of its contents; its
 * passages are found by a new title.
 */
async function settle(sql: Sql, documentId: string): Promise<void> {
  const row = await sql.get<SettledRow>(
    `SELECT ${documentColumns}, reader, stated,
       (SELECT coalesce(json_agg(source ORDER BY number), '[]') FROM sources WHERE document_id = $1) AS files,
       (SELECT string_agg(text, '' ORDER BY start_at) FROM page_pieces
        WHERE document_id = $1 AND page = 1 AND start_at < ${headLength}) AS opening
     FROM documents LEFT JOIN overrides USING (document_id) WHERE document_id = $1`,
    [documentId],
  )
  if (!row) return
  const metadata = allStatements(JSON.parse(row.reader), JSON.parse(row.stated ?? '{}'))
  const isWeb = row.format === 'web'
  const now = isWeb ? row : descriptionOf(row, metadata, row.files)
  const names = isWeb ? [] : indexStems(joined(nameOf(now), row.opening?.slice(0, headLength) ?? null))
  const store = () =>
    sql.run(
      `UPDATE documents SET title = $2, authors = $3, year = $4, source = $5, names = $6::text[],
         pages = (SELECT count(*) FROM pages WHERE document_id = $1),
         passages = (SELECT count(*) FROM passages WHERE document_id = $1),
         tokens = (SELECT coalesce(sum(tokens), 0) FROM passage_terms WHERE document_id = $1) WHERE document_id = $1`,
      [documentId, now.title, now.authors, now.year, now.source, [...new Set(names)]],
    )
  await store()
  if (titlesOf(row) === titlesOf(now)) return
  await indexAgain(sql, documentId)
  await store()
}

/** Passages read and indexed in one statement. */
const indexedAtOnce = 500

async function indexAgain(sql: Sql, documentId: string): Promise<void> {
  let rows: readonly FoundBy[] = []
  let from = 0
  do {
    rows = await sql.all<FoundBy>(
      `${foundBy('passages')} AND passages.document_id = $1 AND ordinal >= $2 ORDER BY ordinal LIMIT ${indexedAtOnce}`,
      [documentId, from],
    )
    await index(sql, documentId, rows)
    from = (rows.at(-1)?.ordinal ?? from) + 1
  } while (rows.length === indexedAtOnce)
}

/** What a passage is found by. */
interface FoundBy extends Pick<Passage, 'ordinal' | 'section' | 'text'>, Pick<DocumentRow, 'title' | 'source'> {
  readonly number: number
  readonly header: string | null
}

/** Of the rows of a table of passages; pages of the web are not searched. */
const foundBy = (table: string) => `
  SELECT passages.number, ordinal, section, text, header, title, source FROM ${table} AS passages
  JOIN pages ON pages.document_id = passages.document_id AND pages.number = page
  JOIN documents ON documents.document_id = passages.document_id WHERE format <> 'web'`

async function index(sql: Sql, documentId: string, rows: readonly FoundBy[]): Promise<void> {
  if (rows.length === 0) return
  const passages = rows.map(({ number, text, section, header, ...document }) => {
    return { number, title: titlesOf(document), section: joined(section, header), text }
  })
  await indexPassages(sql, documentId, passages)
}
