import { setTimeout as sleep } from 'node:timers/promises'
import type { PassageVectors, VectorRecipe, VectorSpace } from '../../../library/port/passage-vectors.ts'
import { currentProcess, isAlive } from '../../process-identity.ts'
import type { SqliteDatabase } from '../database/database.ts'

/** Stores one vector for each text. The numbers of vectors only grow, so that a reader can ask for the new ones. */
export function sqlitePassageVectors(database: SqliteDatabase): PassageVectors {
  const tables = { ...prepare(database), ...prepareWork(database) }
  let ownChanges = 0

  const write = <T>(work: () => T): Promise<T> => {
    ownChanges += 1
    return database.write(work)
  }
  const idOf = (space: VectorSpace | null): number => space?.id ?? 0
  const listOf = (documents: readonly string[] | null): string | null => documents && JSON.stringify(documents)

  return {
    space: async (recipe) => (await database.read(() => tables.space.get(columnsOf(recipe)))) ?? null,
    openSpace: (recipe, dimensions) =>
      write(() => {
        const { id } = tables.openSpace.get({ ...columnsOf(recipe), dimensions }) ?? { id: 0 }
        return { id, dimensions }
      }),
    dropOtherSpaces: (space) => write(() => void tables.dropOtherSpaces.run(space.id)),
    coverage: (space, documents = null) =>
      database.read(() => {
        const list = listOf(documents)
        const passages = tables.countPassages.get({ list })?.count ?? 0
        const embedded = tables.countEmbedded.get({ space: idOf(space), list })?.count ?? 0
        return { passages, embedded }
      }),
    missing: (space, { after, limit, documents }) =>
      database.read(() => tables.missing.all({ space: idOf(space), after, limit, list: listOf(documents) })),
    link: (space, texts) =>
      write(() =>
        texts.filter(({ hash, passages }) => {
          const vector = tables.vectorOf.get(space.id, hash)?.id
          if (vector === undefined) return false
          for (const passageId of passages) tables.link.run({ passageId, space: space.id, vector })
          return true
        }),
      ),
    put: (space, texts) =>
      write(() => {
        for (const { hash, vector, passages } of texts) {
          tables.put.run(space.id, hash, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))
          const id = tables.vectorOf.get(space.id, hash)?.id
          for (const passageId of passages) tables.link.run({ passageId, space: space.id, vector: id })
        }
      }),
    prune: () => write(() => tables.prune.run().changes),
    version: () => database.read(() => `${database.connection.pragma('data_version', { simple: true })}.${ownChanges}`),
    extent: (space) => database.read(() => tables.extent.get(space.id) ?? { count: 0, last: 0 }),
    read: (space, { after, limit }) => database.read(() => tables.read.all(space.id, after, limit)),
    vectorsOf: (space, documents) =>
      database.read(() => tables.vectorsOf.all({ space: space.id, list: listOf(documents) }).map(({ id }) => id)),
    passagesOf: (vectors, documents) =>
      database.read(() => tables.passagesOf.all({ vectors: JSON.stringify(vectors), list: listOf(documents) })),
    exclusively: (work, signal) => exclusively(database, tables, work, signal),
  }
}

