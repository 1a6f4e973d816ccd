import { randomUUID } from 'node:crypto'
import { LeaseLost } from '../../errors.ts'
import type { OpenedFile } from '../../library/index.ts'
import type { ClaimedFile, FileQueue } from '../queues.ts'
import type { LiveRuns } from '../storage.ts'
import { runWork, type Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import { dialect } from './database/dialect.ts'
import { renewEveryMs } from './leases.ts'
import { nextPlace } from './run-queue.ts'
import { notifyWorkers } from './thread-jobs.ts'

interface FileQueueParts {
  readonly database: PostgresDatabase
  /** As this process is named among workers. */
  readonly owner: string
  readonly live: Required<Pick<LiveRuns, 'watch'>>
}

/** The files of the table `queued_files`, which are their own jobs. */
export function postgresFileQueue({ database, owner, live }: FileQueueParts): FileQueue {
  return {
    // Beside other transactions, since the bytes take their time.
    submit: (file, userId) => database.transaction((sql) => store(sql, file, userId)),
    withdraw: (source, document) =>
      database.write(async (sql) => {
        const withdrawn = await sql.get<{ fileId: string }>(
          `UPDATE queued_files SET ${ended('$2')} WHERE source = $1 AND queue_place IS NOT NULL RETURNING file_id AS "fileId"`,
          [source, JSON.stringify(document)],
        )
        if (withdrawn) await runWork(sql, dialect.tell(withdrawn.fileId))
      }),
    async find(fileId) {
      const row = await database.sql.get<FileRow>(findFile, [fileId])
      // As `end` wrote it.
      return row ? { ...row, document: row.document && JSON.parse(row.document) } : null
    },
    watch: (fileId, wake) => live.watch(fileId, wake),
    async claim() {
      // Workers look often, and mostly there is none: a look is no transaction that writes.
      if (!(await database.sql.get(`SELECT 1 FROM queued_files WHERE ${canBeTaken} LIMIT 1`, [owner]))) return null
      const taken = await database.write((sql) => sql.get<TakenFile>(takeNext, [owner]))
      return taken ? claimed(database, owner, taken) : null
    },
  }
}

async function store(
  sql: Sql,
  { source, location, modifiedMs, bytes }: OpenedFile,
  userId: string | null,
): Promise<string> {
  const added = await sql.get<{ fileId: string }>(
    `INSERT INTO queued_files (file_id, source, location, modified_ms, bytes, user_id, queue_place)
     VALUES ($1, $2, $3, $4, $5, $6, ${nextPlace('queued_files', '$6')})
     ON CONFLICT (source) WHERE queue_place IS NOT NULL DO UPDATE SET source = excluded.source
     RETURNING file_id AS "fileId"`,
    [randomUUID(), source, location ?? null, modifiedMs, bytes, userId],
  )
  await notifyWorkers(sql)
  // The row that was inserted, or was there.
  return added?.fileId ?? ''
}

/** What changes when a file ends. */
function ended(outcome: string): string {
  return `queue_place = NULL, owner = NULL, bytes = NULL, ended_at = clock_timestamp(), outcome = ${outcome}`
}

interface FileRow {
  readonly state: 'waiting' | 'reading' | 'ended'
  readonly pages: number
  readonly passages: number
  readonly document: string | null
}

const findFile = `
  SELECT CASE WHEN queue_place IS NULL THEN 'ended' WHEN owner IS NULL THEN 'waiting' ELSE 'reading' END AS state,
    pages, passages, outcome AS document FROM queued_files WHERE file_id = $1`

interface TakenFile extends Pick<ClaimedFile, 'source' | 'lost' | 'failures'> {
  readonly fileId: string
  readonly attempt: number
}

/** A worker reads one file at a time, so that one under its own name was left where its release failed. */
const canBeTaken = 'queue_place IS NOT NULL AND (owner IS NULL OR owner = $1)'

const takeNext = `
  UPDATE queued_files SET owner = $1, renewed_at = clock_timestamp(), attempts = attempts + 1, pages = 0, passages = 0,
    stuck_since = coalesce(stuck_since, clock_timestamp())
  WHERE file_id = (
    SELECT file_id FROM queued_files
    WHERE ${canBeTaken} AND NOT (SELECT paused FROM queue)
    ORDER BY queue_place, queued_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING file_id AS "fileId", source, attempts AS attempt, failures, json_build_object(
    'workers', attempts - 1 - stuck_after,
    'forMs', 1000 * extract(epoch FROM clock_timestamp() - stuck_since)) AS lost`

function claimed(
  database: PostgresDatabase,
  owner: string,
  { fileId, source, attempt, lost, failures }: TakenFile,
): ClaimedFile {
  /** Changes the file unless others have taken it: the number of the attempt is never this owner's again. */
  const change = (sql: Sql, set: string, values: readonly (string | number)[] = []) =>
    sql.run(`UPDATE queued_files SET ${set} WHERE file_id = $1 AND owner = $2 AND attempts = $3`, [
      fileId,
      owner,
      attempt,
      ...values,
    ])
  // One that fails is followed by another.
  const renew = () => database.write((sql) => change(sql, 'renewed_at = clock_timestamp()')).catch(() => {})
  const timer = setInterval(renew, renewEveryMs).unref()
  return {
    source,
    lost,
    failures,
    open: () => open(database.sql, fileId),
    async progress({ pages, passages }) {
      const changed = await database.write((sql) => change(sql, progressed, [pages, passages]))
      if (changed > 0) return
      throw new LeaseLost(`Another worker has taken ${source}, since this one did not answer for a while.`)
    },
    async release({ hasFailed }) {
      clearInterval(timer)
      await database.write(async (sql) => {
        // No worker was lost with it.
        await change(sql, `owner = NULL, stuck_after = stuck_after + 1${hasFailed ? ', failures = failures + 1' : ''}`)
        await notifyWorkers(sql)
      })
    },
    async end(document) {
      clearInterval(timer)
      await database.write(async (sql) => {
        await sql.run(`DELETE FROM queued_files WHERE ended_at < clock_timestamp() - interval '${keptFor}'`)
        await change(sql, ended('$4'), [JSON.stringify(document)])
        // Runs and files have ids that no other has, so that one channel does for both.
        await runWork(sql, dialect.tell(fileId))
      })
    },
  }
}

/** The right sides are of the row before. */
const progressed = `pages = $4, passages = $5, most_pages = greatest(most_pages, $4),
  stuck_since = CASE WHEN $4 > most_pages THEN clock_timestamp() ELSE stuck_since END,
  stuck_after = CASE WHEN $4 > most_pages THEN attempts - 1 ELSE stuck_after END`

/** So long those who wait for a file can learn what became of it. */
const keptFor = '1 hour'
/** PostgreSQL sends bytes as text of twice their length, which must not become too long. */
const pieceBytes = 8_000_000

async function open(sql: Sql, fileId: string): Promise<OpenedFile> {
  const row = await sql.get<Omit<OpenedFile, 'bytes' | 'location'> & { location: string | null; size: number }>(
    `SELECT source, location, modified_ms AS "modifiedMs", octet_length(bytes) AS size FROM queued_files WHERE file_id = $1`,
    [fileId],
  )
  if (row?.size == null) throw new LeaseLost('The file that was to be read is no longer in the queue.')
  const { location, size, ...rest } = row
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += pieceBytes) {
    const found = await sql.get<{ piece: Buffer | null }>(
      'SELECT substring(bytes FROM $2 FOR $3) AS piece FROM queued_files WHERE file_id = $1',
      [fileId, at + 1, pieceBytes],
    )
    if (!found?.piece) throw new LeaseLost('The file that was to be read is no longer in the queue.')
    found.piece.copy(bytes, at)
  }
  return { ...rest, ...(location !== null && { location }), bytes }
}
