import type { Mask } from '../../credentials/mask.ts'
import { AlreadyExists } from '../../errors.ts'
import type { Event } from '../../events/index.ts'
import { scoreTable } from '../sql/scores.ts'
import { threadTable } from '../sql/threads.ts'
import { countedTables, type Storage, type StorageReport } from '../storage.ts'
import { markReset, PostgresCheckpointer } from './checkpointer.ts'
import { openPool, type Sql } from './database/connection.ts'
import { type DatabaseOptions, openDatabase, type PostgresDatabase } from './database/database.ts'
import { notifyOfRun } from './database/notifications.ts'
import { runWork, workplace } from './database/run-work.ts'
import { migrations } from './database/schema.ts'
import { type PostgresEventStore, postgresEventStore } from './event-store.ts'
import { postgresFileQueue } from './file-queue.ts'
import { postgresLeases } from './leases.ts'
import { damagedPages } from './library/page-texts.ts'
import { postgresPassageIndex } from './library/passage-index.ts'
import { postgresPassageVectors } from './library/passage-vectors.ts'
import { NotifiedRuns } from './live/notified-runs.ts'
import { nextTurn, parkUnfinished, runAll, storeFirst } from './run-beginnings.ts'
import { postgresQueue } from './run-queue.ts'
import { threadJobs } from './thread-jobs.ts'

export interface PostgresStorageOptions extends Pick<DatabaseOptions, 'url' | 'outageMs'> {
  /** Applied to events, checkpoints and scores before they are written. */
  readonly mask?: Mask
}

const unmasked: Mask = (value) => value

/**
 * Opens the storage in a PostgreSQL database, and makes its tables if they are missing. Throws `StorageUnavailable` where
 * the database cannot be used, `SchemaUnsupported` if a newer version wrote it.
 */
export async function openPostgresStorage({ mask = unmasked, ...options }: PostgresStorageOptions): Promise<Storage> {
  const database = await openDatabase(options)
  const jobs = threadJobs(database)
  const leases = await postgresLeases(database, jobs.settle)
  const events = postgresEventStore(database, mask, leases.fence)
  const scores = scoreTable(workplace(database), mask)
  const listening = await openPool(options.url, { max: 1, idleTimeoutMillis: 0 })
  const live = new NotifiedRuns(database.sql, listening.pool, leases)
  return {
    checkpointer: new PostgresCheckpointer(database, mask, leases.fence),
    events,
    passages: postgresPassageIndex(database),
    vectors: postgresPassageVectors(database),
    leases,
    live,
    scores,
    queue: postgresQueue({ url: options.url, database, events, leases, jobs }),
    files: postgresFileQueue({ database, owner: leases.owner, live }),
    threads: threadTable(workplace(database), mask, {
      userOfFirst: 'first.user_id',
      nextActivity: `nextval('activity')`,
      titleForm: { write: (title) => title, read: (kept) => kept },
      records: (runIds) => events.records(database.sql, runIds),
    }),
    async marks(runIds) {
      const owners = await leases.ownersOf(runIds)
      const rows = await database.sql.all<{ id: string; mark: string }>(marks, [runIds])
      return new Map(rows.map(({ id, mark }) => [id, `${mark} ${owners.get(id) ?? ''}`]))
    },
    beginRun: (threadId, runId, firstEvents) =>
      leases.take(threadId, runId, async (sql) => {
        const begun = await nextTurn(sql, events, threadId)
        await parkUnfinished(sql, events, threadId)
        await notifyOfRun(sql, runId, threadId)
        return { ...begun, log: await storeFirst(sql, events, { runId, first: firstEvents(begun) }) }
      }),
    importRuns: (runs, said = []) =>
      database.write(async (sql) => {
        for (const log of runs) await importRun(sql, events, log)
        for (const score of said) await runWork(sql, scores.insert(score))
      }),
    dropParked: (runId) => database.write((sql) => runAll(sql, reset, [runId])),
    pruneThread: (threadId) =>
      database.write(async (sql) => {
        await leases.fence(sql, threadId)
        await runAll(sql, pruning, [threadId])
      }),
    resetThread: (threadId) => leases.whileFree(threadId, (sql) => runAll(sql, [...reset, markReset], [threadId])),
    deleteThread: (threadId) => leases.whileFree(threadId, (sql) => runAll(sql, deletion, [threadId])),
    checkWrites: () => database.write((sql) => sql.run('UPDATE queue SET paused = paused').then(() => {})),
    report: () => report(database),
    async close() {
      leases.stopRenewing()
      await jobs.close()
      await live.close()
      await database.close()
    },
  }
}

/** Of runs, how far their logs are, and whether they are in the queue. */
const marks = `
  SELECT id, coalesce((SELECT max(position) FROM events WHERE run_id = id), 0)::text
    || CASE WHEN queue_place IS NULL THEN '' ELSE ' queued' END AS mark
  FROM unnest($1::text[]) AS followed (id) JOIN runs ON run_id = id`

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

/** What is wrong, each with what to do; the server checks its own pages. */
async function findings(sql: Sql): Promise<readonly string[]> {
  const invalid = await sql.all<{ name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE relnamespace = current_schema()::regnamespace AND NOT indisvalid`,
  )
  const encoding = (await sql.get<{ name: string }>(`SELECT current_setting('server_encoding') AS name`))?.name
  return [
    ...invalid.map(({ name }) => `the index ${name} is invalid; run "REINDEX INDEX quaero.${name}"`),
    ...(encoding === 'UTF8' ? [] : [`the database has the encoding ${encoding}; copy it to one with UTF8`]),
  ]
}

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
    integrity: (await findings(sql)).join('\n') || 'ok',
    rows: Object.fromEntries(rows),
    damagedPages: await damagedPages(sql),
  }
}
