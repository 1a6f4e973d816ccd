import { stat } from 'node:fs/promises'
import type { Statement } from 'better-sqlite3'
import type { Mask } from '../../credentials/mask.ts'
import { AlreadyExists } from '../../errors.ts'
import { type Event, hasEnded, type RunRecord } from '../../events/index.ts'
import { scoreTable } from '../sql/scores.ts'
import { threadTable } from '../sql/threads.ts'
import { countedTables, type Storage, type StorageReport } from '../storage.ts'
import { markReset, SqliteCheckpointer } from './checkpointer.ts'
import { type DatabaseOptions, openDatabase, type SqliteDatabase } from './database/database.ts'
import { runWork, workplace } from './database/run-work.ts'
import { latestActivity, type SqliteEventStore, sqliteEventStore } from './event-store.ts'
import type { LeaseClock } from './leases.ts'
import { sqliteLeases } from './leases.ts'
import { damagedPages } from './library/page-checks.ts'
import { sqlitePassageIndex } from './library/passage-index.ts'
import { sqlitePassageVectors } from './library/passage-vectors.ts'
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
  const leases = await sqliteLeases(database, leaseClock)
  const events = sqliteEventStore(database, mask, leases.fence)
  const scores = scoreTable(workplace(database), mask)
  const statements = prepare(database)
  const live = options.path === ':memory:' ? null : new SocketRuns(database, leases.owner)
  return {
    checkpointer: new SqliteCheckpointer(database, mask, leases.fence),
    events,
    passages: sqlitePassageIndex(database),
    vectors: sqlitePassageVectors(database),
    leases,
    scores,
    threads: threadTable(workplace(database), mask, {
      userOfFirst: "(SELECT payload ->> 'userId' FROM events WHERE run_id = first.run_id AND position = 1)",
      nextActivity: `${latestActivity} + 1`,
      titleForm: { write: JSON.stringify, read: JSON.parse },
      records: events.records,
    }),
    ...(live && { live }),
    async marks(runIds) {
      const tokens = await leases.tokensOf(runIds)
      const ends = await database.read(() => runIds.map((runId) => statements.lastPosition.get(runId)?.last ?? 0))
      return new Map(runIds.map((runId, index) => [runId, `${ends[index]} ${tokens.get(runId) ?? ''}`]))
    },
    beginRun: (threadId, runId, firstEvents) =>
      leases.take(threadId, runId, () => {
        const begun = beginTurn(threadId, events.latest(threadId), statements)
        const log = firstEvents(begun).map((event) => events.insert(event))
        if ((log[0]?.position ?? 1) > 1) throw new AlreadyExists(`Run ${runId} is in the log already.`)
        return { ...begun, log }
      }),
    importRuns: (runs, said = []) =>
      database.write(
        () => {
          for (const log of runs) importRun(events, log)
          for (const score of said) runWork(database, scores.insert(score))
        },
        { durable: true },
      ),
    async dropParked(runId) {
      await database.write(() => runAll(statements.reset, { threadId: runId }))
    },
    async pruneThread(threadId) {
      await database.write(() => {
        leases.fence(threadId)
        runAll(statements.prune, { threadId })
      })
    },
    async resetThread(threadId) {
      await leases.whileFree(threadId, () => runAll([...statements.reset, statements.markReset], { threadId }))
    },
    async deleteThread(threadId) {
      await leases.whileFree(threadId, () => runAll(statements.delete, { threadId }))
    },
    checkWrites: () => database.write(() => rewriteVersion(database), { durable: true }),
    report: () => database.read(() => report(database)),
    async close() {
      leases.stopRenewing()
      await live?.close()
      await database.close()
    },
  }
}

