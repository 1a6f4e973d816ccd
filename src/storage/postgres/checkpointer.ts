import type { RunnableConfig } from '@langchain/core/runnables'
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import type { Mask } from '../../credentials/mask.ts'
import { graphKey, listLimit, savedThread } from '../checkpoint-config.ts'
import { FailedWrites } from '../failed-writes.ts'
import { checkIdentifier } from '../identifier.ts'
import { checkpointSerializer, decodeValue, encodeValue } from '../serializer.ts'
import type { Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import { mayPass } from './database/failure.ts'
import type { Fence } from './leases.ts'

/** Notes at a thread's newest run that the next one begins a new conversation. */
export const markReset = `UPDATE runs SET reset_after = true WHERE run_id =
  (SELECT run_id FROM runs WHERE thread_id = $1 ORDER BY turn DESC, number DESC LIMIT 1)`

/** Rows that `list` reads at a time. */
const pageSize = 100

/**
 * Stores checkpoints whole, in the transactions in which events are stored, and tells the newest by a counter. (LangGraph's
 * `PostgresSaver` has transactions of its own, orders by clock, and spreads a checkpoint over rows that pruning would
 * have to count.) A graph that runs without a `thread_id` is not saved; every other write without one, and every invalid
 * id, throws `InvalidId`.
 */
export class PostgresCheckpointer extends BaseCheckpointSaver {
  readonly #database: PostgresDatabase
  readonly #mask: Mask
  readonly #fence: Fence
  readonly #failures = new FailedWrites()

  /** What is written passes through `mask`, and through `fence`. */
  constructor(database: PostgresDatabase, mask: Mask, fence: Fence) {
    super(checkpointSerializer)
    this.#database = database
    this.#mask = mask
    this.#fence = fence
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: threadId, checkpoint_id: id, checkpoint_ns = '' } = config.configurable ?? {}
    if (threadId === undefined) return undefined
    checkIdentifier('thread', threadId)
    const row = await this.#database.sql.get<CheckpointRow>(
      `${checkpoints} WHERE thread_id = $1 AND checkpoint_ns = $2 AND ($3::text IS NULL OR checkpoint_id = $3)
       ORDER BY sequence DESC LIMIT 1`,
      [threadId, checkpoint_ns, id || null],
    )
    if (!row) return undefined
    return id ? { ...tupleOf(row), config } : tupleOf(row)
  }

  /** The newest first, in the order of writing: ids follow a clock that may have been set back. */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id, checkpoint_ns: ns = null } = config.configurable ?? {}
    const thread = thread_id === undefined ? null : checkIdentifier('thread', thread_id)
    const before = options.before?.configurable?.checkpoint_id ?? null
    let left = options.limit || listLimit
    let below: number | null = null
    while (left > 0) {
      const rows: readonly CheckpointRow[] = await this.#database.sql.all<CheckpointRow>(
        `${checkpoints} WHERE ($1::text IS NULL OR thread_id = $1) AND ($2::text IS NULL OR checkpoint_ns = $2)
           AND ($3::text IS NULL OR sequence < (SELECT sequence FROM checkpoints AS other
                WHERE other.thread_id = checkpoints.thread_id AND other.checkpoint_ns = checkpoints.checkpoint_ns
                  AND other.checkpoint_id = $3))
           AND ($4::bigint IS NULL OR sequence < $4)
         ORDER BY sequence DESC LIMIT $5`,
        [thread, ns, before, below, options.filter ? pageSize : Math.min(pageSize, left)],
      )
      for (const tuple of rows
        .map(tupleOf)
        .filter((each) => fits(each, options.filter))
        .slice(0, left)) {
        left -= 1
        yield tuple
      }
      below = rows.at(-1)?.sequence ?? null
      if (below === null) return
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const { checkpoint_ns = '', checkpoint_id: parent = null, [graphKey]: graph } = config.configurable ?? {}
    const thread_id = savedThread(config, this.#mask)
    const next = { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } }
    if (thread_id === undefined) return next
    const written = { ...metadata, ...(typeof graph === 'string' && { [graphKey]: graph }) }
    const row = [this.#json(checkpoint, '$'), this.#json(written, '$.metadata')]
    const write = async (sql: Sql) => {
      this.#failures.report(thread_id)
      await this.#fence(sql, thread_id)
      await sql.run(
        `INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
           parent_checkpoint_id = excluded.parent_checkpoint_id, checkpoint = excluded.checkpoint,
           metadata = excluded.metadata, sequence = excluded.sequence`,
        [thread_id, checkpoint_ns, checkpoint.id, parent, ...row],
      )
    }
    await this.#database.write(write).finally(() => this.#failures.forget(thread_id))
    return next
  }

  /** Stores the results of a step's tasks. Never rejects: the next `put` reports a failure. */
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const thread_id = savedThread(config, this.#mask)
    if (thread_id === undefined) return
    const { checkpoint_ns = '', checkpoint_id } = config.configurable ?? {}
    if (!checkpoint_id) throw new Error('Writes belong to a checkpoint, but configurable.checkpoint_id is missing.')
    const rows = writes.map(([channel, value], index) => ({
      channel,
      place: WRITES_IDX_MAP[channel] ?? index,
      value: this.#json(value, `$.${channel}`),
    }))
    // Such writes (an error, an interrupt, a resume) take the place of an earlier one; others are the same as before.
    const replaces = writes.every(([channel]) => Object.hasOwn(WRITES_IDX_MAP, channel))
    const onConflict = replaces ? 'UPDATE SET channel = excluded.channel, value = excluded.value' : 'NOTHING'
    const insert = async (sql: Sql) => {
      await this.#fence(sql, thread_id)
      for (const { channel, place, value } of rows) {
        await sql.run(
          `INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, value)
           VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO ${onConflict}`,
          [thread_id, checkpoint_ns, checkpoint_id, taskId, place, channel, value],
        )
      }
    }
    const failed = (error: unknown) => this.#failures.note(thread_id, error)
    const write = async (sql: Sql) => {
      try {
        await insert(sql)
      } catch (error) {
        // The next checkpoint may wait for the same commit.
        if (!mayPass(error)) failed(error)
        throw error
      }
    }
    await this.#database.write(write).catch(failed)
  }

  override async deleteThread(threadId: string): Promise<void> {
    checkIdentifier('thread', threadId)
    await this.#database.write(async (sql) => {
      await sql.run('DELETE FROM checkpoints WHERE thread_id = $1', [threadId])
      await sql.run('DELETE FROM writes WHERE thread_id = $1', [threadId])
      await sql.run(markReset, [threadId])
    })
  }

  #json(value: unknown, at: string): string {
    return new TextDecoder().decode(encodeValue(value, at, this.#mask))
  }
}

