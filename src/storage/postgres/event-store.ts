import { createHash } from 'node:crypto'
import type { Mask } from '../../credentials/mask.ts'
import { EventInvalid, RunNotFound } from '../../errors.ts'
import {
  type Event,
  type EventStore,
  hasEnded,
  type RunRecord,
  type RunStatus,
  type StoredEvent,
} from '../../events/index.ts'
import {
  type EventRow,
  endsRun,
  eventOf,
  isToolMessage,
  maskedEvent,
  newestOf,
  type RunRow,
  runRecord,
  snapshotEvery,
  snapshotOf,
  toJson,
} from '../event-rows.ts'
import type { Sql, Value } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import { violated } from './database/failure.ts'
import { notifyOfRun } from './database/notifications.ts'
import type { Fence } from './leases.ts'

const pageSize = 500

/** An `EventStore`, and the part of it that others use inside transactions of their own. */
export interface PostgresEventStore extends EventStore, EventsInTransaction {}

interface EventsInTransaction {
  /** Adds an event. Throws `EventInvalid` for an id that is in the log already. */
  insert(sql: Sql, event: Event): Promise<StoredEvent>
  /** True if the run is here, or another that is this turn of the thread. */
  holds(sql: Sql, runId: string, threadId: string, turn: number): Promise<boolean>
  /** The newest run of a thread; `begun` as in `latestRun`. */
  latest(sql: Sql, threadId: string, filter?: { readonly begun: true }): Promise<RunRecord | null>
  /** The same as `read`, inside a transaction and from the beginning. */
  log(sql: Sql, runId: string): Promise<readonly StoredEvent[]>
  /** Runs by their ids. */
  records(sql: Sql, runIds: readonly string[]): Promise<ReadonlyMap<string, RunRecord>>
}

/**
 * Stores events in the table `events`, and in `runs` one row for each run with a recent status. Written data passes
 * through `mask`, appended events through `fence`.
 */
export function postgresEventStore(database: PostgresDatabase, mask: Mask, fence: Fence): PostgresEventStore {
  const { sql } = database
  const inTransaction = eventsInTransaction(mask)
  const select = (condition: string, values: readonly Value[]) => runsWhere(sql, condition, values)
  const recent = (threadId: string, beforeTurn: number | null, count: number) =>
    select('WHERE thread_id = $1 AND ($2::bigint IS NULL OR turn < $2) ORDER BY turn DESC, number DESC LIMIT $3', [
      threadId,
      beforeTurn,
      count,
    ])
  return {
    ...inTransaction,
    append: (event) =>
      database.write(async (within) => {
        // Another process than the owner may ask to cancel a run, and the owner looks for that.
        if (event.type === 'cancel.requested') await notifyOfRun(within, event.correlationId)
        else await fence(within, event.correlationId)
        return await inTransaction.insert(within, event)
      }),
    async *read(runId, afterPosition = 0, upTo = Number.POSITIVE_INFINITY) {
      let position = afterPosition
      while (position < upTo) {
        const size = Math.min(pageSize, upTo - position)
        const events = await eventsAfter(sql, runId, position, size)
        yield* events
        if (events.length < pageSize) return
        position = events.at(-1)?.position ?? position
      }
    },
    async run(runId) {
      const [record] = await select('WHERE run_id = $1', [runId])
      if (record) return record
      throw new RunNotFound(`There is no run "${runId}". "quaero runs list" lists those that exist.`)
    },
    async runs({ threadId = null, threadPrefix = '', unfinished = false, limit = null, offset = 0 } = {}) {
      const inThread = '($1::text IS NULL OR thread_id = $1) AND starts_with(thread_id, $2)'
      if (!unfinished)
        return (
          await select(`WHERE ${inThread} ORDER BY number DESC LIMIT $3 OFFSET $4`, [
            threadId,
            threadPrefix,
            limit,
            offset,
          ])
        ).toReversed()
      // One that was cancelled while it waited has no snapshot that says so.
      const found = await select(`WHERE ${inThread} AND NOT ended ORDER BY number`, [threadId, threadPrefix])
      return newestOf(
        found.filter(({ status }) => !hasEnded(status.state)),
        { limit, offset },
      )
    },
    latestRun: (threadId, filter) => inTransaction.latest(sql, threadId, filter),
    recentRuns: async (threadId, count, beforeTurn) => (await recent(threadId, beforeTurn ?? null, count)).toReversed(),
    async ids() {
      return (await sql.all<{ id: string }>('SELECT run_id AS id FROM runs ORDER BY number')).map(({ id }) => id)
    },
    async version() {
      // What is committed as this statement sees it; a counter would show a change before it is.
      const row = await sql.get<{ version: number }>(
        `SELECT hashtextextended(pg_current_snapshot()::text, 0) & ${Number.MAX_SAFE_INTEGER} AS version`,
      )
      return row?.version ?? 0
    },
  }
}

