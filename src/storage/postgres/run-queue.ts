import { StorageUnavailable, TooManyWaiting } from '../../errors.ts'
import { type RunStatus, statusOf } from '../../events/index.ts'
import { checkIdentifier } from '../identifier.ts'
import type { QueueFigures, RunQueue } from '../queues.ts'
import type { EventTable } from '../sql/events.ts'
import { nextTurn, storeFirst } from '../sql/runs.ts'
import type { Work } from '../sql/work.ts'
import { runWork, type Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import { dialect } from './database/dialect.ts'
import type { PostgresLeases } from './leases.ts'
import { QueueWorker } from './queue-worker.ts'
import { isQueued, type NewJob, type ThreadJobs } from './thread-jobs.ts'
import { WorkerSession, workersLock } from './worker-session.ts'

export interface QueueParts {
  /** The address of the database. */
  readonly url: string
  readonly database: PostgresDatabase
  readonly events: EventTable
  readonly leases: PostgresLeases
  readonly jobs: ThreadJobs
}

/** The queue of pg-boss, in which each run has a job; the run's row says that it is there, and at which place. */
export function postgresQueue(parts: QueueParts): RunQueue {
  const { database, events, leases, jobs } = parts
  return {
    async submit(threadId, runId, firstEvents, waitingPerUser = null) {
      checkIdentifier('thread', threadId)
      checkIdentifier('run', runId)
      await jobs.open()
      await database.write(async (sql) => {
        await runWork(sql, storeNext(events, { threadId, runId, firstEvents }))
        if (waitingPerUser !== null) await refuseTooMany(sql, { runId, waitingPerUser })
        await enqueue(sql, jobs, { runId, choices: {}, begun: false })
      })
    },
    async resubmit(runId, newEvents, choices) {
      const { threadId } = await events.run(runId)
      await jobs.open()
      return database.write(async (sql) => {
        const status = await runWork(sql, storeMore(events, { threadId, runId, newEvents }))
        if (status.pendingApprovals.length > 0) return false
        await enqueue(sql, jobs, { runId, choices, begun: true })
        return true
      })
    },
    has: (runId) => isQueued(database.sql, runId),
    async queuedOf(runIds) {
      const queued = 'SELECT run_id AS id FROM runs WHERE run_id = ANY($1::text[]) AND queue_place IS NOT NULL'
      return (await database.sql.all<{ id: string }>(queued, [runIds])).map(({ id }) => id)
    },
    async figures() {
      const row = await database.sql.get<QueueFigures>(figures)
      // An aggregate has one row always.
      if (!row) throw new StorageUnavailable('The queue cannot be counted.')
      return row
    },
    pause: (isPaused) =>
      database.write(async (sql) => {
        await sql.run('UPDATE queue SET paused = $1', [isPaused])
      }),
    async join(limits) {
      await jobs.open()
      await database.write((sql) => jobs.addMissing(sql))
      const session = await WorkerSession.open(parts.url, leases.owner)
      return new QueueWorker(parts, { limits, session })
    },
  }
}

function* storeNext(
  events: EventTable,
  { threadId, runId, firstEvents }: { threadId: string; runId: string; firstEvents: Parameters<RunQueue['submit']>[2] },
): Work<void> {
  yield* dialect.lockThread(threadId)
  yield* storeFirst(events, runId, firstEvents(yield* nextTurn(events, threadId)))
}

function* storeMore(
  events: EventTable,
  { threadId, runId, newEvents }: { threadId: string; runId: string; newEvents: Parameters<RunQueue['resubmit']>[1] },
): Work<RunStatus> {
  yield* dialect.lockThread(threadId)
  const log = yield* events.log(runId)
  const added = newEvents(log)
  for (const event of added) yield* events.insert(event)
  return statusOf([...log, ...added])
}

/** Call it before the run is in the queue. One after the other for each user, so that they are counted. */
async function refuseTooMany(sql: Sql, { runId, waitingPerUser }: { runId: string; waitingPerUser: number }) {
  const own = `coalesce(user_id, '') = (SELECT coalesce(user_id, '') FROM runs WHERE run_id = $1)`
  await sql.get(
    `SELECT pg_advisory_xact_lock(hashtextextended(coalesce(user_id, ''), 3)) FROM runs WHERE run_id = $1`,
    [runId],
  )
  const row = await sql.get<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM runs LEFT JOIN leases USING (run_id)
     WHERE queue_place IS NOT NULL AND job IS NULL AND ${own}`,
    [runId],
  )
  if ((row?.waiting ?? 0) < waitingPerUser) return
  throw new TooManyWaiting(
    `${waitingPerUser} of your questions wait for an answer, which is the most. Ask again once one of them is begun.`,
  )
}

interface Queued {
  readonly runId: string
  readonly choices: object
  /** The run has had its thread. */
  readonly begun: boolean
}

/**
 * The lowest place of all goes first. A user's next run, or file, comes behind the one before it, but not before the
 * places where the queue is, so that users take turns however much each has submitted (start-time fair queuing, Goyal and
 * others 1996).
 */
export const nextPlace = (table: 'runs' | 'queued_files', ofUser: string) => `greatest(
    (SELECT min(queue_place) FROM ${table} WHERE queue_place IS NOT NULL),
    (SELECT max(queue_place) + 1 FROM ${table}
     WHERE queue_place IS NOT NULL AND coalesce(user_id, '') = coalesce(${ofUser}, '')),
    1)`

/** Adds a run that is not in the queue. Its row has the place, its job the same as its priority; neither changes there. */
async function enqueue(sql: Sql, jobs: ThreadJobs, { runId, choices, begun }: Queued): Promise<void> {
  const job = await sql.get<NewJob>(
    `UPDATE runs AS added SET queue_place = ${nextPlace('runs', 'added.user_id')}, queued_at = clock_timestamp(),
       queue_choices = $2, begun = $3
     WHERE run_id = $1 AND queue_place IS NULL
     RETURNING thread_id AS "threadId", user_id AS "userId", queue_place AS place`,
    [runId, JSON.stringify(choices), begun],
  )
  if (!job) return
  await jobs.send(sql, job)
  await runWork(sql, dialect.tell(runId, job.threadId))
}

/** Of the runs that have not ended. A snapshot begins with the state, and is taken when a run waits and when it goes on. */
const figures = `
  WITH unfinished AS (
    SELECT queued_at, CASE
      WHEN queue_place IS NOT NULL THEN CASE WHEN job IS NULL THEN 'waiting' ELSE 'working' END
      WHEN expires_at > clock_timestamp() THEN 'running'
      WHEN snapshot LIKE '{"state":"requires_action"%' THEN 'requires_action'
      ELSE 'interrupted' END AS state
    FROM runs LEFT JOIN leases ON leases.run_id = runs.run_id WHERE NOT ended
  )
  SELECT (SELECT paused FROM queue) AS "isPaused", count(*) FILTER (WHERE state = 'waiting') AS waiting,
    count(*) FILTER (WHERE state = 'working') AS working,
    extract(epoch FROM clock_timestamp() - min(queued_at) FILTER (WHERE state = 'waiting'))::float8 AS "oldestSeconds",
    json_build_object('running', count(*) FILTER (WHERE state = 'running'),
      'requires_action', count(*) FILTER (WHERE state = 'requires_action'),
      'interrupted', count(*) FILTER (WHERE state = 'interrupted')) AS outside,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32) | objid::bigint = ${workersLock}) AS workers,
    (SELECT json_build_object('waiting', count(*) - count(owner), 'working', count(owner))
     FROM queued_files WHERE queue_place IS NOT NULL) AS files
  FROM unfinished`
