import { z } from 'zod'
import type { Mask } from '../../credentials/index.ts'
import { EventInvalid, RunNotFound } from '../../errors.ts'
import {
  type Event,
  type EventStore,
  endsAttempt,
  hasEnded,
  type RunRecord,
  type RunStatus,
  type StoredEvent,
  statusTypes,
} from '../../events/index.ts'
import { type Dialect, idList, idsIn } from './dialect.ts'
import {
  type EventRow,
  eventOf,
  maskedEvent,
  newestOf,
  payloadColumns,
  type RunRow,
  restored,
  resultHash,
  runRecord,
  shortened,
  snapshotEvery,
  snapshotOf,
  toJson,
} from './event-rows.ts'
import type { Fence } from './leases.ts'
import { all, first, type Statement, type Work, type Workplace } from './work.ts'

const pageSize = 500
/** Logs that are read together. */
const logsAtOnce = 50

/** An `EventStore`, and the part of it that others use inside transactions of their own. */
export interface EventTable extends EventStore {
  /** Adds an event. Throws `EventInvalid` for an id that is in the log already. */
  insert(event: Event): Work<StoredEvent>
  /** True if the run is here, or another that is this turn of the thread. */
  holds(runId: string, threadId: string, turn: number): Work<boolean>
  /** The newest run of a thread; `begun` as in `latestRun`. */
  latest(threadId: string, filter?: { readonly begun: true }): Work<RunRecord | null>
  /** The whole log of a run. */
  log(runId: string): Work<readonly StoredEvent[]>
  /** Those of these runs that are in the log. */
  records(runIds: readonly string[]): Work<ReadonlyMap<string, RunRecord>>
}

/**
 * Stores events in the table `events`, and in `runs` one row for each run with a recent status, so that reading it costs
 * the same however long the log is. Endings of a run are on disk when `append` returns. Written data passes through
 * `mask`, appended events through `fence`.
 */
export function eventTable(
  { read, write }: Workplace,
  { dialect, mask, fence }: { readonly dialect: Dialect; readonly mask: Mask; readonly fence: Fence },
): EventTable {
  const where = (condition: string, values: Statement['values']) => runsWhere(dialect, condition, values)
  const insert = (event: Event) => insertEvent(dialect, maskedEvent(event, mask))
  function* latest(threadId: string, filter?: { readonly begun: true }): Work<RunRecord | null> {
    const begun = filter ? 'AND begun' : ''
    return (yield* where(`thread_id = $1 ${begun} ORDER BY turn DESC, number DESC LIMIT 1`, [threadId]))[0] ?? null
  }
  return {
    insert,
    latest,
    log: (runId) => eventsAfter(dialect, runId, 0, null),
    *holds(runId, threadId, turn) {
      const found = 'SELECT 1 AS one FROM runs WHERE run_id = $1 OR (thread_id = $2 AND turn = $3)'
      return (yield* first(found, [runId, threadId, turn])) !== undefined
    },
    *records(runIds) {
      const found = yield* where(`run_id IN ${idsIn(dialect, '$1')}`, [idList(runIds)])
      return new Map(found.map((record) => [record.runId, record]))
    },
    append: (event) =>
      write(
        function* () {
          // Another process than the owner may ask to cancel a run, and the owner looks for that.
          yield* event.type === 'cancel.requested' ? dialect.tell(event.correlationId) : fence(event.correlationId)
          return yield* insert(event)
        },
        { durable: endsAttempt(event) },
      ),
    async *read(runId, afterPosition = 0, upTo = Number.POSITIVE_INFINITY) {
      let position = afterPosition
      while (position < upTo) {
        const size = Math.min(pageSize, upTo - position)
        const events = await read(() => eventsAfter(dialect, runId, position, size))
        yield* events
        if (events.length < pageSize) return
        position = events.at(-1)?.position ?? position
      }
    },
    async *logs(runIds) {
      for (let at = 0; at < runIds.length; at += logsAtOnce) {
        const wanted = runIds.slice(at, at + logsAtOnce)
        const found = new Map<string, StoredEvent[]>(wanted.map((id) => [id, []]))
        for (const event of await read(() => eventsOfRuns(dialect, wanted))) found.get(event.correlationId)?.push(event)
        for (const id of wanted) yield found.get(id) ?? []
      }
    },
    async run(runId) {
      const [record] = await read(() => where('run_id = $1', [runId]))
      if (record) return record
      throw new RunNotFound(`There is no run "${runId}". "quaero runs list" lists those that exist.`)
    },
    async runs({ threadId = null, threadPrefix = '', unfinished = false, limit = null, offset = 0 } = {}) {
      const own = threadId === null ? 'CAST($1 AS text) IS NULL' : 'thread_id = $1'
      const chosen = `${own} AND substr(thread_id, 1, length(CAST($2 AS text))) = $2`
      if (!unfinished) {
        const newest = `${chosen} ORDER BY number DESC LIMIT coalesce($3, ${noLimit}) OFFSET $4`
        return (await read(() => where(newest, [threadId, threadPrefix, limit, offset]))).toReversed()
      }
      // One that was cancelled while it waited has no snapshot that says so.
      const found = await read(() => where(`${chosen} AND NOT ended ORDER BY number`, [threadId, threadPrefix]))
      return newestOf(
        found.filter(({ status }) => !hasEnded(status.state)),
        { limit, offset },
      )
    },
    latestRun: (threadId, filter) => read(() => latest(threadId, filter)),
    async recentRuns(threadId, count, beforeTurn = Number.MAX_SAFE_INTEGER) {
      const recent = 'thread_id = $1 AND turn < $2 ORDER BY turn DESC, number DESC LIMIT $3'
      return (await read(() => where(recent, [threadId, beforeTurn, count]))).toReversed()
    },
    async citing(documentIds) {
      const wanted = new Set(documentIds)
      const found = new Set<string>()
      for (let after: number | null = 0; after !== null; ) {
        const { last, ends }: AnswerPage = await read(() => answersAfter(dialect, after ?? 0))
        for (const { runId, documents } of ends) if (documents.some((id) => wanted.has(id))) found.add(runId)
        after = last
      }
      return [...found]
    },
    ids: async () =>
      (await read(() => all<{ id: string }>('SELECT run_id AS id FROM runs ORDER BY number'))).map(({ id }) => id),
    version: async () => (await read(() => first<{ version: number }>(dialect.version)))?.version ?? 0,
  }
}