function eventsInTransaction(mask: Mask): EventsInTransaction {
  return {
    insert: (sql, event) => insertEvent(sql, maskedEvent(event, mask)),
    async latest(sql, threadId, filter) {
      const newest = 'WHERE thread_id = $1 AND (begun OR NOT $2) ORDER BY turn DESC, number DESC LIMIT 1'
      return (await runsWhere(sql, newest, [threadId, filter?.begun ?? false]))[0] ?? null
    },
    log: (sql, runId) => eventsAfter(sql, runId, 0, null),
    async holds(sql, runId, threadId, turn) {
      const found = 'SELECT 1 FROM runs WHERE run_id = $1 OR (thread_id = $2 AND turn = $3)'
      return (await sql.get(found, [runId, threadId, turn])) !== undefined
    },
    async records(sql, runIds) {
      const found = await runsWhere(sql, 'WHERE run_id = ANY($1::text[])', [runIds])
      return new Map(found.map((record) => [record.runId, record]))
    },
  }
}

async function runsWhere(sql: Sql, condition: string, values: readonly Value[]): Promise<readonly RunRecord[]> {
  return recordsOf(sql, await sql.all<RunRow>(`SELECT ${runColumns} FROM runs ${condition}`, values))
}

const runColumns = 'run_id, thread_id, turn, question, snapshot, snapshot_position'

async function insertEvent(sql: Sql, event: Event): Promise<StoredEvent> {
  const { id, type, timestamp, agent, correlationId, causationId, payload } = event
  const json = toJson(type, isToolMessage(event) ? await withoutKnownText(sql, event) : payload)
  const hash = event.type === 'tool.completed' ? hashOf(event.payload.content) : null
  const row = await sql
    .get<{ position: number }>(
      `INSERT INTO events (run_id, position, id, type, timestamp, agent, causation_id, payload, result_hash)
       SELECT $1, coalesce(max(position), 0) + 1, $2, $3, $4, $5, $6, $7, $8 FROM events WHERE run_id = $1
       RETURNING position`,
      [correlationId, id, type, timestamp, agent ?? null, causationId ?? null, json, hash],
    )
    .catch((error: unknown) => {
      if (violated(error) !== 'events_id') throw error
      throw new EventInvalid(`The event "${id}" is in the log already.`, { cause: error })
    })
  // RETURNING always gives back the row that was inserted.
  const stored: StoredEvent = { ...event, position: row?.position ?? 0 }
  if (event.type === 'run.created') await insertRun(sql, event)
  if (changesState(event) || stored.position % snapshotEvery === 0)
    await takeSnapshot(sql, correlationId, stored.position)
  return stored
}

/** The run ends, waits, or is taken up again. */
function changesState(event: Event): boolean {
  if (event.type === 'run.started') return event.payload.attempt > 1
  return endsRun(event) || event.type === 'cancel.requested'
}

async function insertRun(sql: Sql, event: Event<'run.created'>): Promise<void> {
  const { threadId, turn, question, userId = null } = event.payload
  await sql.run(
    `INSERT INTO runs (run_id, thread_id, turn, question, user_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (run_id) DO NOTHING`,
    [event.correlationId, threadId, turn, JSON.stringify(question), userId, event.timestamp],
  )
}

