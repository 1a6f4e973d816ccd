import type { Database as Connection, Statement as Prepared } from 'better-sqlite3'
import type { Row, Statement, Value, Work } from '../../sql/work.ts'

/** Runs work at once. Call it inside `read` or `write`. */
export function runWork<T>(connection: Connection, work: Work<T>): T {
  let step = work.next([])
  while (!step.done) {
    const rows = attempt(connection, step.value)
    step = 'error' in rows ? work.throw(rows.error) : work.next(rows)
  }
  return step.value
}

function attempt(connection: Connection, statement: Statement): readonly Row[] | { readonly error: unknown } {
  try {
    return rowsOf(connection, statement)
  } catch (error) {
    return { error }
  }
}

function rowsOf(connection: Connection, { text, values }: Statement): readonly Row[] {
  const { prepared, order } = preparedIn(connection, text)
  const bound = order.map((index) => boundValue(values[index]))
  if (prepared.reader) return prepared.all(bound)
  prepared.run(bound)
  return []
}

/** SQLite keeps truth as a number. */
function boundValue(value: Value | undefined): unknown {
  return typeof value === 'boolean' ? Number(value) : value
}

/** A statement with `?` for each value, and which value each of them stands for: names would be looked up at each call. */
interface Known {
  readonly prepared: Prepared<[readonly unknown[]], Row>
  readonly order: readonly number[]
}

const known = new WeakMap<Connection, Map<string, Known>>()

/** Each statement is prepared once; there are as many as stand in the source. */
function preparedIn(connection: Connection, text: string): Known {
  const own = known.get(connection) ?? new Map<string, Known>()
  known.set(connection, own)
  const found = own.get(text) ?? prepare(connection, text)
  own.set(text, found)
  return found
}

function prepare(connection: Connection, text: string): Known {
  const order = Array.from(text.matchAll(/\$(\d+)/g), ([, place]) => Number(place) - 1)
  return { prepared: connection.prepare(text.replaceAll(/\$\d+/g, '?')), order }
}
