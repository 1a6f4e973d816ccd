import type { Mask } from '../../credentials/mask.ts'
import { AlreadyExists } from '../../errors.ts'
import { type Event, hasEnded, type RunRecord } from '../../events/index.ts'
import type { RunBeginning, Storage, StorageReport } from '../storage.ts'
import { markReset, PostgresCheckpointer } from './checkpointer.ts'
import type { Sql } from './connection.ts'
import { type DatabaseOptions, openDatabase, type PostgresDatabase } from './database.ts'
import { type PostgresEventStore, postgresEventStore } from './event-store.ts'
import { postgresLeases } from './leases.ts'
import { migrations } from './schema.ts'
import { postgresScores } from './scores.ts'
import { postgresThreads } from './threads.ts'

export interface PostgresStorageOptions extends Pick<DatabaseOptions, 'url' | 'outageMs'> {
  /** Applied to events, checkpoints and scores before they are written. */
  readonly mask?: Mask
}

/** What is stored of runs and threads; the library is not among it yet. */
export type PostgresStorage = Omit<Storage, 'passages' | 'vectors'>

const unmasked: Mask = (value) => value

/**
 * Opens the storage in a PostgreSQL database, and makes its tables if they are missing. Throws `StorageUnavailable` where
 * the database cannot be used, `SchemaUnsupported` if a newer version wrote it.
 */
export async function openPostgresStorage({
  mask = unmasked,
  ...options
}: PostgresStorageOptions): Promise<PostgresStorage> {
  const database = await openDatabase(options)
  const leases = await postgresLeases(database)
  const events = postgresEventStore(database, mask, leases.fence)
  const scores = postgresScores(database, mask)
  return {
    checkpointer: new PostgresCheckpointer(database, mask, leases.fence),
    events,
    leases,
    scores,
    threads: postgresThreads(database, mask, events),
    beginRun: (threadId, runId, firstEvents) =>
      leases.take(threadId, runId, async (sql) => {
        const begun = await placeAfter(sql, threadId, await events.latest(sql, threadId))
        const log = []
        for (const event of firstEvents(begun)) log.push(await events.insert(sql, event))
        if ((log[0]?.position ?? 1) > 1) throw new AlreadyExists(`Run ${runId} is in the log already.`)
        return { ...begun, log }
      }),
    importRuns: (runs, said = []) =>
      database.write(async (sql) => {
        for (const log of runs) await importRun(sql, events, log)
        for (const score of said) await scores.insert(sql, score)
      }),
    dropParked: (runId) => database.write((sql) => runAll(sql, reset, [runId])),
    pruneThread: (threadId) =>
      database.write(async (sql) => {
        await leases.fence(sql, threadId)
        await runAll(sql, pruning, [threadId])
      }),
    resetThread: (threadId) => leases.whileFree(threadId, (sql) => runAll(sql, [...reset, markReset], [threadId])),
    deleteThread: (threadId) => leases.whileFree(threadId, (sql) => runAll(sql, deletion, [threadId])),
    report: () => report(database),
    close() {
      leases.stopRenewing()
      return database.close()
    },
  }
}

const newest = `(SELECT checkpoint_id FROM checkpoints WHERE thread_id = $1 AND checkpoint_ns = ''
                 ORDER BY sequence DESC LIMIT 1)`
const reset = ['DELETE FROM writes WHERE thread_id = $1', 'DELETE FROM checkpoints WHERE thread_id = $1']
const pruning = reset.map((sql) => `${sql} AND NOT (checkpoint_ns = '' AND checkpoint_id = ${newest})`)
const runsOfThread = '(SELECT run_id FROM runs WHERE thread_id = $1)'
const deletion = [
  ...reset,
  `DELETE FROM checkpoints WHERE thread_id IN ${runsOfThread}`,
  `DELETE FROM writes WHERE thread_id IN ${runsOfThread}`,
  `DELETE FROM events WHERE run_id IN ${runsOfThread}`,
  'DELETE FROM runs WHERE thread_id = $1',
  'DELETE FROM leases WHERE thread_id = $1',
  'DELETE FROM threads WHERE thread_id = $1',
]
// What is parked already is not replaced: a run that was parked does not come back under its thread.
const parking = [
  `INSERT INTO checkpoints
   SELECT $2, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata, sequence
   FROM checkpoints WHERE thread_id = $1 ON CONFLICT DO NOTHING`,
  `INSERT INTO writes
   SELECT $2, checkpoint_ns, checkpoint_id, task_id, idx, channel, value
   FROM writes WHERE thread_id = $1 ON CONFLICT DO NOTHING`,
]
// A run that was resumed since the reset has continued the conversation. A missing checkpoint alone proves no reset: a
// process may have been killed before the first one.
const wasReset = `SELECT 1 FROM runs WHERE run_id = $2 AND reset_after
  AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE thread_id = $1)`

async function runAll(sql: Sql, statements: readonly string[], values: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.run(statement, values)
}

/** Where the next run of a thread begins; the checkpoints of an unfinished one before it are parked. */
async function placeAfter(sql: Sql, threadId: string, before: RunRecord | null): Promise<RunBeginning> {
  if (!before) return { turn: 1, afterReset: false }
  if (!hasEnded(before.status.state)) await runAll(sql, parking, [threadId, before.runId])
  const afterReset = (await sql.get(wasReset, [threadId, before.runId])) !== undefined
  return { turn: before.turn + 1, afterReset }
}

/** Call it inside `write`. */
async function importRun(sql: Sql, events: PostgresEventStore, log: readonly Event[]): Promise<void> {
  const created = log.find((event) => event.type === 'run.created')
  if (!created) return
  const { threadId, turn } = created.payload
  if (await events.holds(sql, created.correlationId, threadId, turn)) {
    throw new AlreadyExists(
      `Run ${created.correlationId}, or turn ${turn} of thread "${threadId}", is here already. Nothing was imported.`,
    )
  }
  for (const event of log) await events.insert(sql, event)
}

const countedTables = ['runs', 'events', 'checkpoints', 'writes', 'leases', 'scores']

async function report({ name, sql }: PostgresDatabase): Promise<StorageReport> {
  const size = await sql.get<{ bytes: number }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
  )
  const rows: [string, number][] = []
  for (const table of countedTables) {
    const count = await sql.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`)
    rows.push([table, count?.rows ?? 0])
  }
  return {
    path: name,
    bytes: size?.bytes ?? 0,
    schemaVersion: migrations.length,
    // The server checks its own pages.
    integrity: 'ok',
    rows: Object.fromEntries(rows),
  }
}