async function takeSnapshot(sql: Sql, runId: string, position: number): Promise<void> {
  const rows = await sql.all<RunRow>(`SELECT ${runColumns} FROM runs WHERE run_id = $1`, [runId])
  for (const { status } of await recordsOf(sql, rows)) {
    await sql.run(
      `UPDATE runs SET snapshot = $2, snapshot_position = $3, ended = $4, activity = nextval('activity'),
         queue_place = CASE WHEN $5 THEN NULL ELSE queue_place END
       WHERE run_id = $1`,
      [runId, JSON.stringify(status), position, hasEnded(status.state), leavesQueue(status)],
    )
  }
}

/** There is nothing to work on: the run has ended, or waits for a person. */
function leavesQueue({ state }: RunStatus): boolean {
  return hasEnded(state) || state === 'requires_action'
}

/** The records of rows, in their order, with one query for what followed all their snapshots. */
async function recordsOf(sql: Sql, rows: readonly RunRow[]): Promise<readonly RunRecord[]> {
  const open = rows.map((row) => ({ row, ...snapshotOf(row) })).filter(({ status }) => !hasEnded(status.state))
  const tails = new Map<string, StoredEvent[]>(open.map(({ row }) => [row.run_id, []]))
  if (open.length > 0) {
    const events = await sql.all<EventRow>(
      `SELECT events.* FROM unnest($1::text[], $2::bigint[]) AS open (id, after)
       JOIN events ON run_id = open.id AND position > after ORDER BY run_id, position`,
      [open.map(({ row }) => row.run_id), open.map(({ position }) => position)],
    )
    for (const event of await eventsOf(sql, events)) tails.get(event.correlationId)?.push(event)
  }
  return rows.map((row) => runRecord(row, tails.get(row.run_id) ?? []))
}

/** A tool's message repeats the result of its call: it is stored with the position of that event in place of the text. */
async function withoutKnownText(sql: Sql, { correlationId, payload }: Event<'message.completed'>): Promise<object> {
  const known = await sql.get<{ position: number }>(
    'SELECT position FROM events WHERE run_id = $1 AND result_hash = $2 ORDER BY position DESC LIMIT 1',
    [correlationId, hashOf(payload.text)],
  )
  return known ? { ...payload, text: '', textAt: known.position } : payload
}

/** UTF-16, so that halves of surrogate pairs are told apart. */
function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('base64')
}

async function eventsAfter(
  sql: Sql,
  runId: string,
  after: number,
  count: number | null,
): Promise<readonly StoredEvent[]> {
  const rows = 'SELECT * FROM events WHERE run_id = $1 AND position > $2 ORDER BY position LIMIT $3'
  return eventsOf(sql, await sql.all<EventRow>(rows, [runId, after, count]))
}

async function eventsOf(sql: Sql, rows: readonly EventRow[]): Promise<readonly StoredEvent[]> {
  const parsed = rows.map((row) => ({ row, payload: JSON.parse(row.payload) }))
  const shortened = parsed.filter(({ payload }) => payload.textAt !== undefined)
  const texts = new Map<string, string>()
  if (shortened.length > 0) {
    const results = await sql.all<EventRow>(
      `SELECT events.* FROM unnest($1::text[], $2::bigint[]) AS wanted (id, place)
       JOIN events ON run_id = wanted.id AND position = place`,
      [shortened.map(({ row }) => row.run_id), shortened.map(({ payload }) => payload.textAt)],
    )
    for (const row of results) texts.set(`${row.run_id} ${row.position}`, JSON.parse(row.payload).content)
  }
  return parsed.map(({ row, payload: { textAt, ...payload } }) =>
    eventOf(row, textAt === undefined ? payload : { ...payload, text: texts.get(`${row.run_id} ${textAt}`) ?? '' }),
  )
}
