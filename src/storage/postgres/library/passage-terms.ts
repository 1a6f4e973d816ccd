import { type DocumentsByTerm, fewestPassages, indexStems, type MatchQuery } from '../../../library/index.ts'
import { mostNamedBy, mostTerms } from '../../document-rows.ts'
import { all, type Work } from '../../sql/work.ts'
import type { Sql } from '../database/connection.ts'
import { type MatchedPassage, passageColumns } from './page-texts.ts'

/** What a passage is found by. */
export interface IndexedPassage {
  readonly number: number
  readonly title: string
  readonly section: string
  readonly text: string
}

/** Indexes passages of one document, or replaces their entries. */
export function* indexPassages(documentId: string, passages: readonly IndexedPassage[]): Work<void> {
  const entries = passages.map(entryOf)
  yield* all(
    `INSERT INTO passage_terms (passage, document_id, tokens, terms)
     SELECT number, $1, tokens, terms FROM unnest($2::bigint[], $3::integer[], $4::jsonb[]) AS entry (number, tokens, terms)
     ON CONFLICT (passage) DO UPDATE SET tokens = excluded.tokens, terms = excluded.terms`,
    [
      documentId,
      passages.map(({ number }) => number),
      entries.map(({ tokens }) => tokens),
      entries.map(({ terms }) => terms),
    ],
  )
}

/** Measured on SciFact, as for SQLite. */
const titleWeight = 2

function entryOf({ title, section, text }: IndexedPassage): { readonly tokens: number; readonly terms: string } {
  const counts = new Map<string, number>()
  const add = (stem: string, weight: number) => counts.set(stem, (counts.get(stem) ?? 0) + weight)
  const titles = indexStems(title)
  const others = indexStems(`${section}\n${text}`)
  for (const stem of titles) add(stem, titleWeight)
  for (const stem of others) add(stem, 1)
  return { tokens: titles.length + others.length, terms: JSON.stringify(Object.fromEntries(counts)) }
}

/** Searches the table `passage_terms`; what it counts there holds until the library changes. */
export class PassageTerms {
  readonly #sql: Sql
  readonly #counted: (keys: readonly string[]) => Promise<Counts>

  constructor(sql: Sql) {
    this.#sql = sql
    this.#counted = countsOf(sql)
  }

  async match({ terms, limit, documents }: MatchQuery): Promise<readonly MatchedPassage[]> {
    const stems = terms.slice(0, mostTerms).flatMap(indexStems)
    if (stems.length === 0 || limit < 1) return []
    const { passages, tokens, of } = await this.#counted(stems)
    const weights = stems.map((stem) => inverseFrequency(of.get(stem) ?? 0, passages))
    return this.#sql.all<MatchedPassage>(bestMatches, [stems, weights, tokens / (passages || 1), documents, limit])
  }

  async frequencies(terms: readonly string[]): Promise<Pick<Counts, 'passages' | 'of'>> {
    const keys = new Map(terms.map((term) => [term, keyOf(term)]))
    const { passages, of } = await this.#counted([...keys.values()])
    return { passages, of: new Map(Array.from(keys, ([term, key]) => [term, of.get(key) ?? 0])) }
  }

