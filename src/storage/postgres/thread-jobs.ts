import { setTimeout as wait } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import type { Value } from '../sql/work.ts'
import type { Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import type { JobLease } from './leases.ts'

/**
 * Jobs of pg-boss. A job asks for work on a thread: which of its runs that is, the runs themselves say, by their turns.
 * (pg-boss orders jobs by the clock with which their transactions began, which is not the order of their commits.)
 */
export interface ThreadJobs {
  /** Makes pg-boss ready, with a schema of its own in the same database. Needed before all others. */
  open(): Promise<void>
  /** Adds a job, and wakes the workers once the transaction is committed. */
  send(sql: Sql, job: NewJob): Promise<void>
  /** Takes the next job, at most one of a thread at a time; null if there is none. */
  take(sql: Sql, options: { readonly withoutUsers: readonly (string | null)[] }): Promise<TakenJob | null>
  remove(sql: Sql, job: string): Promise<void>
  /** Ends the job of a lease; if its run is not over, another one is added. */
  settle(sql: Sql, lease: JobLease): Promise<void>
  close(): Promise<void>
}

interface NewJob {
  readonly threadId: string
  readonly userId: string | null
  /** The lowest goes first. */
  readonly place: number
  /** Seconds until it can be taken. */
  readonly startAfter?: number
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

/** `pg-boss` is loaded when it is opened. */
export function threadJobs(database: PostgresDatabase): ThreadJobs {
  let opening: Promise<PgBoss> | undefined
  const boss = () => {
    opening ??= openAlone(database).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const send: ThreadJobs['send'] = async (within, { threadId, userId, place, startAfter }) => {
    const options = {
      singletonKey: threadId,
      priority: -place,
      group: { id: groupOf(userId) },
      ...(startAfter !== undefined && { startAfter }),
      db: dbOver(within),
    }
    await (await boss()).send(queueName, { threadId }, options)
    await notifyWorkers(within)
  }
  const remove = async (within: Sql, job: string) => {
    await (await boss()).deleteJob(queueName, job, { db: dbOver(within) })
  }
  return {
    send,
    remove,
    async open() {
      await boss()
    },
    async take(within, { withoutUsers }) {
      const options = { db: dbOver(within), ignoreGroups: withoutUsers.map(groupOf) }
      const [found] = await (await boss()).fetch<{ threadId: string }>(queueName, options)
      return found ? { job: found.id, threadId: found.data.threadId } : null
    },
    async settle(within, { threadId, runId, job }) {
      await remove(within, job)
      const open = await within.get<{ user_id: string | null; queue_place: number }>(
        'SELECT user_id, queue_place FROM runs WHERE run_id = $1 AND queue_place IS NOT NULL',
        [runId],
      )
      if (open) await send(within, { threadId, userId: open.user_id, place: open.queue_place })
    },
    async close() {
      await (await opening?.catch(() => undefined))?.stop({ graceful: false })
    },
  }
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
