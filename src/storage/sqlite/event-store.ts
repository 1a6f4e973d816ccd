import type { Statement } from 'better-sqlite3'
import type { Mask } from '../../credentials/mask.ts'
import { EventInvalid, RunNotFound } from '../../errors.ts'
import {
  type Event,
  type EventStore,
  hasEnded,
  type RunRecord,
  runStates,
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
import type { SqliteDatabase } from './database/database.ts'
import type { Fence } from './leases.ts'

const pageSize = 500
/** For SQLite, no limit. */
const all = -1
/** Later than every turn. */
const anyTurn = Number.MAX_SAFE_INTEGER

/** An `EventStore`, and the part of it that others use inside transactions of their own. */
export interface SqliteEventStore extends EventStore {
  /** Adds an event; call it inside `write`. Throws `EventInvalid` for an id that is in the log already. */
  insert(event: Event): StoredEvent
  /** True if the run is here, or another that is this turn of the thread; call it inside `write`. */
  holds(runId: string, threadId: string, turn: number): boolean
  /** The newest run of a thread; call it inside `write`. */
  latest(threadId: string): RunRecord | null
  /** Those of these runs that are in the log. */
  records(runIds: readonly string[]): Promise<ReadonlyMap<string, RunRecord>>
}

/**
 * Stores events in the table `events`, and in `runs` one row for each run with a recent status, so that reading it costs
 * the same however long the log is. Endings of a run are on disk when `append` returns. Written data passes through
 * `mask`, appended events through `fence`.
 */
export function sqliteEventStore(database: SqliteDatabase, mask: Mask, fence: Fence): SqliteEventStore {
  const statements = prepare(database)
  const insert = (event: Event) => insertEvent(statements, maskedEvent(event, mask))
  const latest = (threadId: string) => {
    const row = statements.recentRuns.get(threadId, anyTurn, 1)
    return row ? recordOf(statements, row) : null
  }
  const records = (rows: readonly RunRow[]) => rows.map((row) => recordOf(statements, row))
  return {
    insert,
    holds: (runId, threadId, turn) => statements.known.get(runId, threadId, turn) !== undefined,
    latest,
    append(event) {
      const append = () => {
        // Another process than the owner may ask to cancel a run.
        if (event.type !== 'cancel.requested') fence(event.correlationId)
        return insert(event)
      }
      return database.write(append, { durable: endsRun(event) })
    },
    async *read(runId, afterPosition = 0, upTo = Number.POSITIVE_INFINITY) {
      let position = afterPosition
      while (position < upTo) {
        const size = Math.min(pageSize, upTo - position)
        const events = await database.read(() => eventsAfter(statements, runId, position, size))
        yield* events
        if (events.length < pageSize) return
        position = events.at(-1)?.position ?? position
      }
    },
    records: (runIds) =>
      database.read(() => {
        const found = records(runIds.flatMap((runId) => statements.run.get(runId) ?? []))
        return new Map(found.map((record) => [record.runId, record]))
      }),
    run: (runId) =>
      database.read(() => {
        const row = statements.run.get(runId)
        if (row) return recordOf(statements, row)
        throw new RunNotFound(`There is no run "${runId}". "quaero runs list" lists those that exist.`)
      }),
    runs({ threadId = null, threadPrefix = '', unfinished = false, limit = all, offset = 0 } = {}) {
      return database.read(() => {
        if (!unfinished)
          return records(
            statements[threadId === null ? 'runs' : 'runsOfThread'].all({ threadId, threadPrefix, limit, offset }),
          )
        // One that was cancelled while it waited has no snapshot that says so.
        const found = records(statements.unfinished.all({ threadId, threadPrefix }))
        return newestOf(
          found.filter(({ status }) => !hasEnded(status.state)),
          { limit: limit === all ? null : limit, offset },
        )
      })
    },
    latestRun: (threadId) => database.read(() => latest(threadId)),
    recentRuns: (threadId, count, beforeTurn = anyTurn) =>
      database.read(() => records(statements.recentRuns.all(threadId, beforeTurn, count)).reverse()),
    ids: () => database.read(() => statements.ids.all().map(({ id }) => id)),
    version: () => database.read(() => Number(database.connection.pragma('data_version', { simple: true }))),
  }
}

interface RunQuery {
  readonly threadId: string | null
  readonly threadPrefix: string
  readonly limit: number
  readonly offset: number
}

const hasPrefix = 'substr(thread_id, 1, length(@threadPrefix)) = @threadPrefix'

const runColumns = 'run_id, thread_id, turn, question, snapshot, snapshot_position'

/** The newest runs, oldest first. */
function newestRuns(condition: string): string {
  return `SELECT ${runColumns} FROM
    (SELECT * FROM runs WHERE ${condition} ORDER BY number DESC LIMIT @limit OFFSET @offset) ORDER BY number`
}

/** The activity of the thread that was last active. */
export const latestActivity =
  '(SELECT max(coalesce((SELECT max(activity) FROM runs), 0), coalesce((SELECT max(activity) FROM threads), 0)))'

type Statements = ReturnType<typeof prepare>

function prepare({ connection }: SqliteDatabase) {
  const ended = runStates.flatMap((state) => (hasEnded(state) ? [`'${state}'`] : [])).join(', ')
  const runs = `SELECT ${runColumns} FROM runs`
  const insertEvent: Statement<unknown[], { position: number }> = connection.prepare(
    `INSERT INTO events (run_id, position, id, type, timestamp, agent, causation_id, payload)
     VALUES (@run, (SELECT coalesce(max(position), 0) + 1 FROM events WHERE run_id = @run),
             @id, @type, @timestamp, @agent, @causation, @payload)
     RETURNING position`,
  )
  return {
    insertEvent,
    insertRun: connection.prepare(
      `INSERT INTO runs (run_id, thread_id, turn, question, created_at, activity) VALUES (?, ?, ?, ?, ?, ${latestActivity} + 1)
       ON CONFLICT (run_id) DO NOTHING`,
    ),
    setSnapshot: connection.prepare(
      `UPDATE runs SET snapshot = ?, snapshot_position = ?, activity = ${latestActivity} + 1 WHERE run_id = ?`,
    ),
    eventsAfter: connection.prepare<[string, number, number], EventRow>(
      'SELECT * FROM events WHERE run_id = ? AND position > ? ORDER BY position LIMIT ?',
    ),
    resultAs: connection.prepare<[string, string], { position: number; payload: string }>(
      `SELECT position, payload FROM events WHERE run_id = ? AND type = 'tool.completed' AND payload ->> 'content' = ?
       ORDER BY position DESC LIMIT 1`,
    ),
    run: connection.prepare<[string], RunRow>(`${runs} WHERE run_id = ?`),
    runs: connection.prepare<[RunQuery], RunRow>(newestRuns(hasPrefix)),
    runsOfThread: connection.prepare<[RunQuery], RunRow>(newestRuns(`thread_id = @threadId AND ${hasPrefix}`)),
    unfinished: connection.prepare<[Pick<RunQuery, 'threadId' | 'threadPrefix'>], RunRow>(
      `${runs} WHERE (@threadId IS NULL OR thread_id = @threadId) AND ${hasPrefix}
       AND (snapshot IS NULL OR snapshot ->> 'state' NOT IN (${ended})) ORDER BY number`,
    ),
    ids: connection.prepare<[], { id: string }>('SELECT run_id AS id FROM runs ORDER BY number'),
    recentRuns: connection.prepare<[string, number, number], RunRow>(
      `${runs} WHERE thread_id = ? AND turn < ? ORDER BY turn DESC, number DESC LIMIT ?`,
    ),
    known: connection.prepare<[string, string, number]>(
      'SELECT 1 FROM runs WHERE run_id = ? OR (thread_id = ? AND turn = ?)',
    ),
  }
}

function insertEvent(statements: Statements, event: Event): StoredEvent {
  const { id, type, timestamp, agent, correlationId, causationId, payload } = event
  const row = unlessKnown(event, () =>
    statements.insertEvent.get({
      run: correlationId,
      id,
      type,
      timestamp,
      agent: agent ?? null,
      causation: causationId ?? null,
      payload: toJson(type, isToolMessage(event) ? withoutKnownText(statements, event) : payload),
    }),
  )
  // RETURNING always gives back the row that was inserted.
  const stored: StoredEvent = { ...event, position: row?.position ?? 0 }
  if (event.type === 'run.created') insertRun(statements, event)
  if (endsRun(event) || stored.position % snapshotEvery === 0) takeSnapshot(statements, correlationId, stored.position)
  return stored
}

function unlessKnown<T>({ id }: Event, insert: () => T): T {
  try {
    return insert()
  } catch (error) {
    const isKnown = error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
    throw isKnown ? new EventInvalid(`The event "${id}" is in the log already.`, { cause: error }) : error
  }
}

function insertRun(statements: Statements, event: Event<'run.created'>): void {
  const { threadId, turn, question } = event.payload
  statements.insertRun.run(event.correlationId, threadId, turn, JSON.stringify(question), event.timestamp)
}

function takeSnapshot(statements: Statements, runId: string, position: number): void {
  const row = statements.run.get(runId)
  if (row) statements.setSnapshot.run(JSON.stringify(recordOf(statements, row).status), position, runId)
}

function recordOf(statements: Statements, row: RunRow): RunRecord {
  const { status, position } = snapshotOf(row)
  return runRecord(row, hasEnded(status.state) ? [] : eventsAfter(statements, row.run_id, position, all))
}

/** A tool's message repeats the result of its call: it is stored with the position of that event in place of the text. */
function withoutKnownText({ resultAs }: Statements, { correlationId, payload }: Event<'message.completed'>): object {
  const known = resultAs.get(correlationId, payload.text)
  // SQLite compares bytes, which not every text of JavaScript survives.
  const isSame = known && JSON.parse(known.payload).content === payload.text
  return isSame ? { ...payload, text: '', textAt: known.position } : payload
}

function eventsAfter(statements: Statements, runId: string, after: number, count: number): readonly StoredEvent[] {
  return statements.eventsAfter.all(runId, after, count).map((row) => {
    const { textAt, ...payload } = JSON.parse(row.payload)
    if (textAt === undefined) return eventOf(row, payload)
    const [result] = eventsAfter(statements, runId, textAt - 1, 1)
    return eventOf(row, { ...payload, text: result?.type === 'tool.completed' ? result.payload.content : '' })
  })
}