/** The largest number of a `bigint`. */
const noLimit = '9223372036854775807'

const runColumns = 'run_id, thread_id, turn, question, snapshot, snapshot_position'

function* runsWhere(dialect: Dialect, condition: string, values: Statement['values']): Work<readonly RunRecord[]> {
  return yield* recordsOf(dialect, yield* all<RunRow>(`SELECT ${runColumns} FROM runs WHERE ${condition}`, values))
}

function* insertEvent(dialect: Dialect, event: Event): Work<StoredEvent> {
  const { id, type, timestamp, agent, correlationId, causationId } = event
  const json = toJson(type, yield* shortened(event))
  const row = yield* first<{ position: number }>(
    `INSERT INTO events (run_id, position, id, type, timestamp, agent, causation_id, payload, packed, result_hash)
     SELECT $1, coalesce(max(position), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9 FROM events WHERE run_id = $1
     ON CONFLICT (id) DO NOTHING RETURNING position`,
    [
      correlationId,
      id,
      type,
      timestamp,
      agent ?? null,
      causationId ?? null,
      ...payloadColumns(json),
      resultHash(event),
    ],
  )
  if (!row) throw new EventInvalid(`The event "${id}" is in the log already.`)
  const stored: StoredEvent = { ...event, position: row.position }
  if (event.type === 'run.created') yield* insertRun(dialect, event)
  if (changesState(event) || stored.position % snapshotEvery === 0)
    yield* takeSnapshot(dialect, correlationId, stored.position)
  return stored
}

/** The run ends, waits, or is taken up again. */
function changesState(event: Event): boolean {
  if (event.type === 'run.started') return event.payload.attempt > 1
  return endsAttempt(event) || event.type === 'cancel.requested'
}

function* insertRun({ nextActivity }: Dialect, event: Event<'run.created'>): Work<void> {
  const { threadId, turn, question, userId = null } = event.payload
  yield* all(
    `INSERT INTO runs (run_id, thread_id, turn, question, user_id, created_at, activity)
     VALUES ($1, $2, $3, $4, $5, $6, ${nextActivity}) ON CONFLICT (run_id) DO NOTHING`,
    [event.correlationId, threadId, turn, JSON.stringify(question), userId, event.timestamp],
  )
}

