import { DocumentNotFound } from '../../errors.ts'
import {
  changedTags,
  type DocumentMetadata,
  type DocumentsOptions,
  type MetadataChange,
  type NewDocument,
  type PageLeftOut,
  type PassageIndex,
  type PrintedPage,
  printedNumber,
  type RecognisedPage,
  type SourceRecord,
  type TagChange,
  type TextPlace,
} from '../../library/index.ts'
import { type DescriptionRow, type DocumentRow, documentOf } from '../document-rows.ts'
import { type Dialect, idList, idsIn } from './dialect.ts'
import {
  allStatements,
  carryOver,
  metadataOf,
  override,
  readerMetadata,
  statedOf,
  taggedWith,
} from './document-metadata.ts'
import { all, first, type Work, type Workplace } from './work.ts'

/** What a storage keeps of a document besides its record, in its own way. */
export interface DocumentContents {
  /** Keeps what a document and its passages are found by in step with its record. */
  described(before: DocumentRow, now: DescriptionRow, options: { readonly isNew: boolean }): Work<void>
  /** Removes a document with its contents and sources; false if it was not there. */
  remove(documentId: string): Work<boolean>
}

const documentColumns = `document_id AS "documentId", title, authors, year, source, format, pages, passages, tags,
  added_at AS "addedAt", (SELECT stated FROM overrides WHERE overrides.document_id = documents.document_id) AS stated`
const sources = `SELECT source, document_id AS "documentId", size, modified_ms AS "modifiedMs", location FROM sources`

/** The tables `documents` and `sources`. Documents that are not complete yet are not seen. */
export class DocumentTable {
  readonly #dialect: Dialect
  readonly #contents: DocumentContents
  readonly #documents: string

  constructor(dialect: Dialect, contents: DocumentContents) {
    this.#dialect = dialect
    this.#contents = contents
    this.#documents = `SELECT ${documentColumns} FROM documents WHERE ${dialect.library.complete}`
  }

  /** The person's documents by title, and pages of the web if asked for. */
  list({ includeWeb = false, limit, offset = 0 }: DocumentsOptions = {}): Work<readonly DocumentRow[]> {
    return all<DocumentRow>(
      `${this.#documents} AND (format <> 'web' OR $1) ORDER BY ${this.#dialect.library.order}
       LIMIT coalesce($2, 9223372036854775807) OFFSET $3`,
      [includeWeb, limit ?? null, offset],
    )
  }

  document(documentId: string): Work<DocumentRow | undefined> {
    return first<DocumentRow>(`${this.#documents} AND document_id = $1`, [documentId])
  }

  documentsOf(documentIds: readonly string[]): Work<readonly DocumentRow[]> {
    return all<DocumentRow>(`${this.#documents} AND document_id IN ${idsIn(this.#dialect, '$1')}`, [
      idList(documentIds),
    ])
  }

  source(source: string): Work<SourceRow | undefined> {
    return first<SourceRow>(`${sources} WHERE source = $1`, [source])
  }

  /** The files of the person's documents, the oldest first. */
  sources(): Work<readonly SourceRow[]> {
    return all<SourceRow>(
      `${sources} WHERE document_id IN (SELECT document_id FROM documents WHERE format <> 'web') ORDER BY number`,
    )
  }

  /** Points a source at a document whose contents are stored. Throws `DocumentNotFound`. */
  *link(source: SourceRecord, { isNew = false } = {}): Work<void> {
    const { documentId, size, modifiedMs, location = null } = source
    const document = yield* this.document(documentId)
    if (!document) throw new DocumentNotFound(`There is no document "${documentId}".`)
    const before = yield* this.source(source.source)
    if (before && before.documentId !== documentId) {
      yield* carryOver(before.documentId, documentId)
      yield* this.unlink(before.source)
    }
    yield* all(
      `INSERT INTO sources (source, document_id, size, modified_ms, location) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (source) DO UPDATE SET document_id = excluded.document_id, size = excluded.size,
         modified_ms = excluded.modified_ms, location = excluded.location`,
      [source.source, documentId, size, modifiedMs, location],
    )
    yield* this.#settle(document, { isNew })
  }

