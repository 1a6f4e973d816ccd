import type { RunnableConfig } from '@langchain/core/runnables'
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import type { Mask } from '../../credentials/index.ts'
import { InvalidId } from '../../errors.ts'
import { checkIdentifier } from '../identifier.ts'
import { checkpointSerializer, decodeValue, encodeValue } from '../serializer.ts'
import type { Dialect } from './dialect.ts'
import type { Fence } from './leases.ts'
import { all, first, type Work, type Workplace } from './work.ts'

/** Names a checkpoint, as LangGraph does. */
interface CheckpointName {
  readonly thread_id: string
  readonly checkpoint_ns: string
  readonly checkpoint_id: string
}

export interface CheckpointerOptions {
  readonly dialect: Dialect
  /** What is written passes through both. */
  readonly mask: Mask
  readonly fence: Fence
  /** Work that failed so is done again. */
  readonly mayPass: (error: unknown) => boolean
}

/**
 * A checkpointer of LangGraph over the tables `checkpoints` and `writes`; a storage adds how one is read. A graph that runs
 * without a `thread_id` is not saved; every other write without one, and every invalid id, throws `InvalidId`.
 */
export abstract class TableCheckpointer extends BaseCheckpointSaver {
  protected readonly place: Workplace
  readonly #options: CheckpointerOptions
  /**
   * Results of tasks that could not be stored, by thread. LangGraph awaits `putWrites` only at the end of the step, and until
   * then a rejection would be unhandled and end the process. So the next `put` reports the failure.
   */
  readonly #failures = new Map<string, unknown>()

  constructor(place: Workplace, options: CheckpointerOptions) {
    super(checkpointSerializer)
    this.place = place
    this.#options = options
  }

  /** Which checkpoint a configuration means: the one that it names, else the newest of its thread. */
  protected async named(config: RunnableConfig): Promise<CheckpointName | undefined> {
    const { thread_id, checkpoint_id, checkpoint_ns = '' } = config.configurable ?? {}
    if (thread_id === undefined) return undefined
    checkIdentifier('thread', thread_id)
    if (checkpoint_id) return { thread_id, checkpoint_ns, checkpoint_id }
    return await this.place.read(() =>
      first<CheckpointName>(
        `SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints
         WHERE thread_id = $1 AND checkpoint_ns = $2 ORDER BY sequence DESC LIMIT 1`,
        [thread_id, checkpoint_ns],
      ),
    )
  }

  /** The newest first, in the order of writing: ids follow a clock that may have been set back. */
  override async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    for (const configurable of await this.#names(config, options)) {
      const tuple = await this.getTuple({ configurable })
      if (tuple) yield tuple
    }
  }

  async #names(config: RunnableConfig, options: CheckpointListOptions = {}): Promise<readonly CheckpointName[]> {
    const { thread_id, checkpoint_ns: ns = null } = config.configurable ?? {}
    const thread = thread_id === undefined ? null : checkIdentifier('thread', thread_id)
    const before = options.before?.configurable?.checkpoint_id ?? null
    const limit = options.limit || listLimit
    const found = await this.place.read(() =>
      all<CheckpointName & { metadata: string }>(
        `SELECT thread_id, checkpoint_ns, checkpoint_id, CAST(metadata AS text) AS metadata FROM checkpoints AS listed
         WHERE (CAST($1 AS text) IS NULL OR thread_id = $1) AND (CAST($2 AS text) IS NULL OR checkpoint_ns = $2)
           AND (CAST($3 AS text) IS NULL OR sequence < (SELECT sequence FROM checkpoints AS other
                WHERE other.thread_id = listed.thread_id AND other.checkpoint_ns = listed.checkpoint_ns
                  AND other.checkpoint_id = $3))
         ORDER BY sequence DESC LIMIT coalesce($4, 9223372036854775807)`,
        [thread, ns, before, options.filter ? null : limit],
      ),
    )
    return found
      .filter(({ metadata }) => fits(metadata, options.filter))
      .slice(0, limit)
      .map(({ metadata, ...name }) => name)
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const { checkpoint_ns = '', checkpoint_id: parent = null, [graphKey]: graph } = config.configurable ?? {}
    const { mask, fence, dialect } = this.#options
    const thread_id = savedThread(config, mask)
    const next = { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } }
    if (thread_id === undefined) return next
    const written = { ...metadata, ...(typeof graph === 'string' && { [graphKey]: graph }) }
    const row = [encodeValue(checkpoint, '$', mask), encodeValue(written, '$.metadata', mask)]
    const failures = this.#failures
    const write = function* () {
      // Forgotten only afterwards, since the transaction may be tried again.
      if (failures.has(thread_id)) throw failures.get(thread_id)
      yield* fence(thread_id)
      yield* all(
        `INSERT INTO checkpoints
           (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata, sequence)
         VALUES ($1, $2, $3, $4, $5, $6, ${dialect.nextCheckpoint})
         ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
           parent_checkpoint_id = excluded.parent_checkpoint_id, checkpoint = excluded.checkpoint,
           metadata = excluded.metadata, sequence = excluded.sequence`,
        [thread_id, checkpoint_ns, checkpoint.id, parent, ...row],
      )
    }
    await this.place.write(write).finally(() => failures.delete(thread_id))
    return next
  }

  /** Stores the results of a step's tasks. Never rejects: the next `put` reports a failure. */
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { mask, fence, mayPass } = this.#options
    const thread_id = savedThread(config, mask)
    if (thread_id === undefined) return
    const { checkpoint_ns = '', checkpoint_id } = config.configurable ?? {}
    if (!checkpoint_id) throw new Error('Writes belong to a checkpoint, but configurable.checkpoint_id is missing.')
    const rows = writes.map(([channel, value], index) => {
      const place = WRITES_IDX_MAP[channel] ?? index
      return [place, channel, encodeValue(value, `$.${channel}`, mask)]
    })
    // Such writes (an error, an interrupt, a resume) take the place of an earlier one; others are the same as before.
    const replaces = writes.every(([channel]) => Object.hasOwn(WRITES_IDX_MAP, channel))
    const onConflict = replaces ? 'UPDATE SET channel = excluded.channel, value = excluded.value' : 'NOTHING'
    const failed = (error: unknown) => void this.#failures.set(thread_id, error)
    const write = function* () {
      try {
        yield* fence(thread_id)
        for (const row of rows) {
          yield* all(
            `INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, value)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO ${onConflict}`,
            [thread_id, checkpoint_ns, checkpoint_id, taskId, ...row],
          )
        }
      } catch (error) {
        // The next checkpoint may wait for the same commit.
        if (!mayPass(error)) failed(error)
        throw error
      }
    }
    await this.place.write(write).catch(failed)
  }

  override async deleteThread(threadId: string): Promise<void> {
    checkIdentifier('thread', threadId)
    await this.place.write(() => resetCheckpoints(threadId))
  }
}

