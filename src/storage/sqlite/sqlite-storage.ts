import { stat } from 'node:fs/promises'
import type { Mask } from '../../credentials/index.ts'
import { currentProcess, isAlive } from '../process-identity.ts'
import { eventTable } from '../sql/events.ts'
import { vectorTables } from '../sql/passage-vectors.ts'
import { countRows, runTables } from '../sql/runs.ts'
import { scoreTable } from '../sql/scores.ts'
import { threadTable } from '../sql/threads.ts'
import { all, first, type Work, type Workplace } from '../sql/work.ts'
import type { Storage, StorageReport } from '../storage.ts'
import { SqliteCheckpointer } from './checkpointer.ts'
import { type DatabaseOptions, openDatabase, type SqliteDatabase } from './database/database.ts'
import { sqliteDialect } from './database/dialect.ts'
import { isBusy } from './database/failure.ts'
import { runWork } from './database/run-work.ts'
import { type LeaseClock, sqliteLeases } from './leases.ts'
import { damagedPages } from './library/page-texts.ts'
import { sqlitePassageIndex } from './library/passage-index.ts'
import { SocketRuns } from './live/socket-runs.ts'

export interface SqliteStorageOptions extends Pick<DatabaseOptions, 'path' | 'busyWaitMs'> {
  /** Applied to events, checkpoints and scores before they are written. */
  readonly mask?: Mask
  readonly leaseClock?: LeaseClock
}

const unmasked: Mask = (value) => value

/**
 * Opens the storage in one SQLite file, made with its folder if missing; `:memory:` keeps nothing. Throws
 * `StorageUnavailable` where the file cannot be used, `SchemaUnsupported` if a newer version wrote it.
 */
export async function openSqliteStorage({
  mask = unmasked,
  leaseClock,
  ...options
}: SqliteStorageOptions): Promise<Storage> {
  const database = await openDatabase(options)
  const { place } = database
  const dialect = sqliteDialect()
  const leases = sqliteLeases(place, dialect, leaseClock)
  const { fence } = leases
  const events = eventTable(place, { dialect, mask, fence })
  const scores = scoreTable(place, mask)
  const live = options.path === ':memory:' ? null : new SocketRuns(database, leases.owner)
  return {
    checkpointer: new SqliteCheckpointer(database, { dialect, mask, fence, mayPass: isBusy }),
    events,
    library: sqlitePassageIndex(database, dialect),
    vectors: vectorTables(place, { dialect, whileAlone: (work) => whileAlone(place, work) }),
    leases,
    scores,
    threads: threadTable(place, { dialect, mask, events }),
    ...(live && { live }),
    ...runTables(place, { dialect, events, leases, scores }),
    checkWrites: () => database.write(() => rewriteVersion(database), { durable: true }),
    report: () => database.read(() => report(database)),
    async close() {
      leases.stopRenewing()
      await live?.close()
      await database.close()
    },
  }
}

/** Writes the page that holds the version of the schema. Call it inside `write`. */
function rewriteVersion({ connection }: SqliteDatabase): void {
  connection.pragma(`user_version = ${Number(connection.pragma('user_version', { simple: true }))}`)
}

async function report(database: SqliteDatabase): Promise<StorageReport> {
  const { connection, path } = database
  const findings = connection.prepare<[], { quick_check: string }>('PRAGMA quick_check').all()
  return {
    path,
    bytes: await bytesOf({ connection, path }),
    schemaVersion: Number(connection.pragma('user_version', { simple: true })),
    // One line, `ok`, or a line for each thing that is wrong; the full-text index is checked with the rest.
    integrity: findings.map((finding) => finding.quick_check).join('\n'),
    rows: runWork(connection, countRows()),
    damagedPages: damagedPages({ connection }),
  }
}

/** The file and its write-ahead log; in memory, the pages in use. */
async function bytesOf({ connection, path }: Pick<SqliteDatabase, 'connection' | 'path'>): Promise<number> {
  const pragma = (name: string) => Number(connection.pragma(name, { simple: true }))
  if (path === ':memory:') return pragma('page_count') * pragma('page_size')
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((total, size) => total + size, 0)
}

/** Work on vectors by one process at a time, which the table `vector_worker` names. */
async function whileAlone<T>({ write }: Workplace, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
  const { pid, startedAt } = currentProcess()
  if (!(await write(() => takeOver(pid, startedAt)))) return null
  try {
    return { result: await work() }
  } finally {
    await write(() => all('DELETE FROM vector_worker WHERE pid = $1 AND process_start = $2', [pid, startedAt]))
  }
}

/** False while another process that lives does the work. */
function* takeOver(pid: number, startedAt: string): Work<boolean> {
  const other = yield* first<{ pid: number; startedAt: string }>(
    'SELECT pid, process_start AS "startedAt" FROM vector_worker WHERE pid <> $1 OR process_start <> $2',
    [pid, startedAt],
  )
  if (other && isAlive(other)) return false
  yield* all('INSERT OR REPLACE INTO vector_worker (one, pid, process_start) VALUES (1, $1, $2)', [pid, startedAt])
  return true
}
