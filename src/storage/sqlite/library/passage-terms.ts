import { indexForm } from '../../../library/language/terms.ts'
import type { MatchQuery } from '../../../library/port/passage-index.ts'
import { mostTerms } from '../../document-rows.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { passageTermsSchema } from '../database/schema.ts'

/** The full-text index over passages, which it knows by their row number. */
export interface PassageTerms {
  /** Indexes a passage, or replaces its entry. Call it inside `write`. */
  add(number: number, columns: { readonly title: string; readonly section: string; readonly text: string }): void
  /** Removes a document's passages, or those before an ordinal; they must still be in their table. Call inside `write`. */
  removeDocument(documentId: string, before?: number): void
  /** True if this version of the program would make the same index. */
  isCurrent(): boolean
  /** The version of the index; negative, and different each time, after a reset. */
  form(): number
  /** Call it inside `write`. */
  setCurrent(): void
  /** Drops the index and creates an empty one; call it inside `write`. */
  reset(): void
  match(query: MatchQuery): readonly { readonly number: number; readonly bm25: number }[]
  frequencies(terms: readonly string[]): { readonly passages: number; readonly of: ReadonlyMap<string, number> }
}

/** To be raised whenever `indexForm` makes other words of the same text. */
const formVersion = 1

/**
 * The FTS5 table `passage_terms`. A title counts twice in the rank (measured on SciFact, with BM25 as FTS5 has it:
 * k1 = 1.2, b = 0.75).
 */
export function passageTerms({ connection }: SqliteDatabase): PassageTerms {
  const statements = prepare(connection)
  const counts = new Map<string, number>()
  let countedVersion = 0

  function forgetOldCounts(): void {
    const version = Number(connection.pragma('data_version', { simple: true }))
    if (version !== countedVersion) counts.clear()
    countedVersion = version
  }

  function count(term: string): number {
    const known = counts.get(term) ?? statements.count.get(quoted(term))?.passages ?? 0
    counts.set(term, known)
    return known
  }

  const form = (): number => statements.form.get()?.version ?? 0

  return {
    add(number, { title, section, text }) {
      counts.clear()
      statements.add.run(number, indexForm(title), indexForm(section), indexForm(text))
    },
    removeDocument(documentId, before = Number.MAX_SAFE_INTEGER) {
      counts.clear()
      statements.removeDocument.run(documentId, before)
    },
    form,
    isCurrent: () => form() >= formVersion,
    setCurrent() {
      counts.clear()
      statements.setForm.run(formVersion)
    },
    reset() {
      counts.clear()
      connection.exec(`DROP TABLE passage_terms; ${passageTermsSchema}`)
      statements.setForm.run(Math.min(0, form()) - 1)
    },
    match({ terms, limit, documents }) {
      const query = terms.slice(0, mostTerms).map(quoted).join(' OR ')
      if (query === '' || limit < 1) return []
      return documents
        ? statements.matchWithin.all(query, JSON.stringify(documents), limit)
        : statements.match.all(query, limit)
    },
    frequencies(terms) {
      forgetOldCounts()
      return {
        passages: statements.total.get()?.passages ?? 0,
        of: new Map(terms.map((term) => [term, count(term)])),
      }
    },
  }
}

function prepare(connection: SqliteDatabase['connection']) {
  const match = `SELECT rowid AS number, -bm25(passage_terms, 2.0, 1.0, 1.0) AS bm25 FROM passage_terms
                 WHERE passage_terms MATCH ?`
  const order = 'ORDER BY bm25 DESC, number LIMIT ?'
  type Hit = { number: number; bm25: number }
  return {
    add: connection.prepare('INSERT OR REPLACE INTO passage_terms (rowid, title, section, text) VALUES (?, ?, ?, ?)'),
    removeDocument: connection.prepare(
      'DELETE FROM passage_terms WHERE rowid IN (SELECT number FROM passages WHERE document_id = ? AND ordinal < ?)',
    ),
    match: connection.prepare<[string, number], Hit>(
      `${match} AND rowid NOT IN
         (SELECT number FROM passages WHERE document_id IN (SELECT document_id FROM unfinished_documents)) ${order}`,
    ),
    // The plus keeps SQLite from asking the index once for each passage; only what stays is then ranked.
    matchWithin: connection.prepare<[string, string, number], Hit>(
      `${match} AND +rowid IN
         (SELECT number FROM passages WHERE document_id IN (SELECT value FROM json_each(?))) ${order}`,
    ),
    form: connection.prepare<[], { version: number }>('SELECT version FROM passage_terms_form'),
    setForm: connection.prepare('UPDATE passage_terms_form SET version = ?'),
    count: connection.prepare<[string], { passages: number }>(
      'SELECT count(*) AS passages FROM passage_terms WHERE passage_terms MATCH ?',
    ),
    total: connection.prepare<[], { passages: number }>(
      `SELECT coalesce(sum(passages), 0) AS passages FROM documents WHERE format <> 'web'`,
    ),
  }
}

/** A term in FTS5's query language, where everything inside double quotes is text, up to a null character. */
export function quoted(term: string): string {
  return `"${indexForm(term).replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
