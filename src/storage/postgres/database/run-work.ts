import type { Row, Work, Workplace } from '../../sql/work.ts'
import type { Sql } from './connection.ts'
import type { PostgresDatabase } from './database.ts'

/** Runs work, statement by statement. */
export async function runWork<T>(sql: Sql, work: Work<T>): Promise<T> {
  let step = work.next([])
  while (!step.done) {
    const { text, values } = step.value
    const rows = await sql.all<Row>(text, values).catch((error: unknown) => ({ error }))
    step = 'error' in rows ? work.throw(rows.error) : work.next(rows)
  }
  return step.value
}

export function workplace(database: PostgresDatabase): Workplace {
  return {
    read: (work) => runWork(database.sql, work()),
    write: (work) => database.write((sql) => runWork(sql, work())),
    aside: (work) => database.transaction((sql) => runWork(sql, work())),
  }
}