/** The configuration's key for the graph that wrote a checkpoint: LangGraph drops a run's own metadata. */
const graphKey = 'graph_fingerprint'

/** The default limit of `list`; a long thread holds gigabytes. */
const listLimit = 100

/** The thread to save to; undefined for a run of a graph that has none. Only runs carry a recursion limit. */
function savedThread({ configurable, recursionLimit }: RunnableConfig, mask: Mask): string | undefined {
  const threadId = configurable?.thread_id
  if (threadId !== undefined) {
    const id = checkIdentifier('thread', threadId)
    if (mask(id) === id) return id
    throw new InvalidId("The thread's id holds a configured credential. Choose another one.")
  }
  if (configurable !== undefined && recursionLimit !== undefined) return undefined
  throw new InvalidId('A checkpoint belongs to a thread, but configurable.thread_id is missing. Name the thread.')
}

/** Removes the checkpoints of a thread, or those that were parked under the id of a run. */
export function* dropCheckpoints(threadId: string): Work<void> {
  yield* deleteWhere('thread_id = $1', threadId)
}

/** Removes them of a thread, and of its runs. */
export function* dropAllCheckpoints(threadId: string): Work<void> {
  yield* deleteWhere('thread_id = $1 OR thread_id IN (SELECT run_id FROM runs WHERE thread_id = $1)', threadId)
}

/** Removes them, and notes at the thread's newest run that the next one begins a new conversation. */
export function* resetCheckpoints(threadId: string): Work<void> {
  yield* dropCheckpoints(threadId)
  yield* all(
    `UPDATE runs SET reset_after = true WHERE run_id =
       (SELECT run_id FROM runs WHERE thread_id = $1 ORDER BY turn DESC, number DESC LIMIT 1)`,
    [threadId],
  )
}

/** Removes all but the newest. */
export function* pruneCheckpoints(threadId: string): Work<void> {
  const newest = `SELECT checkpoint_id FROM checkpoints
    WHERE thread_id = $1 AND checkpoint_ns = '' ORDER BY sequence DESC LIMIT 1`
  yield* deleteWhere(`thread_id = $1 AND NOT (checkpoint_ns = '' AND checkpoint_id = (${newest}))`, threadId)
}

function* deleteWhere(condition: string, threadId: string): Work<void> {
  // The checkpoints say which writes go, so that they go last.
  for (const table of ['writes', 'checkpoints']) yield* all(`DELETE FROM ${table} WHERE ${condition}`, [threadId])
}

/**
 * Sets the checkpoints of a run aside, so that another may have its thread. What is aside already is not replaced: a run
 * that was set aside does not come back under its thread.
 */
export function* parkCheckpoints(threadId: string, runId: string): Work<void> {
  yield* all(
    `INSERT INTO checkpoints
       (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata, sequence)
     SELECT $2, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata, sequence
     FROM checkpoints WHERE thread_id = $1 ON CONFLICT DO NOTHING`,
    [threadId, runId],
  )
  yield* all(
    `INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, value)
     SELECT $2, checkpoint_ns, checkpoint_id, task_id, idx, channel, value
     FROM writes WHERE thread_id = $1 ON CONFLICT DO NOTHING`,
    [threadId, runId],
  )
}

function fits(metadata: string, filter: CheckpointListOptions['filter'] = {}): boolean {
  const wanted = Object.entries(filter)
  if (wanted.length === 0) return true
  // As `put` wrote it.
  const held = new Map(Object.entries(decodeValue(metadata) as CheckpointMetadata))
  return wanted.every(([key, value]) => JSON.stringify(held.get(key)) === JSON.stringify(value))
}
