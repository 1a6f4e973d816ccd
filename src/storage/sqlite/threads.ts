import type { Mask } from '../../credentials/mask.ts'
import { AlreadyExists, InvalidId } from '../../errors.ts'
import type { ThreadStore } from '../storage.ts'
import { type ThreadRow, threadRecord } from '../thread-rows.ts'
import type { SqliteDatabase } from './database/database.ts'
import { latestActivity, type SqliteEventStore } from './event-store.ts'

/** Lists threads from the tables `runs` and `threads`; the second holds what is stated. What is written has passed `mask`. */
export function sqliteThreads(database: SqliteDatabase, mask: Mask, events: SqliteEventStore): ThreadStore {
  const { all, one, unasked, ids, lastActivity, put, setTitle, setMetadata } = prepare(database)
  const state = (
    threadId: string,
    stated: { readonly title: string | null; userId: string | null; metadata: object },
  ) => {
    const { title, userId, metadata } = mask(stated)
    const kept = { title: title === null ? null : JSON.stringify(title), userId, metadata: JSON.stringify(metadata) }
    put.run({ threadId, ...kept, createdAt: new Date().toISOString() })
  }
  return {
    list({ threadId = null, userId = null, prefix = '', limit = -1, offset = 0, unasked: isUnasked } = {}) {
      const find = isUnasked ? unasked : threadId === null ? all : one
      return database.read(() => {
        const rows = find.all({ threadId, userId, prefix, limit, offset })
        return rows.map((row) =>
          threadRecord({ ...row, title: row.title === null ? null : JSON.parse(row.title) }, events.known),
        )
      })
    },
    marks: (threadIds) =>
      database.read(() => new Map(threadIds.map((id) => [id, String(lastActivity.get(id)?.activity ?? '')]))),
    ids: () => database.read(() => ids.all().map(({ id }) => id)),
    create: (threadId, { title = null, userId, metadata = {} }) =>
      database.write(
        () => {
          if (mask(threadId) !== threadId) {
            throw new InvalidId('The id of the thread holds a configured credential. Choose another one.')
          }
          if (one.get({ threadId, userId: null, prefix: '', limit: 1, offset: 0 })) {
            throw new AlreadyExists(`There is a thread "${threadId}" already. Choose another id.`)
          }
          state(threadId, { title, userId, metadata })
        },
        { durable: true },
      ),
    change: (threadId, { title, metadata }) =>
      database.write(
        () => {
          state(threadId, { title: null, userId: null, metadata: {} })
          if (title !== undefined) setTitle.run(title === null ? null : JSON.stringify(mask(title)), threadId)
          if (metadata !== undefined) setMetadata.run(JSON.stringify(mask(metadata)), threadId)
        },
        { durable: true },
      ),
  }
}

interface ThreadQuery {
  readonly threadId: string | null
  readonly userId: string | null
  readonly prefix: string
  readonly limit: number
  readonly offset: number
}

function prepare({ connection }: SqliteDatabase) {
  return {
    all: connection.prepare<[ThreadQuery], ThreadRow>(threadsWhere('true')),
    one: connection.prepare<[ThreadQuery], ThreadRow>(threadsWhere('thread_id = @threadId')),
    unasked: connection.prepare<[ThreadQuery], ThreadRow>(
      threadsWhere('(@threadId IS NULL OR thread_id = @threadId) AND thread_id NOT IN (SELECT thread_id FROM runs)'),
    ),
    ids: connection.prepare<[], { id: string }>(
      `SELECT id FROM (
         SELECT thread_id AS id, 0 AS isUnasked, min(number) AS place FROM runs GROUP BY thread_id UNION ALL
         SELECT thread_id, 1, activity FROM threads WHERE thread_id NOT IN (SELECT thread_id FROM runs)
       ) ORDER BY isUnasked, place`,
    ),
    lastActivity: connection.prepare<[string], { activity: number | null }>(
      'SELECT max(activity) AS activity FROM runs WHERE thread_id = ?',
    ),
    // What is stated already stays.
    put: connection.prepare(
      `INSERT INTO threads (thread_id, title, user_id, metadata, created_at, activity)
       VALUES (@threadId, @title, @userId, @metadata, @createdAt,
         coalesce((SELECT max(activity) FROM runs WHERE thread_id = @threadId), ${latestActivity} + 1))
       ON CONFLICT (thread_id) DO NOTHING`,
    ),
    setTitle: connection.prepare('UPDATE threads SET title = ? WHERE thread_id = ?'),
    setMetadata: connection.prepare('UPDATE threads SET metadata = ? WHERE thread_id = ?'),
  }
}

const hasPrefix = 'substr(thread_id, 1, length(@prefix)) = @prefix'

function threadsWhere(condition: string): string {
  return `WITH asked AS (
      SELECT thread_id, count(*) AS turns, min(number) AS first, max(number) AS last, max(activity) AS activity
      FROM runs WHERE ${condition} AND ${hasPrefix} GROUP BY thread_id
    ), stated AS (SELECT * FROM threads WHERE ${condition} AND ${hasPrefix}
    ), listed AS (
      SELECT coalesce(asked.thread_id, stated.thread_id) AS thread_id, title, metadata, stated.created_at, turns,
        first.run_id AS first, last.run_id AS last,
        coalesce(user_id, (SELECT payload ->> 'userId' FROM events WHERE run_id = first.run_id AND position = 1)) AS user_id,
        max(coalesce(asked.activity, 0), coalesce(stated.activity, 0)) AS activity
      FROM asked FULL JOIN stated ON asked.thread_id = stated.thread_id
      LEFT JOIN runs AS first ON first.number = asked.first
      LEFT JOIN runs AS last ON last.number = asked.last
    )
    SELECT * FROM listed WHERE @userId IS NULL OR user_id = @userId ORDER BY activity DESC LIMIT @limit OFFSET @offset`
}