function* takeSnapshot(dialect: Dialect, runId: string, position: number): Work<void> {
  const [run] = yield* runsWhere(dialect, 'run_id = $1', [runId])
  if (!run) return
  yield* all(
    `UPDATE runs SET snapshot = $2, snapshot_position = $3, ended = $4, activity = ${dialect.nextActivity},
       queue_place = CASE WHEN $5 THEN NULL ELSE queue_place END
     WHERE run_id = $1`,
    [runId, JSON.stringify(run.status), position, hasEnded(run.status.state), leavesQueue(run.status)],
  )
}

/** There is nothing to work on: the run has ended, or waits for a person. */
function leavesQueue({ state }: RunStatus): boolean {
  return hasEnded(state) || state === 'requires_action'
}

const typesOfStatus = statusTypes.map((type) => `'${type}'`).join(', ')

/** The records of rows, in their order, with one query for what followed all their snapshots. */
function* recordsOf(dialect: Dialect, rows: readonly RunRow[]): Work<readonly RunRecord[]> {
  const open = rows.map((row) => ({ row, ...snapshotOf(row) })).filter(({ status }) => !hasEnded(status.state))
  const tails = new Map<string, StoredEvent[]>(open.map(({ row }) => [row.run_id, []]))
  if (open.length > 0) {
    const wanted = open.map(({ row, position }) => ({ id: row.run_id, seen: position }))
    const events = yield* all<EventRow>(
      `SELECT events.* FROM ${dialect.rows('$1', 'wanted', { id: 'text', seen: 'bigint' })}
       JOIN events ON run_id = wanted.id AND position > seen AND type IN (${typesOfStatus}) ORDER BY run_id, position`,
      [JSON.stringify(wanted)],
    )
    for (const event of yield* eventsOf(dialect, events)) tails.get(event.correlationId)?.push(event)
  }
  return rows.map((row) => runRecord(row, tails.get(row.run_id) ?? []))
}

interface AnswerPage {
  /** The number of the last run that was looked at; null if there are no more. */
  readonly last: number | null
  readonly ends: readonly { readonly runId: string; readonly documents: readonly string[] }[]
}

const cited = z.object({ citations: z.array(z.object({ documentId: z.string() })) })

/** Which documents the answers of the next runs cite. Of each run its end alone is read, and the answer that it repeats. */
function* answersAfter(dialect: Dialect, after: number): Work<AnswerPage> {
  const runs = yield* all<{ number: number }>(
    `SELECT number FROM runs WHERE number > $1 ORDER BY number LIMIT ${pageSize}`,
    [after],
  )
  const last = runs.at(-1)?.number ?? null
  const rows = yield* all<EventRow>(
    `SELECT events.* FROM runs JOIN events ON events.run_id = runs.run_id
     WHERE number > $1 AND number <= $2 AND type = 'run.completed' ORDER BY number`,
    [after, last ?? after],
  )
  const payloads = yield* restored(dialect, rows)
  const ends = rows.map(({ run_id: runId }, index) => {
    return { runId, documents: cited.parse(payloads[index]).citations.map(({ documentId }) => documentId) }
  })
  return { last, ends }
}

function* eventsAfter(
  dialect: Dialect,
  runId: string,
  position: number,
  count: number | null,
): Work<readonly StoredEvent[]> {
  const rows = `SELECT * FROM events WHERE run_id = $1 AND position > $2 ORDER BY position LIMIT coalesce($3, ${noLimit})`
  return yield* eventsOf(dialect, yield* all<EventRow>(rows, [runId, position, count]))
}

function* eventsOfRuns(dialect: Dialect, runIds: readonly string[]): Work<readonly StoredEvent[]> {
  const chosen = dialect.among('run_id', idsIn(dialect, '$1'))
  const rows = `SELECT * FROM events WHERE ${chosen} ORDER BY position`
  return yield* eventsOf(dialect, yield* all<EventRow>(rows, [idList(runIds)]))
}

function* eventsOf(dialect: Dialect, rows: readonly EventRow[]): Work<readonly StoredEvent[]> {
  const payloads = yield* restored(dialect, rows)
  return rows.map((row, index) => eventOf(row, payloads[index]))
}
