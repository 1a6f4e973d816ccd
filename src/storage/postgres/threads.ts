import type { Mask } from '../../credentials/mask.ts'
import { AlreadyExists, InvalidId } from '../../errors.ts'
import type { ThreadStore } from '../storage.ts'
import { type ThreadRow, threadRecord } from '../thread-rows.ts'
import type { Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import type { PostgresEventStore } from './event-store.ts'

/** Lists threads from the tables `runs` and `threads`; the second holds what is stated. What is written has passed `mask`. */
export function postgresThreads(database: PostgresDatabase, mask: Mask, events: PostgresEventStore): ThreadStore {
  const { sql } = database
  /** What is stated already stays; false if something was. */
  const state = async (
    within: Sql,
    threadId: string,
    stated: { readonly title: string | null; readonly userId: string | null; readonly metadata: object },
  ) => {
    const { title, userId, metadata } = mask(stated)
    const added = await within.run(
      `INSERT INTO threads (thread_id, title, user_id, metadata, created_at, activity)
       VALUES ($1, $2, $3, $4, $5,
         coalesce((SELECT max(activity) FROM runs WHERE thread_id = $1), nextval('activity')))
       ON CONFLICT (thread_id) DO NOTHING`,
      [threadId, title, userId, JSON.stringify(metadata), new Date().toISOString()],
    )
    return added > 0
  }
  return {
    async list({ threadId = null, userId = null, prefix = '', limit = null, offset = 0, unasked = false } = {}) {
      const rows = await sql.all<ThreadRow>(threads, [threadId, userId, limit, offset, unasked, prefix])
      const runs = await events.records(
        sql,
        rows.flatMap(({ first, last }) => [first, last]).filter((runId) => runId !== null),
      )
      return rows.map((row) => threadRecord(row, (runId) => runs.get(runId) ?? null))
    },
    async marks(threadIds) {
      const rows = await sql.all<{ id: string; mark: string }>(
        'SELECT thread_id AS id, max(activity)::text AS mark FROM runs WHERE thread_id = ANY($1::text[]) GROUP BY thread_id',
        [threadIds],
      )
      return new Map(rows.map(({ id, mark }) => [id, mark]))
    },
    async ids() {
      const rows = await sql.all<{ id: string }>(
        `SELECT id FROM (
           SELECT thread_id AS id, 0 AS "isUnasked", min(number) AS place FROM runs GROUP BY thread_id UNION ALL
           SELECT thread_id, 1, activity FROM threads WHERE thread_id NOT IN (SELECT thread_id FROM runs)
         ) AS named ORDER BY "isUnasked", place`,
      )
      return rows.map(({ id }) => id)
    },
    create: (threadId, { title = null, userId, metadata = {} }) =>
      database.write(async (within) => {
        if (mask(threadId) !== threadId) {
          throw new InvalidId('The id of the thread holds a configured credential. Choose another one.')
        }
        const asked = await within.get('SELECT 1 FROM runs WHERE thread_id = $1 LIMIT 1', [threadId])
        if (asked || !(await state(within, threadId, { title, userId, metadata }))) {
          throw new AlreadyExists(`There is a thread "${threadId}" already. Choose another id.`)
        }
      }),
    change: (threadId, { title, metadata }) =>
      database.write(async (within) => {
        await state(within, threadId, { title: null, userId: null, metadata: {} })
        if (title !== undefined)
          await within.run('UPDATE threads SET title = $2 WHERE thread_id = $1', [threadId, mask(title)])
        if (metadata !== undefined) {
          const json = JSON.stringify(mask(metadata))
          await within.run('UPDATE threads SET metadata = $2 WHERE thread_id = $1', [threadId, json])
        }
      }),
  }
}

const threads = `
  WITH asked AS (
    SELECT thread_id, count(*) AS turns, min(number) AS first, max(number) AS last, max(activity) AS activity
    FROM runs WHERE ($1::text IS NULL OR thread_id = $1) AND starts_with(thread_id, $6) GROUP BY thread_id
  ), stated AS (
    SELECT * FROM threads WHERE ($1::text IS NULL OR thread_id = $1) AND starts_with(thread_id, $6)
  ), listed AS (
    SELECT coalesce(asked.thread_id, stated.thread_id) AS thread_id, title, metadata, stated.created_at, turns,
      first.run_id AS first, last.run_id AS last, coalesce(stated.user_id, first.user_id) AS user_id,
      greatest(asked.activity, stated.activity) AS activity
    FROM asked FULL JOIN stated ON asked.thread_id = stated.thread_id
    LEFT JOIN runs AS first ON first.number = asked.first
    LEFT JOIN runs AS last ON last.number = asked.last
  )
  SELECT * FROM listed WHERE ($2::text IS NULL OR user_id = $2) AND (NOT $5::boolean OR turns IS NULL)
  ORDER BY activity DESC LIMIT $3 OFFSET $4`
