import type { RunnableConfig } from '@langchain/core/runnables'
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  maxChannelVersion,
  TASKS,
} from '@langchain/langgraph-checkpoint'
import { checkIdentifier } from '../identifier.ts'
import { decodeValue } from '../serializer.ts'
import { TableCheckpointer } from '../sql/checkpoints.ts'
import { first } from '../sql/work.ts'

/**
 * Stores checkpoints whole, in the transactions in which events are stored, and tells the newest by a counter. (LangGraph's
 * `PostgresSaver` has transactions of its own, orders by clock, and spreads a checkpoint over rows that pruning would
 * have to count.)
 */
export class PostgresCheckpointer extends TableCheckpointer {
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: threadId, checkpoint_id: id, checkpoint_ns = '' } = config.configurable ?? {}
    if (threadId === undefined) return undefined
    checkIdentifier('thread', threadId)
    const row = await this.place.read(() =>
      first<CheckpointRow>(
        `${checkpoints} WHERE thread_id = $1 AND checkpoint_ns = $2 AND (CAST($3 AS text) IS NULL OR checkpoint_id = $3)
         ORDER BY sequence DESC LIMIT 1`,
        [threadId, checkpoint_ns, id || null],
      ),
    )
    if (!row) return undefined
    return id ? { ...tupleOf(row), config } : tupleOf(row)
  }
}

interface CheckpointRow {
  readonly thread_id: string
  readonly checkpoint_ns: string
  readonly checkpoint_id: string
  readonly parent_checkpoint_id: string | null
  readonly checkpoint: string
  readonly metadata: string
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