  namedBy(terms: readonly string[]): Promise<DocumentsByTerm> {
    return namedBy(this.#sql, terms)
  }
}

/** The stems of a term, all of which a passage must hold; empty if it has none. */
function keyOf(term: string): string {
  return indexStems(term).join(' ')
}

const stemsOfKey = `string_to_array(key, ' ')`

interface Counts {
  readonly passages: number
  /** The length of all passages. */
  readonly tokens: number
  /** In how many passages all stems of a key stand. */
  readonly of: ReadonlyMap<string, number>
}

function countsOf(sql: Sql): (keys: readonly string[]) => Promise<Counts> {
  let known = { version: -1, passages: 0, tokens: 0, of: new Map<string, number>() }
  return async (keys) => {
    const state = await sql.get<{ version: number; passages: number; tokens: number }>(
      `SELECT version, (SELECT coalesce(sum(passages), 0)::bigint FROM documents WHERE ${own}) AS passages,
         (SELECT coalesce(sum(tokens), 0)::bigint FROM documents) AS tokens FROM library_version`,
    )
    if (state && state.version !== known.version) known = { ...state, of: new Map() }
    const { of } = known
    const unknown = [...new Set(keys)].filter((key) => key !== '' && !of.has(key))
    if (unknown.length > 0) {
      const rows = await sql.all<{ key: string; held: number }>(
        `SELECT key, (SELECT count(*) FROM passage_terms WHERE terms ?& ${stemsOfKey}) AS held
         FROM unnest($1::text[]) AS key`,
        [unknown],
      )
      for (const { key, held } of rows) of.set(key, held)
    }
    return known
  }
}

/** As FTS5 weighs a term, which never counts against a passage. */
function inverseFrequency(held: number, passages: number): number {
  const weight = Math.log((passages - held + 0.5) / (held + 0.5))
  return weight > 0 ? weight : 1e-6
}

/** BM25 as FTS5 has it: k1 = 1.2, b = 0.75. */
const bestMatches = `
  WITH best AS (
    SELECT passage, (
      SELECT sum(weight * (count * 2.2 / (count + 1.2 * (1 - 0.75 + 0.75 * tokens / $3::float8))))
      FROM (SELECT weight, (terms -> stem)::float8 AS count FROM unnest($1::text[], $2::float8[]) AS asked (stem, weight)
            WHERE terms ? stem) AS held
    ) AS bm25
    FROM passage_terms WHERE terms ?| $1 AND ($4::text[] IS NULL OR document_id = ANY ($4))
    ORDER BY bm25 DESC, passage LIMIT $5
  )
  SELECT ${passageColumns}, bm25 FROM best JOIN passages ON number = passage ORDER BY bm25 DESC, number`

interface Named {
  readonly key: string
  readonly documentId: string
}

async function namedBy(sql: Sql, terms: readonly string[]): Promise<DocumentsByTerm> {
  const keys = new Map(terms.map((term) => [term, keyOf(term)]))
  const total = await sql.get<{ documents: number }>(`SELECT count(*) AS documents FROM documents WHERE ${own}`)
  const documents = total?.documents ?? 0
  const named = await sql.all<Named>(
    `SELECT key, document_id AS "documentId" FROM unnest($1::text[]) AS key JOIN documents ON names @> ${stemsOfKey}
     WHERE ${own} AND passages >= ${fewestPassages}`,
    [[...new Set(keys.values())].filter((key) => key !== '')],
  )
  const byKey = new Map(named.map(({ key }) => [key, named.filter((each) => each.key === key)]))
  const naming = [...byKey.values()].filter((found) => found.length <= mostNamedBy(documents)).flat()
  const held = await passagesHeld(sql, naming)
  const found = ({ key, documentId }: Named) => ({ documentId, held: held.get(`${documentId} ${key}`) ?? 0 })
  return { documents, of: new Map(Array.from(keys, ([term, key]) => [term, (byKey.get(key) ?? []).map(found)])) }
}

const own = `format <> 'web'`

/** How many passages of a document hold a term, by the document's id and the term's key. */
async function passagesHeld(sql: Sql, named: readonly Named[]): Promise<ReadonlyMap<string, number>> {
  if (named.length === 0) return new Map()
  const rows = await sql.all<Named & { held: number }>(
    `SELECT key, id AS "documentId", count(*) AS held FROM unnest($1::text[], $2::text[]) AS named (key, id)
     JOIN passage_terms ON document_id = id AND terms ?& ${stemsOfKey} GROUP BY key, id`,
    [named.map(({ key }) => key), named.map(({ documentId }) => documentId)],
  )
  return new Map(rows.map(({ key, documentId, held }) => [`${documentId} ${key}`, held]))
}
