import type { Dialect } from '../../sql/dialect.ts'
import { all, first } from '../../sql/work.ts'

/** All processes listen here for runs that begin, change or are asked for; each database has channels of its own. */
export const runsChannel = 'quaero_runs'

/** The duration of a lease after each renewal, by the clock of the server, which all processes share. */
const leaseSeconds = 20

export const dialect: Dialect = {
  nextActivity: `nextval('activity')`,
  nextCheckpoint: `nextval('checkpoint_sequence')`,
  // What is committed as this statement sees it; a counter would show a change before it is.
  version: `SELECT hashtextextended(pg_current_snapshot()::text, 0) & ${Number.MAX_SAFE_INTEGER} AS version`,
  rows(value, name, columns) {
    const each = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
    return `json_to_recordset(CAST(${value} AS json)) AS ${name} (${each.join(', ')})`
  },
  // As a join, the planner reads the whole table.
  among: (column, query) => `${column} = ANY (ARRAY ${query})`,
  forShare: 'FOR SHARE',
  forUpdate: 'FOR UPDATE',
  *lockThread(threadId) {
    yield* first('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [threadId])
  },
  *tell(runId, threadId) {
    yield* all('SELECT pg_notify($1, $2)', [runsChannel, JSON.stringify({ runId, threadId })])
  },
  lease: {
    isCurrent: 'expires_at > clock_timestamp()',
    expiry: { column: 'expires_at', value: `clock_timestamp() + interval '${leaseSeconds} seconds'` },
    renewed: 'renewed_at = clock_timestamp()',
  },
  // The connection takes care of them.
  anyText: { write: (text) => text, read: (kept) => kept },
  library: {
    complete: 'true',
    // As SQLite orders them: without regard to the case of the letters a to z.
    order: 'lower(coalesce(title, source) COLLATE "C"), document_id COLLATE "C"',
    *changed() {
      yield* all('UPDATE library_version SET version = version + 1')
    },
    *version() {
      return String((yield* first<{ version: number }>('SELECT version FROM library_version'))?.version)
    },
  },
}
