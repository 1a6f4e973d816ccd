import { indexForm } from '../../../library/language/terms.ts'
import { type DocumentsByTerm, fewestPassages } from '../../../library/port/passage-index.ts'
import { type DescriptionRow, headLength, mostNamedBy, nameOf } from '../../document-rows.ts'
import type { SqliteDatabase } from '../database/database.ts'
import type { PageTexts } from './page-texts.ts'
import { quoted } from './passage-terms.ts'

/** The full-text index over what names a document: title, organisation or authors, year, file name, head of page 1. */
export interface DocumentNames {
  /** True if every document is in the index under its present name. Call it inside `read`. */
  isCurrent(): boolean
  /** Indexes some documents that are new or have another name, and forgets removed ones. Call it inside `write`. */
  renewSome(): void
  /** The documents that a term names, for each term. Call it inside `read`. */
  of(terms: readonly string[]): DocumentsByTerm
  /** Drops the index. Call it inside `write`. */
  reset(): void
}

/** Documents indexed in one transaction. */
const mostAtOnce = 200

/**
 * Two tables that can be made again from the others at any time: they are created when first needed, so that a library of
 * an earlier version needs no migration, and an earlier version does not mind them.
 */
const schema = `
CREATE TABLE IF NOT EXISTS document_names (
  number INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL UNIQUE,
  stated TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS document_terms USING fts5(
  name, head,
  content = '', contentless_delete = 1, detail = full, tokenize = 'porter unicode61 remove_diacritics 2'
);
`

export function documentNames({ connection }: SqliteDatabase, texts: PageTexts): DocumentNames {
  let made: ReturnType<typeof prepare> | undefined
  const tables = () => {
    made ??= prepare(connection)
    return made
  }
  const isMade = () =>
    connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'document_terms'").get() !== undefined

  return {
    isCurrent: () => isMade() && !tables().stale.get(1) && !tables().removed.get(1),
    renewSome() {
      connection.exec(schema)
      const { stale, removed, put, index, forget, forgetTerms } = tables()
      for (const { number } of removed.all(mostAtOnce)) {
        forgetTerms.run(number)
        forget.run(number)
      }
      for (const row of stale.all(mostAtOnce)) {
        const number = put.get(row.documentId, row.stated)?.number
        const head = texts.window(row.documentId, 1, { start: 0, end: headLength })?.text.slice(0, headLength) ?? ''
        index.run(number, indexForm(nameOf(row)), indexForm(head))
      }
    },
    of(terms) {
      const { total, named, held } = tables()
      const documents = total.get()?.documents ?? 0
      const most = mostNamedBy(documents)
      const namedBy = (term: string) => {
        const found = named.all(quoted(term))
        return found.map(({ documentId, passages }) => {
          const count = found.length > most ? undefined : held.get(quoted(term), { documentId, passages })
          return { documentId, held: count?.held ?? 0 }
        })
      }
      return { documents, of: new Map(terms.map((term) => [term, namedBy(term)])) }
    },
    reset() {
      connection.exec('DROP TABLE IF EXISTS document_terms; DROP TABLE IF EXISTS document_names')
      made = undefined
    },
  }
}

interface StaleRow extends DescriptionRow {
  readonly stated: string
}

function prepare(connection: SqliteDatabase['connection']) {
  const own = `format <> 'web' AND documents.document_id NOT IN (SELECT document_id FROM unfinished_documents)`
  // The number changes with what `nameOf` makes of the others.
  const stated = `json_array(2, title, authors, year, source)`
  return {
    stale: connection.prepare<[number], StaleRow>(
      `SELECT document_id AS documentId, title, authors, year, source, ${stated} AS stated
       FROM documents LEFT JOIN document_names USING (document_id)
       WHERE ${own} AND document_names.stated IS NOT ${stated} LIMIT ?`,
    ),
    removed: connection.prepare<[number], { number: number }>(
      'SELECT number FROM document_names WHERE document_id NOT IN (SELECT document_id FROM documents) LIMIT ?',
    ),
    put: connection.prepare<[string, string], { number: number }>(
      `INSERT INTO document_names (document_id, stated) VALUES (?, ?)
       ON CONFLICT (document_id) DO UPDATE SET stated = excluded.stated RETURNING number`,
    ),
    index: connection.prepare('INSERT OR REPLACE INTO document_terms (rowid, name, head) VALUES (?, ?, ?)'),
    forget: connection.prepare('DELETE FROM document_names WHERE number = ?'),
    forgetTerms: connection.prepare('DELETE FROM document_terms WHERE rowid = ?'),
    total: connection.prepare<[], { documents: number }>('SELECT count(*) AS documents FROM document_names'),
    named: connection.prepare<[string], { documentId: string; passages: number }>(
      `SELECT document_id AS documentId, passages FROM document_terms
       JOIN document_names ON number = document_terms.rowid JOIN documents USING (document_id)
       WHERE document_terms MATCH ? AND passages >= ${fewestPassages} AND ${own}`,
    ),
    // A document's passages have numbers next to each other, but for those of others that were stored meanwhile.
    held: connection.prepare<[string, { documentId: string; passages: number }], { held: number }>(
      `SELECT count(*) AS held FROM passage_terms WHERE passage_terms MATCH ? AND rowid BETWEEN
         (SELECT number FROM passages WHERE document_id = @documentId AND ordinal = 0) AND
         (SELECT number FROM passages WHERE document_id = @documentId AND ordinal = @passages - 1)`,
    ),
  }
}