interface CheckpointRow {
  readonly thread_id: string
  readonly checkpoint_ns: string
  readonly checkpoint_id: string
  readonly parent_checkpoint_id: string | null
  readonly checkpoint: string
  readonly metadata: string
  readonly sequence: number
  /** Task, channel and value of each. */
  readonly writes: readonly (readonly [string, string, string])[]
  /** What the tasks before it sent, which checkpoints of a version before 4 do not hold themselves. */
  readonly sends: readonly string[]
}

const checkpoints = `SELECT *, (
    SELECT coalesce(json_agg(json_build_array(task_id, channel, value) ORDER BY task_id, idx), '[]') FROM writes
    WHERE writes.thread_id = checkpoints.thread_id AND writes.checkpoint_ns = checkpoints.checkpoint_ns
      AND writes.checkpoint_id = checkpoints.checkpoint_id
  ) AS writes, (
    SELECT coalesce(json_agg(value ORDER BY task_id, idx), '[]') FROM writes
    WHERE writes.thread_id = checkpoints.thread_id AND writes.checkpoint_ns = checkpoints.checkpoint_ns
      AND writes.checkpoint_id = checkpoints.parent_checkpoint_id AND channel = '${TASKS}'
  ) AS sends FROM checkpoints`

function tupleOf(row: CheckpointRow): CheckpointTuple {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id: parent } = row
  return {
    config: { configurable: { thread_id, checkpoint_ns, checkpoint_id } },
    checkpoint: checkpointOf(row),
    // As `put` wrote it.
    metadata: decodeValue(row.metadata) as CheckpointMetadata,
    ...(parent !== null && { parentConfig: { configurable: { thread_id, checkpoint_ns, checkpoint_id: parent } } }),
    pendingWrites: row.writes.map(([task, channel, value]) => [task, channel, decodeValue(value)]),
  }
}

function checkpointOf({ checkpoint: json, parent_checkpoint_id: parent, sends }: CheckpointRow): Checkpoint {
  // As `put` wrote it.
  const checkpoint = decodeValue(json) as Checkpoint
  if (checkpoint.v >= 4 || parent === null) return checkpoint
  const versions = Object.values(checkpoint.channel_versions)
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [TASKS]: sends.map((send) => decodeValue(send)) },
    channel_versions: {
      ...checkpoint.channel_versions,
      [TASKS]: versions.length > 0 ? maxChannelVersion(...versions) : firstVersion,
    },
  }
}

/** Of a channel. */
const firstVersion = 1

function fits({ metadata }: CheckpointTuple, filter: CheckpointListOptions['filter'] = {}): boolean {
  const held = new Map(Object.entries(metadata ?? {}))
  return Object.entries(filter).every(([key, value]) => JSON.stringify(held.get(key)) === JSON.stringify(value))
}
