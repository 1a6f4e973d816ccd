import type { Row, Work, Workplace } from '../../sql/work.ts'
import type { Sql } from './connection.ts'
import type { PostgresDatabase } from './database.ts'

/** Runs work, statement by statement. */
export async function runWork<T>(sql: Sql, work: Work<T>): Promise<T> {
  let step = work.next([])
  while (!step.done) step = work.next(await sql.all<Row>(step.value.text, step.value.values))
  return step.value
}

export function workplace(database: PostgresDatabase): Workplace {
  return {
    read: (work) => runWork(database.sql, work()),
    write: (work) => database.write((sql) => runWork(sql, work())),
  }
}
