import { ThreadBusy } from '../../errors.ts'
import type { ClaimedRun, QueueLimits, QueueMember } from '../queues.ts'
import { parkUnfinished } from '../sql/runs.ts'
import { runWork, type Sql } from './database/connection.ts'
import type { HoldThread, JobLease } from './leases.ts'
import type { QueueParts } from './run-queue.ts'
import { sessionLock, type WorkerSession } from './worker-session.ts'

/** The lock that one worker holds while it takes a run, so that no limit is exceeded by two at once. */
const claimLock = 0x51_55_45_55
/** A worker that has not renewed its leases, or its file, for so long does not answer. They are renewed each 2 seconds. */
const silentSeconds = 6
/** A worker whose connection broke makes another within this time. */
const reconnectMs = 900
/** For a thread on which a process works without the queue. Seconds. */
const busyDelay = 1

interface WaitingRun {
  readonly run_id: string
  readonly queue_choices: string
  readonly begun: boolean
}

/** A worker of the queue in PostgreSQL; its owner of leases is that of the storage. */
export class QueueWorker implements QueueMember {
  readonly #parts: QueueParts
  readonly #limits: QueueLimits
  readonly #session: WorkerSession
  /** Since when this worker has seen the database without a break. */
  #watchingSince = performance.now()
  /** Since when workers have no session, by owner. */
  #gone = new Map<string, number>()

  constructor(parts: QueueParts, { limits, session }: { limits: QueueLimits; session: WorkerSession }) {
    this.#parts = parts
    this.#limits = limits
    this.#session = session
  }

  async claim(): Promise<ClaimedRun | null> {
    for (;;) {
      const claimed = await this.#parts.leases.taking((sql, hold) => this.#claimIn(sql, hold))
      if (claimed !== 'without work') return claimed
    }
  }

  async recover(): Promise<void> {
    const { database, leases } = this.#parts
    try {
      const workers = await database.sql.all<{ owner: string; isGone: boolean }>(othersAtWork, [leases.owner])
      for (const owner of this.#ownersToReplace(workers)) await this.#replace(owner)
    } catch (error) {
      this.#watchingSince = performance.now()
      this.#gone.clear()
      throw error
    }
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#session.changed(signal)
  }

  leave(): Promise<void> {
    return this.#session.close()
  }

  async #claimIn(sql: Sql, hold: HoldThread): Promise<ClaimedRun | null | 'without work'> {
    const { jobs, events } = this.#parts
    await sql.get('SELECT pg_advisory_xact_lock($1)', [claimLock])
    const withoutUsers = await usersAtLimit(sql, this.#limits)
    const taken = withoutUsers && (await jobs.take(sql, { withoutUsers, perUser: this.#limits.runsPerUser }))
    if (!taken) return null
    const { job, threadId } = taken
    const run = await sql.get<WaitingRun>(firstOfThread, [threadId])
    if (!run) {
      // It was cancelled.
      await jobs.remove(sql, job)
      return 'without work'
    }
    if (!(await isHeld(hold({ threadId, runId: run.run_id, job })))) {
      await jobs.giveBack(sql, job, { inSeconds: busyDelay })
      return 'without work'
    }
    if (!run.begun) await runWork(sql, parkUnfinished(events, threadId))
    await sql.run('UPDATE runs SET begun = true, claimed_at = clock_timestamp() WHERE run_id = $1', [run.run_id])
    // As `resubmit` wrote it.
    return { runId: run.run_id, threadId, choices: JSON.parse(run.queue_choices) }
  }

  /** Workers without a session for a while; and all others to judge by their leases, once they had the time to renew. */
  #ownersToReplace(workers: readonly { readonly owner: string; readonly isGone: boolean }[]) {
    const now = performance.now()
    const gone = workers
      .filter(({ isGone }) => isGone)
      .map(({ owner }) => [owner, this.#gone.get(owner) ?? now] as const)
    this.#gone = new Map(gone)
    const mayJudge = now - this.#watchingSince > 1000 * silentSeconds
    return workers.flatMap(({ owner }) => {
      const since = this.#gone.get(owner)
      const isGone = since !== undefined && now - since >= reconnectMs
      return isGone || mayJudge ? [{ owner, isGone }] : []
    })
  }

  async #replace({ owner, isGone }: { readonly owner: string; readonly isGone: boolean }): Promise<void> {
    const { database, jobs } = this.#parts
    await database.write(async (sql) => {
      for (const lease of await sql.all<JobLease>(takeAway, [owner, isGone])) await jobs.settle(sql, lease)
      await sql.run(takeFileAway, [owner, isGone])
    })
  }
}

const firstOfThread = `
  SELECT run_id, queue_choices, begun FROM runs
  WHERE thread_id = $1 AND queue_place IS NOT NULL ORDER BY turn LIMIT 1`

/** The other workers that have runs or files, and whether their sessions are gone. */
const othersAtWork = `
  SELECT owner, NOT EXISTS (
    SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32) | objid::bigint = ${sessionLock('owner')}
  ) AS "isGone" FROM (
    SELECT owner FROM leases WHERE job IS NOT NULL UNION SELECT owner FROM queued_files
    WHERE queue_place IS NOT NULL AND owner IS NOT NULL
  ) AS workers WHERE owner <> $1`

/** A row that is locked belongs to a transaction of its worker, which may still be committed. */
const takeAway = `
  DELETE FROM leases WHERE token IN (
    SELECT token FROM leases WHERE owner = $1 AND job IS NOT NULL
      AND ($2 OR renewed_at < clock_timestamp() - interval '${silentSeconds} seconds')
    FOR UPDATE SKIP LOCKED
  ) RETURNING thread_id AS "threadId", run_id AS "runId", job`

const takeFileAway = `
  UPDATE queued_files SET owner = NULL WHERE file_id IN (
    SELECT file_id FROM queued_files WHERE queue_place IS NOT NULL AND owner = $1
      AND ($2 OR renewed_at < clock_timestamp() - interval '${silentSeconds} seconds')
    FOR UPDATE SKIP LOCKED
  )`

async function isHeld(held: Promise<unknown>): Promise<boolean> {
  return held.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ThreadBusy) return false
      throw error
    },
  )
}

/** Users who had their runs of a minute; null if all must wait. */
async function usersAtLimit(sql: Sql, limits: QueueLimits): Promise<readonly (string | null)[] | null> {
  const row = await sql.get<{ isFull: boolean }>(
    `SELECT paused OR (SELECT count(*) FROM leases WHERE job IS NOT NULL) >= $1
       OR (SELECT count(*) FROM runs WHERE ${claimedLately}) >= $2 AS "isFull" FROM queue`,
    [limits.runs, limits.runsPerMinute],
  )
  if (row?.isFull) return null
  if (limits.runsPerMinutePerUser === null) return []
  const users = await sql.all<{ user_id: string | null }>(
    `SELECT user_id FROM runs WHERE ${claimedLately} GROUP BY user_id HAVING count(*) >= $1`,
    [limits.runsPerMinutePerUser],
  )
  return users.map(({ user_id }) => user_id)
}

const claimedLately = "claimed_at > clock_timestamp() - interval '60 seconds'"
