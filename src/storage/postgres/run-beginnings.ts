import { AlreadyExists } from '../../errors.ts'
import { type Event, hasEnded, type StoredEvent } from '../../events/index.ts'
import type { RunBeginning } from '../storage.ts'
import type { Sql } from './database/connection.ts'
import type { PostgresEventStore } from './event-store.ts'

// What is parked already is not replaced: a run that was parked does not come back under its thread.
const parking = [
  `INSERT INTO checkpoints
   SELECT $2, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata, sequence
   FROM checkpoints WHERE thread_id = $1 ON CONFLICT DO NOTHING`,
  `INSERT INTO writes
   SELECT $2, checkpoint_ns, checkpoint_id, task_id, idx, channel, value
   FROM writes WHERE thread_id = $1 ON CONFLICT DO NOTHING`,
]
// A run that was resumed since the reset has continued the conversation. A missing checkpoint alone proves no reset: a
// process may have been killed before the first one.
const wasReset = `SELECT 1 FROM runs WHERE run_id = $2 AND reset_after
  AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE thread_id = $1)`

/** Where the next run of a thread begins. The thread must be locked. */
export async function nextTurn(sql: Sql, events: PostgresEventStore, threadId: string): Promise<RunBeginning> {
  const before = await events.latest(sql, threadId)
  if (!before) return { turn: 1, afterReset: false }
  const afterReset = (await sql.get(wasReset, [threadId, before.runId])) !== undefined
  return { turn: before.turn + 1, afterReset }
}

/** Parks the checkpoints of the run that had the thread last, unless it has ended, so that another one may have it. */
export async function parkUnfinished(sql: Sql, events: PostgresEventStore, threadId: string): Promise<void> {
  const before = await events.latest(sql, threadId, { begun: true })
  if (before && !hasEnded(before.status.state)) await runAll(sql, parking, [threadId, before.runId])
}

/** Stores the first events of a run. Throws `AlreadyExists`. */
export async function storeFirst(
  sql: Sql,
  events: PostgresEventStore,
  { runId, first }: { readonly runId: string; readonly first: readonly Event[] },
): Promise<readonly StoredEvent[]> {
  const log: StoredEvent[] = []
  for (const event of first) log.push(await events.insert(sql, event))
  if ((log[0]?.position ?? 1) > 1) throw new AlreadyExists(`Run ${runId} is in the log already.`)
  return log
}

export async function runAll(sql: Sql, statements: readonly string[], values: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.run(statement, values)
}
