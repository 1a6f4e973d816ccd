import type { Mask } from '../../credentials/index.ts'
import { eventTable } from '../sql/events.ts'
import { vectorTables } from '../sql/passage-vectors.ts'
import { countRows, runTables } from '../sql/runs.ts'
import { scoreTable } from '../sql/scores.ts'
import { threadTable } from '../sql/threads.ts'
import type { Storage, StorageReport } from '../storage.ts'
import { PostgresCheckpointer } from './checkpointer.ts'
import { openPool, runWork, type Sql } from './database/connection.ts'
import { type DatabaseOptions, openDatabase, type PostgresDatabase } from './database/database.ts'
import { dialect } from './database/dialect.ts'
import { mayPass } from './database/failure.ts'
import { migrations } from './database/schema.ts'
import { postgresFileQueue } from './file-queue.ts'
import { PostgresLeases } from './leases.ts'
import { damagedPages } from './library/page-texts.ts'
import { postgresPassageIndex } from './library/passage-index.ts'
import { NotifiedRuns } from './live/notified-runs.ts'
import { postgresQueue } from './run-queue.ts'
import { ThreadJobs } from './thread-jobs.ts'

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
  const place = database.place
  const jobs = new ThreadJobs(database)
  const leases = new PostgresLeases(database, (sql, lease) => jobs.settle(sql, lease))
  const { fence } = leases
  const events = eventTable(place, { dialect, mask, fence })
  const scores = scoreTable(place, mask)
  const listening = await openPool(options.url, { max: 1, idleTimeoutMillis: 0 })
  const live = new NotifiedRuns(database.sql, listening.pool)
  return {
    checkpointer: new PostgresCheckpointer(place, { dialect, mask, fence, mayPass }),
    events,
    library: postgresPassageIndex(database),
    vectors: vectorTables(place, { dialect, whileAlone: (work) => database.whileLocked('embedding', work) }),
    leases,
    live,
    scores,
    queue: postgresQueue({ url: options.url, database, events, leases, jobs }),
    files: postgresFileQueue({ database, owner: leases.owner, live }),
    threads: threadTable(place, { dialect, mask, events }),
    ...runTables(place, { dialect, events, leases, scores }),
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
  return {
    path: name,
    bytes: size?.bytes ?? 0,
    schemaVersion: migrations.length,
    integrity: (await findings(sql)).join('\n') || 'ok',
    rows: await runWork(sql, countRows()),
    damagedPages: await runWork(sql, damagedPages()),
  }
}