function prepare({ connection }: SqliteDatabase) {
  const all = (...statements: readonly string[]) => statements.map((sql) => connection.prepare<unknown[]>(sql))
  const newest = `(SELECT checkpoint_id FROM checkpoints WHERE thread_id = @threadId AND checkpoint_ns = ''
                   ORDER BY sequence DESC LIMIT 1)`
  const reset = [
    'DELETE FROM checkpoints WHERE thread_id = @threadId',
    'DELETE FROM writes WHERE thread_id = @threadId',
  ]
  return {
    prune: all(...reset.map((sql) => `${sql} AND NOT (checkpoint_ns = '' AND checkpoint_id = ${newest})`)),
    reset: all(...reset),
    lastPosition: connection.prepare<[string], { last: number | null }>(
      'SELECT max(position) AS last FROM events WHERE run_id = ?',
    ),
    markReset: connection.prepare<unknown[]>(markReset),
    // A run that was resumed since the reset has continued the conversation. A missing checkpoint alone proves no reset: a
    // process may have been killed before the first one.
    resetAfter: connection.prepare<unknown[]>(
      `SELECT 1 FROM runs WHERE run_id = @runId AND reset_after = 1
       AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE thread_id = @threadId)`,
    ),
    // What is aside already is not replaced: a run that was set aside does not come back under its thread.
    parkedCheckpoints: all(
      `INSERT OR IGNORE INTO checkpoints
       SELECT @runId, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, sequence
       FROM checkpoints WHERE thread_id = @threadId`,
      `INSERT OR IGNORE INTO writes
       SELECT @runId, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value
       FROM writes WHERE thread_id = @threadId`,
    ),
    delete: all(
      ...reset,
      'DELETE FROM checkpoints WHERE thread_id IN (SELECT run_id FROM runs WHERE thread_id = @threadId)',
      'DELETE FROM writes WHERE thread_id IN (SELECT run_id FROM runs WHERE thread_id = @threadId)',
      'DELETE FROM events WHERE run_id IN (SELECT run_id FROM runs WHERE thread_id = @threadId)',
      'DELETE FROM runs WHERE thread_id = @threadId',
      'DELETE FROM leases WHERE thread_id = @threadId',
      'DELETE FROM threads WHERE thread_id = @threadId',
    ),
  }
}

/** Call it inside `write`. */
function importRun(events: SqliteEventStore, log: readonly Event[]): void {
  const created = log.find((event) => event.type === 'run.created')
  if (!created) return
  const { threadId, turn } = created.payload
  if (events.holds(created.correlationId, threadId, turn)) {
    throw new AlreadyExists(
      `Run ${created.correlationId}, or turn ${turn} of thread "${threadId}", is here already. Nothing was imported.`,
    )
  }
  for (const event of log) events.insert(event)
}

/** Sets the checkpoints of a run aside that has not ended. */
function beginTurn(
  threadId: string,
  before: RunRecord | null,
  { parkedCheckpoints, resetAfter }: Pick<ReturnType<typeof prepare>, 'parkedCheckpoints' | 'resetAfter'>,
): { readonly turn: number; readonly afterReset: boolean } {
  if (before === null) return { turn: 1, afterReset: false }
  const names = { threadId, runId: before.runId }
  if (!hasEnded(before.status.state)) runAll(parkedCheckpoints, names)
  return { turn: before.turn + 1, afterReset: resetAfter.get(names) !== undefined }
}

function runAll(statements: readonly Statement<unknown[]>[], names: { threadId: string; runId?: string }): void {
  for (const statement of statements) statement.run(names)
}

/** Writes the page that holds the version of the schema. Call it inside `write`. */
function rewriteVersion({ connection }: SqliteDatabase): void {
  connection.pragma(`user_version = ${Number(connection.pragma('user_version', { simple: true }))}`)
}

async function report({ connection, path }: SqliteDatabase): Promise<StorageReport> {
  const findings = connection.prepare<[], { quick_check: string }>('PRAGMA quick_check').all()
  const rows = countedTables.map((table): [string, number] => {
    const count = connection.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()
    return [table, count?.rows ?? 0]
  })
  return {
    path,
    bytes: await bytesOf({ connection, path }),
    schemaVersion: Number(connection.pragma('user_version', { simple: true })),
    // One line, `ok`, or a line for each thing that is wrong; the full-text index is checked with the rest.
    integrity: findings.map((finding) => finding.quick_check).join('\n'),
    rows: Object.fromEntries(rows),
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
