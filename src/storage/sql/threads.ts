import type { Mask } from '../../credentials/index.ts'
import { AlreadyExists, InvalidId } from '../../errors.ts'
import type { RunRecord, ThreadRecord } from '../../events/index.ts'
import type { ThreadStore } from '../storage.ts'
import type { Dialect } from './dialect.ts'
import type { EventTable } from './events.ts'
import { all, first, type Work, type Workplace } from './work.ts'

interface Stated {
  readonly title: string | null
  readonly userId: string | null
  readonly metadata: object
}

/** Lists threads from the tables `runs` and `threads`; the second holds what is stated. What is written has passed `mask`. */
export function threadTable(
  { read, write }: Workplace,
  { dialect, mask, events }: { readonly dialect: Dialect; readonly mask: Mask; readonly events: EventTable },
): ThreadStore {
  const titleOf = (title: string | null) => (title === null ? null : dialect.anyText.write(mask(title)))
  /** What is stated already stays; false if something was. */
  function* state(threadId: string, { title, ...stated }: Stated): Work<boolean> {
    const { userId, metadata } = mask(stated)
    const added = yield* all(
      `INSERT INTO threads (thread_id, title, user_id, metadata, created_at, activity)
       VALUES ($1, $2, $3, $4, $5, coalesce((SELECT max(activity) FROM runs WHERE thread_id = $1), ${dialect.nextActivity}))
       ON CONFLICT (thread_id) DO NOTHING RETURNING thread_id`,
      [threadId, titleOf(title), userId, JSON.stringify(metadata), new Date().toISOString()],
    )
    return added.length > 0
  }
  return {
    async list({
      threadId = null,
      userId = null,
      prefix = '',
      except = null,
      limit = null,
      offset = 0,
      unasked = false,
    } = {}) {
      const asked = [threadId, userId, prefix, limit, offset, unasked ? 1 : 0, except]
      const rows = await read(() => all<ThreadRow>(threadsIn(threadId), asked))
      const runIds = rows.flatMap((row) => [row.first, row.last]).filter((runId) => runId !== null)
      const runs = await read(() => events.records(runIds))
      return rows.map((row) => {
        const title = row.title === null ? null : dialect.anyText.read(row.title)
        return threadRecord({ ...row, title }, (runId) => runs.get(runId) ?? null)
      })
    },
    marks: (threadIds) =>
      read(function* () {
        const marks = new Map<string, string>()
        for (const threadId of threadIds) {
          const row = yield* first<{ mark: number | null }>(latestOf, [threadId])
          marks.set(threadId, String(row?.mark ?? ''))
        }
        return marks
      }),
    ids: async () => (await read(() => all<{ id: string }>(idsOldestFirst))).map(({ id }) => id),
    create: (threadId, { title = null, userId, metadata = {} }) =>
      write(
        function* () {
          if (mask(threadId) !== threadId)
            throw new InvalidId('The id of the thread holds a configured credential. Choose another one.')
          const asked = yield* first('SELECT 1 AS one FROM runs WHERE thread_id = $1 LIMIT 1', [threadId])
          if (asked || !(yield* state(threadId, { title, userId, metadata })))
            throw new AlreadyExists(`There is a thread "${threadId}" already. Choose another id.`)
        },
        { durable: true },
      ),
    change: (threadId, { title, metadata }) =>
      write(
        function* () {
          yield* state(threadId, { title: null, userId: null, metadata: {} })
          if (title !== undefined)
            yield* all('UPDATE threads SET title = $1 WHERE thread_id = $2', [titleOf(title), threadId])
          if (metadata !== undefined) {
            const json = JSON.stringify(mask(metadata))
            yield* all('UPDATE threads SET metadata = $1 WHERE thread_id = $2', [json, threadId])
          }
        },
        { durable: true },
      ),
  }
}

const latestOf = 'SELECT max(activity) AS mark FROM runs WHERE thread_id = $1'

const idsOldestFirst = `
  SELECT id FROM (
    SELECT thread_id AS id, 0 AS unasked, min(number) AS place FROM runs GROUP BY thread_id UNION ALL
    SELECT thread_id, 1, activity FROM threads WHERE thread_id NOT IN (SELECT thread_id FROM runs)
  ) AS named ORDER BY unasked, place`

/** $1 thread, $2 user, $3 prefix, $4 limit, $5 offset, $6 whether only those without a question, $7 prefix of those left out. */
function threadsIn(threadId: string | null): string {
  const own = threadId === null ? 'CAST($1 AS text) IS NULL' : 'thread_id = $1'
  const condition = `${own} AND substr(thread_id, 1, length(CAST($3 AS text))) = $3
    AND (CAST($7 AS text) IS NULL OR substr(thread_id, 1, length(CAST($7 AS text))) <> $7)`
  return `
    WITH asked AS (
      SELECT thread_id, count(*) AS turns, min(number) AS first, max(number) AS last, max(activity) AS activity
      FROM runs WHERE ${condition} GROUP BY thread_id
    ), stated AS (SELECT * FROM threads WHERE ${condition}
    ), listed AS (
      SELECT coalesce(asked.thread_id, stated.thread_id) AS thread_id, title, metadata, stated.created_at, turns,
        first.run_id AS first, last.run_id AS last, coalesce(stated.user_id, first.user_id) AS user_id,
        CASE WHEN coalesce(asked.activity, 0) > coalesce(stated.activity, 0) THEN asked.activity
          ELSE stated.activity END AS activity
      FROM asked FULL JOIN stated ON asked.thread_id = stated.thread_id
      LEFT JOIN runs AS first ON first.number = asked.first
      LEFT JOIN runs AS last ON last.number = asked.last
    )
    SELECT * FROM listed WHERE (CAST($2 AS text) IS NULL OR user_id = $2) AND ($6 = 0 OR turns IS NULL)
    ORDER BY activity DESC LIMIT coalesce($4, 9223372036854775807) OFFSET $5`
}

/** A thread that was asked, made or both, as both storages select it; `metadata` is JSON. */
interface ThreadRow {
  readonly thread_id: string
  readonly title: string | null
  readonly user_id: string | null
  readonly metadata: string | null
  readonly created_at: string | null
  readonly turns: number | null
  /** The first and the last run. */
  readonly first: string | null
  readonly last: string | null
}

/** The record of a thread, given its runs. */
function threadRecord(row: ThreadRow, run: (runId: string) => RunRecord | null): ThreadRecord {
  const first = row.first === null ? null : run(row.first)
  const last = row.last === null ? null : run(row.last)
  const startedAt = first?.status.startedAt ?? ''
  const createdAt =
    row.created_at !== null && (startedAt === '' || row.created_at < startedAt) ? row.created_at : startedAt
  return {
    threadId: row.thread_id,
    title: row.title ?? first?.question ?? '',
    turns: row.turns ?? 0,
    userId: row.user_id,
    metadata: JSON.parse(row.metadata ?? '{}'),
    createdAt,
    updatedAt: last?.status.endedAt ?? (last ? last.status.startedAt : null) ?? createdAt,
  }
}
