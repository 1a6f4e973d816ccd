import type { Sql } from '../database/connection.ts'
import type { PostgresDatabase } from '../database/database.ts'

/**
 * Does the work in a transaction, alone among those that change documents and sources. Who stores a document takes the
 * lock at the end only, since its contents may take long to arrive.
 */
export function changeLibrary<T>(database: PostgresDatabase, work: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (sql) => {
    await lockLibrary(sql)
    const result = await work(sql)
    await noteChange(sql)
    return result
  })
}

/** Two that store the same document take turns. Take it before the library's lock. */
export async function lockDocument(sql: Sql, documentId: string): Promise<void> {
  await lock(sql, `document ${documentId}`)
}

export async function lockLibrary(sql: Sql): Promise<void> {
  await lock(sql, 'library')
}

/** Until the end of the transaction. */
async function lock(sql: Sql, name: string): Promise<void> {
  await sql.get('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}

/** Ends what processes keep in memory of the library. Last in a transaction: the next that changes the library waits. */
export async function noteChange(sql: Sql): Promise<void> {
  await sql.run('UPDATE library_version SET version = version + 1')
}

/** Lets only so many works go on at once; the others wait in the order in which they came. */
export function inTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = atOnce
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
