import { setTimeout as wait } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import type { Value } from '../sql/work.ts'
import type { Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import type { JobLease } from './leases.ts'

/** A run's job. */
export interface NewJob {
  readonly threadId: string
  readonly userId: string | null
  /** The lowest goes first. */
  readonly place: number
}

interface TakeOptions {
  readonly withoutUsers: readonly (string | null)[]
  /** Jobs of a user that may be taken at the same time; null is any number. */
  readonly perUser: number | null
}

interface TakenJob {
  readonly job: string
  readonly threadId: string
}

/** The schema of pg-boss. */
const jobsSchema = 'quaero_jobs'
/** The channel on which workers learn that there is a job. */
export const jobsChannel = 'quaero_jobs'
const queueName = 'threads'

/**
 * Jobs of pg-boss: one for each run in the queue, from the run's place there until its end. A job asks for work on a thread:
 * which of its runs that is, the runs themselves say, by their turns. (pg-boss orders jobs by the clock with which their
 * transactions began, which is not the order of their commits.)
 */
export class ThreadJobs {
  readonly #database: PostgresDatabase
  #opening: Promise<PgBoss> | undefined

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  /** Makes pg-boss ready, with a schema of its own in the same database. It is loaded then. Needed before all others. */
  async open(): Promise<void> {
    await this.#boss()
  }

  /** Adds a job, and wakes the workers once the transaction is committed. */
  async send(within: Sql, { threadId, userId, place }: NewJob): Promise<void> {
    const options = {
      singletonKey: threadId,
      priority: -place,
      group: { id: groupOf(userId) },
      db: dbOver(within),
    }
    await (await this.#boss()).send(queueName, { threadId }, options)
    await notifyWorkers(within)
  }

  /** Takes the next job, at most one of a thread at a time; null if there is none. */
  async take(within: Sql, { withoutUsers, perUser }: TakeOptions): Promise<TakenJob | null> {
    const options = {
      db: dbOver(within),
      ignoreGroups: withoutUsers.map(groupOf),
      ...(perUser !== null && { groupConcurrency: perUser }),
    }
    const [found] = await (await this.#boss()).fetch<{ threadId: string }>(queueName, options)
    return found ? { job: found.id, threadId: found.data.threadId } : null
  }

  /** Offers a job that was taken to the workers again, with its place; in so many seconds, or at once. */
  async giveBack(within: Sql, job: string, { inSeconds } = { inSeconds: 0 }): Promise<void> {
    const jobs = await this.#boss()
    const db = dbOver(within)
    // Not `fail`, since a job may be given back any number of times, and one that has failed would block its thread.
    await jobs.cancel(queueName, job, { db })
    await jobs.resume(queueName, job, { db })
    // Where it waits, the workers need not be woken: they look each second.
    if (inSeconds === 0) await notifyWorkers(within)
    else await jobs.update({ name: queueName, options: { id: job, startAfter: inSeconds, db } })
  }

  async remove(within: Sql, job: string): Promise<void> {
    await (await this.#boss()).deleteJob(queueName, job, { db: dbOver(within) })
  }

  /** Gives the job of a lease back, or removes it if its run is over. */
  async settle(within: Sql, { runId, job }: JobLease): Promise<void> {
    if (await isQueued(within, runId)) await this.giveBack(within, job)
    else await this.remove(within, job)
  }

  /** Adds the jobs that runs in the queue lack, as where the tables of pg-boss were left out of a backup. */
  async addMissing(within: Sql): Promise<void> {
    for (const job of await within.all<NewJob>(missing)) await this.send(within, job)
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.stop({ graceful: false })
  }

  #boss(): Promise<PgBoss> {
    this.#opening ??= openAlone(this.#database).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }
}

/** The jobs of a thread are alike, so that they need only be counted. */
const missing = `
  SELECT "threadId", "userId", place FROM (
    SELECT thread_id AS "threadId", user_id AS "userId", queue_place AS place,
      row_number() OVER (PARTITION BY thread_id ORDER BY turn DESC) AS counted
    FROM runs WHERE queue_place IS NOT NULL
  ) AS queued LEFT JOIN (
    SELECT singleton_key, count(*) AS jobs FROM ${jobsSchema}.job WHERE name = '${queueName}' GROUP BY singleton_key
  ) AS present ON singleton_key = "threadId"
  WHERE counted > coalesce(jobs, 0) ORDER BY place`

/** True while a run waits in the queue, or a worker works on it. */
export async function isQueued(sql: Sql, runId: string): Promise<boolean> {
  return (await sql.get('SELECT 1 FROM runs WHERE run_id = $1 AND queue_place IS NOT NULL', [runId])) !== undefined
}

/** Wakes the workers of all processes; in a transaction, once it is committed. */
export async function notifyWorkers(sql: Sql): Promise<void> {
  await sql.get(`SELECT pg_notify('${jobsChannel}', '')`)
}

/** Runs that name no user are those of one more user. */
function groupOf(userId: string | null): string {
  return userId === null ? 'none' : `user ${userId}`
}

/** pg-boss does not expect that two programs make its schema at the same moment. */
async function openAlone(database: PostgresDatabase): Promise<PgBoss> {
  for (;;) {
    const opened = await database.whileLocked(jobsSchema, () => openBoss(database.sql))
    if (opened) return opened.result
    await wait(lockedWaitMs)
  }
}

const lockedWaitMs = 50

async function openBoss(sql: Sql): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  // We delete finished jobs and requeue lost ones ourselves, so pg-boss needs neither supervision nor schedules.
  const boss = new PgBoss({ db: dbOver(sql), schema: jobsSchema, supervise: false, schedule: false })
  // Without a listener an error of a timer would end the process; statements report theirs to their callers.
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(queueName, { policy: 'key_strict_fifo' })
  return boss
}

function dbOver(sql: Sql) {
  return {
    // pg-boss hands over what `pg` takes as values. Several statements at once have no rows.
    executeSql: async (text: string, values: Value[] = []) => ({
      rows: [...((await sql.all(text, values)) ?? [])],
    }),
  }
}
