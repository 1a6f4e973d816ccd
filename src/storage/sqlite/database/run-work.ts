import type { Database as Connection, Statement as Prepared } from 'better-sqlite3'
import type { Row, Statement, Work, Workplace } from '../../sql/work.ts'
import type { SqliteDatabase } from './database.ts'

/** Runs work at once. Call it inside `read` or `write`. */
export function runWork<T>({ connection }: Pick<SqliteDatabase, 'connection'>, work: Work<T>): T {
  let step = work.next([])
  while (!step.done) {
    const rows = attempt(connection, step.value)
    step = 'error' in rows ? work.throw(rows.error) : work.next(rows)
  }
  return step.value
}

export function workplace(database: SqliteDatabase): Workplace {
  return {
    read: (work) => database.read(() => runWork(database, work())),
    write: (work, options) => database.write(() => runWork(database, work()), options),
    aside: (work) => database.write(() => runWork(database, work())),
  }
}

function attempt(connection: Connection, statement: Statement): readonly Row[] | { readonly error: unknown } {
  try {
    return rowsOf(connection, statement)
  } catch (error) {
    return { error }
  }
}

function rowsOf(connection: Connection, { text, values }: Statement): readonly Row[] {
  const prepared = preparedIn(connection, text)
  // SQLite keeps truth as a number.
  const bound = values.map((value, index) => [index + 1, typeof value === 'boolean' ? Number(value) : value])
  const named = Object.fromEntries(bound)
  if (prepared.reader) return prepared.all(named)
  prepared.run(named)
  return []
}

const known = new WeakMap<Connection, Map<string, Prepared<[object], Row>>>()

/** Each statement is prepared once; there are as many as stand in the source. */
function preparedIn(connection: Connection, text: string): Prepared<[object], Row> {
  const own = known.get(connection) ?? new Map<string, Prepared<[object], Row>>()
  known.set(connection, own)
  const prepared = own.get(text) ?? connection.prepare<[object], Row>(text)
  own.set(text, prepared)
  return prepared
}