function prepare({ connection }: SqliteDatabase) {
  const inDocuments = '(@list IS NULL OR document_id IN (SELECT value FROM json_each(@list)))'
  const recipe = 'model = @model AND asked IS @asked AND prefix = @prefix'
  const own = `passages JOIN documents USING (document_id) WHERE format <> 'web' AND ${inDocuments}
    AND document_id NOT IN (SELECT document_id FROM unfinished_documents)`
  const isEmbedded = 'EXISTS (SELECT 1 FROM passage_vectors WHERE passage = number AND space = @space)'
  type Listed = { readonly list: string | null }
  type InSpace = Listed & { readonly space: number }
  return {
    space: connection.prepare<[RecipeColumns], VectorSpace>(
      `SELECT id, dimensions FROM vector_spaces
       WHERE ${recipe} AND EXISTS (SELECT 1 FROM vectors WHERE space = vector_spaces.id) ORDER BY id DESC LIMIT 1`,
    ),
    openSpace: connection.prepare<[RecipeColumns & { readonly dimensions: number }], { id: number }>(
      `INSERT INTO vector_spaces (model, asked, prefix, dimensions) VALUES (@model, @asked, @prefix, @dimensions)
       RETURNING id`,
    ),
    dropOtherSpaces: connection.prepare<[number]>('DELETE FROM vector_spaces WHERE id <> ?'),
    countPassages: connection.prepare<[Listed], { count: number }>(`SELECT count(*) AS count FROM ${own}`),
    countEmbedded: connection.prepare<[InSpace], { count: number }>(
      `SELECT count(*) AS count FROM ${own} AND ${isEmbedded}`,
    ),
    missing: connection.prepare<
      [InSpace & { readonly after: number; readonly limit: number }],
      { passageId: string; number: number }
    >(
      `SELECT passage_id AS passageId, number FROM ${own} AND number > @after AND NOT ${isEmbedded}
       ORDER BY number LIMIT @limit`,
    ),
    vectorOf: connection.prepare<[number, string], { id: number }>(
      'SELECT id FROM vectors WHERE space = ? AND text_hash = ?',
    ),
    // The passage may have been removed before its vector arrives.
    link: connection.prepare<[{ passageId: string; space: number; vector: number | undefined }]>(
      `INSERT OR IGNORE INTO passage_vectors (passage, space, vector)
       SELECT number, @space, @vector FROM passages WHERE passage_id = @passageId`,
    ),
    put: connection.prepare('INSERT OR IGNORE INTO vectors (space, text_hash, components) VALUES (?, ?, ?)'),
    prune: connection.prepare('DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM passage_vectors)'),
    extent: connection.prepare<[number], { count: number; last: number }>(
      'SELECT count(*) AS count, coalesce(max(id), 0) AS last FROM vectors WHERE space = ?',
    ),
    read: connection.prepare<[number, number, number], { id: number; components: Uint8Array }>(
      // The plus keeps SQLite from reading them by space and then sorting.
      'SELECT id, components FROM vectors WHERE +space = ? AND id > ? ORDER BY id LIMIT ?',
    ),
    vectorsOf: connection.prepare<[InSpace], { id: number }>(
      `SELECT DISTINCT vector AS id FROM passage_vectors JOIN passages ON number = passage
       WHERE space = @space AND ${inDocuments}`,
    ),
    passagesOf: connection.prepare<[Listed & { readonly vectors: string }], { vector: number; passageId: string }>(
      `SELECT vector, passage_id AS passageId FROM passage_vectors JOIN passages ON number = passage
       WHERE vector IN (SELECT value FROM json_each(@vectors)) AND ${inDocuments} ORDER BY number`,
    ),
  }
}

type WorkTable = ReturnType<typeof prepareWork>

function prepareWork({ connection }: SqliteDatabase) {
  return {
    worker: connection.prepare<[], { pid: number; startedAt: string }>(
      'SELECT pid, process_start AS startedAt FROM vector_worker',
    ),
    takeWork: connection.prepare('INSERT OR REPLACE INTO vector_worker (one, pid, process_start) VALUES (1, ?, ?)'),
    leaveWork: connection.prepare('DELETE FROM vector_worker WHERE pid = ? AND process_start = ?'),
  }
}

interface RecipeColumns {
  readonly model: string
  readonly asked: number | null
  readonly prefix: string
}

function columnsOf({ model, dimensions, prefix }: VectorRecipe): RecipeColumns {
  return { model, asked: dimensions, prefix }
}

const waitForOtherMs = 200

async function exclusively<T>(
  database: SqliteDatabase,
  tables: WorkTable,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { pid, startedAt } = await currentProcess()
  for (;;) {
    signal?.throwIfAborted()
    const seen = await database.read(() => tables.worker.get())
    const isFree = !seen || (seen.pid === pid && seen.startedAt === startedAt) || !(await isAlive(seen))
    // While the other was checked, a third may have taken over.
    const taken = isFree && (await database.write(() => takeOver(tables, seen, { pid, startedAt })))
    if (taken) break
    await sleep(waitForOtherMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
  }
  try {
    return await work()
  } finally {
    await database.write(() => tables.leaveWork.run(pid, startedAt))
  }
}

type Worker = { readonly pid: number; readonly startedAt: string }

function takeOver(tables: WorkTable, seen: Worker | undefined, self: Worker): boolean {
  const now = tables.worker.get()
  if (now?.pid !== seen?.pid || now?.startedAt !== seen?.startedAt) return false
  tables.takeWork.run(self.pid, self.startedAt)
  return true
}
