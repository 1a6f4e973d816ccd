import { setTimeout as sleep } from 'node:timers/promises'
import type { PassageVectors, VectorRecipe, VectorSpace } from '../../../library/port/passage-vectors.ts'
import type { Sql, Value } from '../database/connection.ts'
import type { PostgresDatabase } from '../database/database.ts'
import { noteChange } from './library-changes.ts'

/**
 * Stores one vector for each text, as bytes. The numbers of vectors only grow, so that a reader can ask for the new ones;
 * they are compared in the process, by the same code as for SQLite.
 */
export function postgresPassageVectors(database: PostgresDatabase): PassageVectors {
  return {
    ...reads(database.sql),
    ...writes(database),
    exclusively: (work, signal) => exclusively(database, work, signal),
  }
}

type Writes = Pick<PassageVectors, 'openSpace' | 'dropOtherSpaces' | 'link' | 'put' | 'prune'>

function reads(sql: Sql): Omit<PassageVectors, keyof Writes | 'exclusively'> {
  const count = async (statement: string, values: readonly Value[]) =>
    (await sql.get<{ count: number }>(statement, values))?.count ?? 0
  return {
    space: async (recipe) =>
      (await sql.get<VectorSpace>(
        `SELECT id, dimensions FROM vector_spaces
         WHERE model = $1 AND asked IS NOT DISTINCT FROM $2 AND prefix = $3
           AND EXISTS (SELECT 1 FROM vectors WHERE space = vector_spaces.id) ORDER BY id DESC LIMIT 1`,
        columnsOf(recipe),
      )) ?? null,
    async coverage(space, documents = null) {
      const passages = await count(`SELECT count(*) FROM ${ownIn('$1')}`, [documents])
      const embedded = `SELECT count(*) FROM ${ownIn('$2')} AND ${isEmbedded}`
      return { passages, embedded: space ? await count(embedded, [space.id, documents]) : 0 }
    },
    missing: (space, { after, limit, documents }) =>
      sql.all(
        `SELECT passage_id AS "passageId", number FROM ${ownIn('$2')} AND number > $3 AND NOT ${isEmbedded}
         ORDER BY number LIMIT $4`,
        [space?.id ?? 0, documents, after, limit],
      ),
    version: async () => String((await sql.get<{ version: number }>('SELECT version FROM library_version'))?.version),
    extent: async (space) =>
      (await sql.get<{ count: number; last: number }>(
        'SELECT count(*) AS count, coalesce(max(id), 0) AS last FROM vectors WHERE space = $1',
        [space.id],
      )) ?? { count: 0, last: 0 },
    read: (space, { after, limit }) =>
      sql.all('SELECT id, components FROM vectors WHERE space = $1 AND id > $2 ORDER BY id LIMIT $3', [
        space.id,
        after,
        limit,
      ]),
    vectorsOf: async (space, documents) => {
      const rows = await sql.all<{ id: number }>(
        `SELECT DISTINCT vector AS id FROM passage_vectors JOIN passages ON number = passage
         WHERE space = $1 AND document_id = ANY ($2)`,
        [space.id, documents],
      )
      return rows.map(({ id }) => id)
    },
    passagesOf: (vectors, documents) =>
      sql.all(
        `SELECT vector, passage_id AS "passageId" FROM passage_vectors JOIN passages ON number = passage
         WHERE vector = ANY ($1::bigint[]) AND ($2::text[] IS NULL OR document_id = ANY ($2)) ORDER BY number`,
        [vectors, documents],
      ),
  }
}

/** Each is a transaction, and a change of the library. */
function writes(database: PostgresDatabase): Writes {
  const write = <T>(work: (within: Sql) => Promise<T>): Promise<T> =>
    database.transaction(async (within) => {
      const result = await work(within)
      await noteChange(within)
      return result
    })
  return {
    openSpace: (recipe, dimensions) =>
      write(async (within) => {
        const row = await within.get<{ id: number }>(
          'INSERT INTO vector_spaces (model, asked, prefix, dimensions) VALUES ($1, $2, $3, $4) RETURNING id',
          [...columnsOf(recipe), dimensions],
        )
        return { id: row?.id ?? 0, dimensions }
      }),
    dropOtherSpaces: (space) =>
      write(async (within) => void (await within.run('DELETE FROM vector_spaces WHERE id <> $1', [space.id]))),
    link: (space, texts) =>
      write(async (within) => {
        const linked = []
        for (const text of texts) if (await linkText(within, space, text)) linked.push(text)
        return linked
      }),
    put: (space, texts) =>
      write(async (within) => {
        for (const { vector, ...text } of texts) {
          await within.run(
            'INSERT INTO vectors (space, text_hash, components) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
            [space.id, text.hash, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)],
          )
          await linkText(within, space, text)
        }
      }),
    prune: () =>
      write((within) =>
        within.run('DELETE FROM vectors WHERE NOT EXISTS (SELECT 1 FROM passage_vectors WHERE vector = vectors.id)'),
      ),
  }
}

const ownIn = (list: string) =>
  `passages JOIN documents USING (document_id) WHERE format <> 'web' AND (${list}::text[] IS NULL OR document_id = ANY (${list}))`

const isEmbedded = 'EXISTS (SELECT 1 FROM passage_vectors WHERE passage = number AND space = $1)'

function columnsOf({ model, dimensions, prefix }: VectorRecipe): readonly [string, number | null, string] {
  return [model, dimensions, prefix]
}

/** Gives passages the vector of their text; false if it has none. A passage may have been removed meanwhile. */
async function linkText(
  sql: Sql,
  space: VectorSpace,
  { hash, passages }: { readonly hash: string; readonly passages: readonly string[] },
): Promise<boolean> {
  const vector = await sql.get<{ id: number }>('SELECT id FROM vectors WHERE space = $1 AND text_hash = $2', [
    space.id,
    hash,
  ])
  if (!vector) return false
  await sql.run(
    `INSERT INTO passage_vectors (passage, space, vector)
     SELECT number, $2, $3 FROM passages WHERE passage_id = ANY ($1) ON CONFLICT DO NOTHING`,
    [passages, space.id, vector.id],
  )
  return true
}

const waitForOtherMs = 200

/** The lock ends with the connection of the process that holds it. */
async function exclusively<T>(
  database: PostgresDatabase,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted()
    const done = await database.whileLocked('embedding', work)
    if (done) return done.result
    await sleep(waitForOtherMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
  }
}
