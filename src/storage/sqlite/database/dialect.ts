import type { Dialect } from '../../sql/dialect.ts'
import { first } from '../../sql/work.ts'

/** The duration of a lease after each renewal. */
export const leaseMs = 20_000

const nowMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

const version = 'SELECT data_version AS version FROM pragma_data_version'

function* nothing() {}

/** Within a transaction, SQLite has one writer: no row needs a lock, and other processes look into the log. */
export function sqliteDialect(): Dialect {
  // Of others, SQLite counts them.
  let ownChanges = 0
  return {
    nextActivity:
      '(SELECT max(coalesce((SELECT max(activity) FROM runs), 0), coalesce((SELECT max(activity) FROM threads), 0)) + 1)',
    nextCheckpoint: '(SELECT coalesce(max(sequence), 0) + 1 FROM checkpoints WHERE thread_id = $1)',
    version,
    rows(value, name, columns) {
      const each = Object.keys(columns).map((column) => `value ->> '${column}' AS ${column}`)
      return `(SELECT ${each.join(', ')} FROM json_each(${value})) AS ${name}`
    },
    among: (column, query) => `${column} IN ${query}`,
    forShare: '',
    forUpdate: '',
    lockThread: nothing,
    tell: nothing,
    lease: {
      isCurrent: `expires_at_ms > ${nowMs}`,
      expiry: { column: 'expires_at_ms', value: `${nowMs} + ${leaseMs}` },
      renewed: 'renewals = renewals + 1',
    },
    // UTF-8 keeps no half of a surrogate pair.
    anyText: { write: JSON.stringify, read: JSON.parse },
    library: {
      complete: 'document_id NOT IN (SELECT document_id FROM unfinished_documents)',
      order: 'coalesce(title, source) COLLATE NOCASE, document_id',
      changed() {
        ownChanges += 1
        return nothing()
      },
      *version() {
        const row = yield* first<{ version: number }>(version)
        return `${row?.version}.${ownChanges}`
      },
    },
  }
}
