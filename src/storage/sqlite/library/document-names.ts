import { type DocumentsByTerm, fewestPassages, indexForm, type NamedDocument } from '../../../library/index.ts'
import { type DescriptionRow, headLength, mostNamedBy, nameOf } from '../../document-rows.ts'
import { all, first, type Work } from '../../sql/work.ts'
import { pageWindow } from './page-texts.ts'
import { quoted } from './passage-terms.ts'

// The full-text index over what names a document: title, organisation or authors, year, file name, head of page 1.

/** Documents indexed in one transaction. */
const mostAtOnce = 200

/**
 * Two tables that can be made again from the others at any time: they are created when first needed, so that a library of
 * an earlier version needs no migration, and an earlier version does not mind them.
 */
const schema = [
  `CREATE TABLE IF NOT EXISTS document_names (
     number INTEGER PRIMARY KEY, document_id TEXT NOT NULL UNIQUE, stated TEXT NOT NULL
   ) STRICT`,
  `CREATE VIRTUAL TABLE IF NOT EXISTS document_terms USING fts5(
     name, head,
     content = '', contentless_delete = 1, detail = full, tokenize = 'porter unicode61 remove_diacritics 2'
   )`,
]

const own = `format <> 'web' AND documents.document_id NOT IN (SELECT document_id FROM unfinished_documents)`
// The number changes with what `nameOf` makes of the others.
const stated = 'json_array(2, title, authors, year, source)'

interface StaleRow extends DescriptionRow {
  readonly stated: string
}

/** True if every document is in the index under its present name. */
export function* namesAreCurrent(): Work<boolean> {
  const isMade = (yield* first("SELECT 1 AS one FROM sqlite_schema WHERE name = 'document_terms'")) !== undefined
  return isMade && (yield* stale(1)).length === 0 && (yield* removed(1)).length === 0
}

/** Indexes some documents that are new or have another name, and forgets removed ones. */
export function* renewSomeNames(): Work<void> {
  for (const statement of schema) yield* all(statement)
  for (const { number } of yield* removed(mostAtOnce)) {
    yield* all('DELETE FROM document_terms WHERE rowid = $1', [number])
    yield* all('DELETE FROM document_names WHERE number = $1', [number])
  }
  for (const row of yield* stale(mostAtOnce)) {
    const named = yield* first<{ number: number }>(
      `INSERT INTO document_names (document_id, stated) VALUES ($1, $2)
       ON CONFLICT (document_id) DO UPDATE SET stated = excluded.stated RETURNING number`,
      [row.documentId, row.stated],
    )
    const opening = yield* pageWindow(row.documentId, 1, { start: 0, end: headLength })
    yield* all('INSERT OR REPLACE INTO document_terms (rowid, name, head) VALUES ($1, $2, $3)', [
      named?.number ?? 0,
      indexForm(nameOf(row)),
      indexForm(opening?.text.slice(0, headLength) ?? ''),
    ])
  }
}

/** The documents that a term names, for each term. */
export function* namedBy(terms: readonly string[]): Work<DocumentsByTerm> {
  const total = yield* first<{ documents: number }>('SELECT count(*) AS documents FROM document_names')
  const documents = total?.documents ?? 0
  const of = new Map<string, readonly NamedDocument[]>()
  for (const term of terms) of.set(term, yield* namedByTerm(term, mostNamedBy(documents)))
  return { documents, of }
}

/** Drops the index. */
export function* resetNames(): Work<void> {
  yield* all('DROP TABLE IF EXISTS document_terms')
  yield* all('DROP TABLE IF EXISTS document_names')
}

function stale(most: number): Work<readonly StaleRow[]> {
  return all<StaleRow>(
    `SELECT document_id AS "documentId", title, authors, year, source, ${stated} AS stated
     FROM documents LEFT JOIN document_names USING (document_id)
     WHERE ${own} AND document_names.stated IS NOT ${stated} LIMIT $1`,
    [most],
  )
}

function removed(most: number): Work<readonly { readonly number: number }[]> {
  return all(
    'SELECT number FROM document_names WHERE document_id NOT IN (SELECT document_id FROM documents) LIMIT $1',
    [most],
  )
}

function* namedByTerm(term: string, most: number): Work<readonly NamedDocument[]> {
  const found = yield* all<{ documentId: string; passages: number }>(
    `SELECT document_id AS "documentId", passages FROM document_terms
     JOIN document_names ON number = document_terms.rowid JOIN documents USING (document_id)
     WHERE document_terms MATCH $1 AND passages >= ${fewestPassages} AND ${own}`,
    [quoted(term)],
  )
  const named: NamedDocument[] = []
  for (const { documentId, passages } of found) {
    const held = found.length > most ? 0 : yield* heldBy(term, documentId, passages)
    named.push({ documentId, held })
  }
  return named
}

/** A document's passages have numbers next to each other, but for those of others that were stored meanwhile. */
function* heldBy(term: string, documentId: string, passages: number): Work<number> {
  const at = (place: string) => `(SELECT number FROM passages WHERE document_id = $2 AND ordinal = ${place})`
  const row = yield* first<{ held: number }>(
    `SELECT count(*) AS held FROM passage_terms
     WHERE passage_terms MATCH $1 AND rowid BETWEEN ${at('0')} AND ${at('$3 - 1')}`,
    [quoted(term), documentId, passages],
  )
  return row?.held ?? 0
}
