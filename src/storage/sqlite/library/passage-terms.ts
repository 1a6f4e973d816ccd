import { indexForm, type MatchQuery } from '../../../library/index.ts'
import { mostTerms } from '../../document-rows.ts'
import { all, first, type Work } from '../../sql/work.ts'
import { passageTermsSchema } from '../database/schema.ts'

/** To be raised whenever `indexForm` makes other words of the same text. */
const formVersion = 1

interface Hit {
  readonly number: number
  readonly bm25: number
}

/**
 * The full-text index over passages, which it knows by their row number: the FTS5 table `passage_terms`. A title counts
 * twice in the rank (measured on SciFact, with BM25 as FTS5 has it: k1 = 1.2, b = 0.75).
 */
export class PassageTerms {
  /** In how many passages a term stands, until anything changes. */
  readonly #counts = new Map<string, number>()
  #countedVersion = 0;

  /** Indexes a passage, or replaces its entry. */
  *add(number: number, { title, section, text }: Record<'title' | 'section' | 'text', string>): Work<void> {
    this.#counts.clear()
    yield* all('INSERT OR REPLACE INTO passage_terms (rowid, title, section, text) VALUES ($1, $2, $3, $4)', [
      number,
      indexForm(title),
      indexForm(section),
      indexForm(text),
    ])
  }

  /** Removes a document's passages, or those before an ordinal; they must still be in their table. */
  *removeDocument(documentId: string, before = Number.MAX_SAFE_INTEGER): Work<void> {
    this.#counts.clear()
    yield* all(
      'DELETE FROM passage_terms WHERE rowid IN (SELECT number FROM passages WHERE document_id = $1 AND ordinal < $2)',
      [documentId, before],
    )
  }

  /** The version of the index; negative, and different each time, after a reset. */
  *form(): Work<number> {
    return (yield* first<{ version: number }>('SELECT version FROM passage_terms_form'))?.version ?? 0
  }

  /** True if this version of the program would make the same index. */
  *isCurrent(): Work<boolean> {
    return (yield* this.form()) >= formVersion
  }

  setCurrent(): Work<unknown> {
    this.#counts.clear()
    return setForm(formVersion)
  }

  /** Drops the index and creates an empty one. */
  *reset(): Work<void> {
    this.#counts.clear()
    yield* all('DROP TABLE passage_terms')
    yield* all(passageTermsSchema)
    yield* setForm(Math.min(0, yield* this.form()) - 1)
  }

  *match({ terms, limit, documents }: MatchQuery): Work<readonly Hit[]> {
    const query = terms.slice(0, mostTerms).map(quoted).join(' OR ')
    if (query === '' || limit < 1) return []
    const hits = `SELECT rowid AS number, -bm25(passage_terms, 2.0, 1.0, 1.0) AS bm25 FROM passage_terms
      WHERE passage_terms MATCH $1`
    const order = 'ORDER BY bm25 DESC, number LIMIT $2'
    if (!documents) {
      const unfinished = 'SELECT document_id FROM unfinished_documents'
      const hidden = `SELECT number FROM passages WHERE document_id IN (${unfinished})`
      return yield* all<Hit>(`${hits} AND rowid NOT IN (${hidden}) ${order}`, [query, limit])
    }
    // The plus keeps SQLite from asking the index once for each passage; only what stays is then ranked.
    const chosen = 'SELECT number FROM passages WHERE document_id IN (SELECT value FROM json_each($3))'
    return yield* all<Hit>(`${hits} AND +rowid IN (${chosen}) ${order}`, [query, limit, JSON.stringify(documents)])
  }

  *frequencies(terms: readonly string[]): Work<{ passages: number; of: ReadonlyMap<string, number> }> {
    yield* this.#forgetOldCounts()
    const of = new Map<string, number>()
    for (const term of terms) of.set(term, yield* this.#count(term))
    const total = yield* first<{ passages: number }>(
      `SELECT coalesce(sum(passages), 0) AS passages FROM documents WHERE format <> 'web'`,
    )
    return { passages: total?.passages ?? 0, of }
  }

  *#forgetOldCounts(): Work<void> {
    const row = yield* first<{ version: number }>('SELECT data_version AS version FROM pragma_data_version')
    if (row?.version !== this.#countedVersion) this.#counts.clear()
    this.#countedVersion = row?.version ?? 0
  }

  *#count(term: string): Work<number> {
    const known = this.#counts.get(term)
    if (known !== undefined) return known
    const counted = 'SELECT count(*) AS passages FROM passage_terms WHERE passage_terms MATCH $1'
    const passages = (yield* first<{ passages: number }>(counted, [quoted(term)]))?.passages ?? 0
    this.#counts.set(term, passages)
    return passages
  }
}

function setForm(version: number): Work<unknown> {
  return all('UPDATE passage_terms_form SET version = $1', [version])
}

/** A term in FTS5's query language, where everything inside double quotes is text, up to a null character. */
export function quoted(term: string): string {
  return `"${indexForm(term).replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
