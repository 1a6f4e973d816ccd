import { AlreadyExists } from '../../errors.ts'
import { type Event, hasEnded, type StoredEvent } from '../../events/index.ts'
import { type BegunRun, countedTables, type RunBeginning, type Storage } from '../storage.ts'
import {
  dropAllCheckpoints,
  dropCheckpoints,
  parkCheckpoints,
  pruneCheckpoints,
  resetCheckpoints,
} from './checkpoints.ts'
import { type Dialect, idList } from './dialect.ts'
import type { EventTable } from './events.ts'
import type { LeaseTable } from './leases.ts'
import type { ScoreTable } from './scores.ts'
import { all, first, type Work, type Workplace } from './work.ts'

interface RunTables {
  readonly dialect: Dialect
  readonly events: EventTable
  readonly leases: LeaseTable
  readonly scores: ScoreTable
}

type RunStorage = Pick<
  Storage,
  'marks' | 'beginRun' | 'importRuns' | 'dropParked' | 'pruneThread' | 'resetThread' | 'deleteThread'
>

/** How runs begin, come from elsewhere, and are removed with their threads. */
export function runTables({ read, write }: Workplace, tables: RunTables): RunStorage {
  const { dialect, events, leases, scores } = tables
  return {
    async marks(runIds) {
      const owners = await leases.ownersOf(runIds)
      const rows = await read(() => all<{ id: string; mark: string }>(marksOf(dialect), [idList(runIds)]))
      return new Map(rows.map(({ id, mark }) => [id, `${mark} ${owners.get(id) ?? ''}`]))
    },
    beginRun: (threadId, runId, firstEvents) =>
      leases.take(threadId, runId, function* (): Work<BegunRun> {
        const begun = yield* nextTurn(events, threadId)
        yield* parkUnfinished(events, threadId)
        yield* dialect.tell(runId, threadId)
        return { ...begun, log: yield* storeFirst(events, runId, firstEvents(begun)) }
      }),
    importRuns: (runs, said = []) =>
      write(
        function* () {
          for (const log of runs) yield* importRun(events, log)
          for (const score of said) yield* scores.insert(score)
        },
        { durable: true },
      ),
    dropParked: (runId) => write(() => dropCheckpoints(runId)),
    pruneThread: (threadId) =>
      write(function* () {
        yield* leases.fence(threadId)
        yield* pruneCheckpoints(threadId)
      }),
    resetThread: (threadId) => leases.whileFree(threadId, () => resetCheckpoints(threadId)),
    deleteThread: (threadId) => leases.whileFree(threadId, () => removeThread(threadId)),
  }
}

/** Where the next run of a thread begins. The thread must be locked. */
export function* nextTurn(events: EventTable, threadId: string): Work<RunBeginning> {
  const before = yield* events.latest(threadId)
  if (!before) return { turn: 1, afterReset: false }
  // A run that was resumed since the reset has continued the conversation. A missing checkpoint alone proves no reset: a
  // process may have been killed before the first one.
  const wasReset = `SELECT 1 AS one FROM runs WHERE run_id = $2 AND reset_after
    AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE thread_id = $1)`
  const afterReset = (yield* first(wasReset, [threadId, before.runId])) !== undefined
  return { turn: before.turn + 1, afterReset }
}

/** Sets the checkpoints of the run aside that had the thread last, unless it has ended. */
export function* parkUnfinished(events: EventTable, threadId: string): Work<void> {
  const before = yield* events.latest(threadId, { begun: true })
  if (before && !hasEnded(before.status.state)) yield* parkCheckpoints(threadId, before.runId)
}

/** Stores the first events of a run. Throws `AlreadyExists`. */
export function* storeFirst(
  events: EventTable,
  runId: string,
  firstEvents: readonly Event[],
): Work<readonly StoredEvent[]> {
  const log: StoredEvent[] = []
  for (const event of firstEvents) log.push(yield* events.insert(event))
  if ((log[0]?.position ?? 1) > 1) throw new AlreadyExists(`Run ${runId} is in the log already.`)
  return log
}

function* importRun(events: EventTable, log: readonly Event[]): Work<void> {
  const created = log.find((event) => event.type === 'run.created')
  if (!created) return
  const { threadId, turn } = created.payload
  if (yield* events.holds(created.correlationId, threadId, turn)) {
    throw new AlreadyExists(
      `Run ${created.correlationId}, or turn ${turn} of thread "${threadId}", is here already. Nothing was imported.`,
    )
  }
  for (const event of log) yield* events.insert(event)
}

function* removeThread(threadId: string): Work<void> {
  const runs = '(SELECT run_id FROM runs WHERE thread_id = $1)'
  yield* dropAllCheckpoints(threadId)
  for (const condition of [
    `events WHERE run_id IN ${runs}`,
    'runs WHERE thread_id = $1',
    'leases WHERE thread_id = $1',
    'threads WHERE thread_id = $1',
  ])
    yield* all(`DELETE FROM ${condition}`, [threadId])
}

/** Of runs, how far their logs are, and whether they are in the queue. */
function marksOf({ rows }: Dialect): string {
  return `
    SELECT followed.id, CAST(coalesce((SELECT max(position) FROM events WHERE run_id = followed.id), 0) AS text)
      || CASE WHEN queue_place IS NULL THEN '' ELSE ' queued' END AS mark
    FROM ${rows('$1', 'followed', { id: 'text' })} JOIN runs ON run_id = followed.id`
}

/** How many rows the tables have that a report names. */
export function* countRows(): Work<Readonly<Record<string, number>>> {
  const counts: [string, number][] = []
  for (const table of countedTables) {
    const count = yield* first<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`)
    counts.push([table, count?.rows ?? 0])
  }
  return Object.fromEntries(counts)
}
