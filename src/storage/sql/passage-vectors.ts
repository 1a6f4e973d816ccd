import { setTimeout as wait } from 'node:timers/promises'
import type { PassageVectors, VectorRecipe, VectorSpace } from '../../library/index.ts'
import { type Dialect, idList, idsIn } from './dialect.ts'
import { all, first, type Statement, type Work, type Workplace } from './work.ts'

export interface VectorTableOptions {
  readonly dialect: Dialect
  /** Does the work if no other process does such work now, else returns null. */
  readonly whileAlone: <T>(work: () => Promise<T>) => Promise<{ readonly result: T } | null>
}

/**
 * Stores one vector for each text, as bytes. The numbers of vectors only grow, so that a reader can ask for the new ones;
 * they are compared in the process.
 */
export function vectorTables({ read, aside }: Workplace, { dialect, whileAlone }: VectorTableOptions): PassageVectors {
  const { library, rows } = dialect
  const changing = <T>(work: () => Work<T>): Promise<T> =>
    aside(function* () {
      const result = yield* work()
      yield* library.changed()
      return result
    })
  const inDocuments = (list: string) => `(CAST(${list} AS text) IS NULL OR document_id IN ${idsIn(dialect, list)})`
  const own = (list: string) =>
    `passages JOIN documents USING (document_id) WHERE format <> 'web' AND ${inDocuments(list)} AND ${library.complete}`
  const count = function* (statement: string, values: Statement['values']): Work<number> {
    return (yield* first<{ count: number }>(`SELECT count(*) AS count FROM ${statement}`, values))?.count ?? 0
  }
  return {
    async exclusively(work, signal) {
      for (;;) {
        signal?.throwIfAborted()
        const done = await whileAlone(work)
        if (done) return done.result
        await wait(waitForOtherMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
      }
    },
    space: async (recipe) =>
      (await read(() =>
        first<VectorSpace>(
          `SELECT id, dimensions FROM vector_spaces
           WHERE model = $1 AND asked IS NOT DISTINCT FROM $2 AND prefix = $3
             AND EXISTS (SELECT 1 FROM vectors WHERE space = vector_spaces.id) ORDER BY id DESC LIMIT 1`,
          columnsOf(recipe),
        ),
      )) ?? null,
    openSpace: (recipe, dimensions) =>
      changing(function* () {
        const row = yield* first<{ id: number }>(
          'INSERT INTO vector_spaces (model, asked, prefix, dimensions) VALUES ($1, $2, $3, $4) RETURNING id',
          [...columnsOf(recipe), dimensions],
        )
        return { id: row?.id ?? 0, dimensions }
      }),
    dropOtherSpaces: (space) =>
      changing(function* () {
        yield* all('DELETE FROM vector_spaces WHERE id <> $1', [space.id])
      }),
    coverage: (space, documents = null) =>
      read(function* () {
        const list = listOf(documents)
        const passages = yield* count(own('$1'), [list])
        const embedded = space ? yield* count(`${own('$2')} AND ${isEmbedded}`, [space.id, list]) : 0
        return { passages, embedded }
      }),
    missing: (space, { after, limit, documents }) =>
      read(() =>
        all(
          `SELECT passage_id AS "passageId", number FROM ${own('$2')} AND number > $3 AND NOT ${isEmbedded}
           ORDER BY number LIMIT $4`,
          [space?.id ?? 0, listOf(documents), after, limit],
        ),
      ),
    link: (space, texts) =>
      changing(function* () {
        const linked = []
        for (const text of texts) if (yield* linkText(dialect, space, text)) linked.push(text)
        return linked
      }),
    put: (space, texts) =>
      changing(function* () {
        for (const { vector, ...text } of texts) {
          yield* all('INSERT INTO vectors (space, text_hash, components) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
            space.id,
            text.hash,
            Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
          ])
          yield* linkText(dialect, space, text)
        }
      }),
    prune: () =>
      changing(function* () {
        const unused = 'NOT EXISTS (SELECT 1 FROM passage_vectors WHERE vector = vectors.id)'
        return (yield* all(`DELETE FROM vectors WHERE ${unused} RETURNING id`)).length
      }),
    version: () => read(library.version),
    extent: async (space) =>
      (await read(() =>
        first<{ count: number; last: number }>(
          'SELECT count(*) AS count, coalesce(max(id), 0) AS last FROM vectors WHERE space = $1',
          [space.id],
        ),
      )) ?? { count: 0, last: 0 },
    read: (space, { after, limit }) =>
      read(() =>
        // The plus keeps SQLite from reading them by space and then sorting.
        all('SELECT id, components FROM vectors WHERE +space = $1 AND id > $2 ORDER BY id LIMIT $3', [
          space.id,
          after,
          limit,
        ]),
      ),
    async vectorsOf(space, documents) {
      const found = await read(() =>
        all<{ id: number }>(
          `SELECT DISTINCT vector AS id FROM passage_vectors JOIN passages ON number = passage
           WHERE space = $1 AND ${inDocuments('$2')}`,
          [space.id, listOf(documents)],
        ),
      )
      return found.map(({ id }) => id)
    },
    passagesOf: (vectors, documents) =>
      read(() =>
        all(
          `SELECT vector, passage_id AS "passageId" FROM passage_vectors JOIN passages ON number = passage
           WHERE vector IN (SELECT id FROM ${rows('$1', 'wanted', { id: 'bigint' })}) AND ${inDocuments('$2')}
           ORDER BY number`,
          [listOf(vectors), listOf(documents)],
        ),
      ),
  }
}

const waitForOtherMs = 200

const isEmbedded = 'EXISTS (SELECT 1 FROM passage_vectors WHERE passage = number AND space = $1)'

function listOf(ids: readonly (string | number)[] | null): string | null {
  return ids && idList(ids)
}

function columnsOf({ model, dimensions, prefix }: VectorRecipe): readonly [string, number | null, string] {
  return [model, dimensions, prefix]
}

/** Gives passages the vector of their text; false if it has none. A passage may have been removed meanwhile. */
function* linkText(
  dialect: Dialect,
  space: VectorSpace,
  { hash, passages }: { readonly hash: string; readonly passages: readonly string[] },
): Work<boolean> {
  const vector = yield* first<{ id: number }>('SELECT id FROM vectors WHERE space = $1 AND text_hash = $2', [
    space.id,
    hash,
  ])
  if (!vector) return false
  yield* all(
    `INSERT INTO passage_vectors (passage, space, vector)
     SELECT number, $2, $3 FROM passages
     WHERE passage_id IN ${idsIn(dialect, '$1')} ON CONFLICT DO NOTHING`,
    [listOf(passages), space.id, vector.id],
  )
  return true
}