  /** True if this was the document's last source, so that it was removed; until then one of the others names it. */
  *unlink(source: string): Work<boolean> {
    const row = yield* this.source(source)
    if (!row) return false
    yield* all('DELETE FROM sources WHERE source = $1', [source])
    if ((yield* this.#sourcesOf(row.documentId)).length === 0) return yield* this.#contents.remove(row.documentId)
    const document = yield* this.document(row.documentId)
    if (document) yield* this.#settle(document)
    return false
  }

  /** Changes what is stated of a document of the person's own; false if there is none. */
  *restate(documentId: string, change: MetadataChange): Work<boolean> {
    const document = yield* this.document(documentId)
    if (!document || document.format === 'web') return false
    yield* override(documentId, change)
    yield* this.#settle(document)
    return true
  }

  /** Changes the tags of documents, also of those that are still to be stored: they have them from the beginning. */
  *tag(documentIds: readonly string[], change: TagChange): Work<void> {
    for (const documentId of documentIds) {
      const tags = changedTags((yield* statedOf(documentId))?.tags ?? [], change)
      yield* override(documentId, { tags: tags.length > 0 ? tags : null })
      yield* all(`UPDATE documents SET tags = $2 WHERE document_id = $1 AND format <> 'web'`, [
        documentId,
        JSON.stringify(tags),
      ])
    }
  }

  /**
   * Removes a document with what was stated of it, but its tags, by which a server decides who may read what was quoted of
   * it; false if it was not there.
   */
  *forget(documentId: string): Work<boolean> {
    yield* override(documentId, { title: null, authors: null, year: null, reference: null })
    return yield* this.#contents.remove(documentId)
  }

  /** Updates a document's title, authors, year and path from all statements. */
  *#settle(row: DocumentRow, { isNew = false } = {}): Work<void> {
    const { documentId } = row
    const metadata = row.format === 'web' ? null : yield* metadataOf(documentId)
    const now = metadata ? descriptionOf(row, metadata, yield* this.#sourcesOf(documentId)) : row
    const { tags = [] } = (yield* statedOf(documentId)) ?? {}
    yield* all(
      'UPDATE documents SET title = $2, authors = $3, year = $4, source = $5, tags = $6 WHERE document_id = $1',
      [documentId, now.title, now.authors, now.year, now.source, JSON.stringify(tags)],
    )
    yield* this.#contents.described(row, now, { isNew })
  }

  *#sourcesOf(documentId: string): Work<readonly string[]> {
    const rows = yield* all<SourceRow>(`${sources} WHERE document_id = $1 ORDER BY number`, [documentId])
    return rows.map(({ source }) => source)
  }
}

/** Stores a document's record without contents, or replaces it, with the title in force and what the reader found. */
export function* putRecord(document: NewDocument): Work<void> {
  const { documentId, authors, year, source, format, addedAt = new Date().toISOString() } = document.record
  const reader = readerMetadata(document)
  const [title] = allStatements(reader, (yield* statedOf(documentId)) ?? {}).title
  yield* all(
    `INSERT INTO documents (document_id, title, authors, year, source, format, reader, added_at, pages, passages)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0)
     ON CONFLICT (document_id) DO UPDATE SET title = excluded.title, authors = excluded.authors, year = excluded.year,
       source = excluded.source, format = excluded.format, reader = excluded.reader, pages = 0, passages = 0`,
    [documentId, title?.value ?? null, JSON.stringify(authors), year, source, format, JSON.stringify(reader), addedAt],
  )
}

/** What every storage reads of documents in the same way. */
export function documentReads({ read }: Workplace, dialect: Dialect, table: DocumentTable) {
  return {
    source: async (source) => sourceOf(await read(() => table.source(source))),
    sources: async () => (await read(() => table.sources())).flatMap((row) => sourceOf(row) ?? []),
    metadata: (documentId) => read(() => metadataOf(documentId)),
    tagged: (tags) => read(() => taggedWith(tags)),
    documents: async (options) => (await read(() => table.list(options))).map(documentOf),
    document: async (documentId) => {
      const row = await read(() => table.document(documentId))
      return row ? documentOf(row) : null
    },
    printedPages: (documentIds) => read(() => printedOf(dialect, documentIds)),
    leftOut: (documentId) => read(() => leftOutOf(documentId)),
    recognised: (documentId, page) => read(() => recognisedOf(documentId, page)),
    places: (documentId, page) => read(() => placesOf(documentId, page)),
  } satisfies Partial<PassageIndex>
}

/** The pages whose printed number is another. */
function* printedOf(dialect: Dialect, documentIds: readonly string[]): Work<readonly PrintedPage[]> {
  const rows = yield* all<{ documentId: string; page: number; label: string }>(
    `SELECT document_id AS "documentId", number AS page, label FROM pages
     WHERE document_id IN ${idsIn(dialect, '$1')} AND label IS NOT NULL ORDER BY number`,
    [idList(documentIds)],
  )
  return rows.flatMap(({ documentId, page, label }) => {
    const printed = printedNumber(page, label)
    return printed === null ? [] : [{ documentId, page, printed }]
  })
}

/** What of a document stands in no passage; null if an earlier version stored it. */
function* leftOutOf(documentId: string): Work<readonly PageLeftOut[] | null> {
  const rows = yield* all<{ page: number; leftOut: string | null }>(
    'SELECT number AS page, left_out AS "leftOut" FROM pages WHERE document_id = $1 ORDER BY number',
    [documentId],
  )
  if (rows.some(({ leftOut }) => leftOut === null)) return null
  return rows.flatMap(({ page, leftOut }) =>
    JSON.parse(leftOut ?? '[]').map((entry: Omit<PageLeftOut, 'page'>) => ({ page, ...entry })),
  )
}

/** The pages whose text was recognised in a picture. */
function recognisedOf(documentId: string, page: number | null = null): Work<readonly RecognisedPage[]> {
  return all<RecognisedPage>(
    `SELECT number AS page, confidence FROM pages
     WHERE document_id = $1 AND number = coalesce($2, number) AND confidence IS NOT NULL ORDER BY number`,
    [documentId, page],
  )
}

/** Where the stretches of a page's text are printed. */
function* placesOf(documentId: string, page: number): Work<readonly TextPlace[]> {
  const row = yield* first<{ places: string | null }>(
    'SELECT places FROM pages WHERE document_id = $1 AND number = $2',
    [documentId, page],
  )
  return JSON.parse(row?.places ?? '[]')
}

/** A row of the table `sources`. */
interface SourceRow extends Pick<SourceRecord, 'source' | 'documentId' | 'size' | 'modifiedMs'> {
  readonly location: string | null
}

function sourceOf(row: SourceRow | undefined): SourceRecord | null {
  if (!row) return null
  const { location, ...record } = row
  return { ...record, ...(location !== null && { location }) }
}

/** `sources` are the paths of its files, the oldest first. */
function descriptionOf(row: DocumentRow, metadata: DocumentMetadata, sources: readonly string[]): DescriptionRow {
  return {
    documentId: row.documentId,
    title: metadata.title[0]?.value ?? null,
    authors: JSON.stringify(metadata.authors[0]?.value ?? []),
    year: metadata.year[0]?.value ?? null,
    source: sources.includes(row.source) ? row.source : (sources[0] ?? row.source),
  }
}
