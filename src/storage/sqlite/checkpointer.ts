import type { RunnableConfig } from '@langchain/core/runnables'
import {
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import type { Statement } from 'better-sqlite3'
import type { Mask } from '../../credentials/mask.ts'
import { graphKey, listLimit, savedThread } from '../checkpoint-config.ts'
import { FailedWrites } from '../failed-writes.ts'
import { checkIdentifier } from '../identifier.ts'
import { checkpointSerializer, encodeValue } from '../serializer.ts'
import type { SqliteDatabase } from './database/database.ts'
import { isBusy } from './database/failure.ts'
import type { Fence } from './leases.ts'

/** Notes at a thread's newest run that the next one begins a new conversation. */
export const markReset = `UPDATE runs SET reset_after = 1 WHERE run_id =
  (SELECT run_id FROM runs WHERE thread_id = @threadId ORDER BY turn DESC, number DESC LIMIT 1)`

/**
 * LangGraph's `SqliteSaver` with our own serializer, prepared statements, and waits that do not block the event loop. A
 * graph that runs without a `thread_id` is not saved; every other write without one, and every invalid id, throws
 * `InvalidId`.
 */
export class SqliteCheckpointer extends SqliteSaver {
  readonly #database: SqliteDatabase
  readonly #statements: Statements
  readonly #mask: Mask
  readonly #fence: Fence
  readonly #failures = new FailedWrites()

  /** What is written passes through `mask`, and through `fence`. */
  constructor(database: SqliteDatabase, mask: Mask, fence: Fence) {
    super(database.connection, checkpointSerializer)
    this.#database = database
    this.#mask = mask
    this.#fence = fence
    this.setup()
    this.#statements = prepare(database)
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: threadId, checkpoint_id: id, checkpoint_ns = '' } = config.configurable ?? {}
    if (threadId === undefined) return undefined
    checkIdentifier('thread', threadId)
    if (id) return await this.#database.read(() => super.getTuple(config))
    for (;;) {
      const newest = await this.#database.read(() => this.#statements.newest.get(threadId, checkpoint_ns))
      if (!newest) return undefined
      const found = await this.getTuple({ configurable: { thread_id: threadId, checkpoint_ns, ...newest } })
      // Else another has come, and this one was pruned.
      if (found) return found
    }
  }

  /** The newest first, in the order of writing: ids follow a clock that may have been set back. */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id, checkpoint_ns: ns = null } = config.configurable ?? {}
    const thread = thread_id === undefined ? null : checkIdentifier('thread', thread_id)
    const before = options.before?.configurable?.checkpoint_id ?? null
    const filter = JSON.stringify(options.filter ?? {})
    const wanted = { thread, ns, before, filter, limit: options.limit || listLimit }
    for (const configurable of await this.#database.read(() => this.#statements.list.all(wanted))) {
      const tuple = await this.getTuple({ configurable })
      if (tuple) yield tuple
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
    const row = [encodeValue(checkpoint, '$', this.#mask), encodeValue(written, '$.metadata', this.#mask)]
    const write = () => {
      this.#failures.report(thread_id)
      this.#fence(thread_id)
      this.#statements.checkpoint.run(thread_id, checkpoint_ns, checkpoint.id, parent, 'json', ...row, thread_id)
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
    // Such writes (an error, an interrupt, a resume) take the place of an earlier one; others are the same as before.
    const replaces = writes.every(([channel]) => Object.hasOwn(WRITES_IDX_MAP, channel))
    const statement = replaces ? this.#statements.replacingWrite : this.#statements.write
    const rows = writes.map(([channel, value], index) => {
      const place = WRITES_IDX_MAP[channel] ?? index
      return [
        thread_id,
        checkpoint_ns,
        checkpoint_id,
        taskId,
        place,
        channel,
        'json',
        encodeValue(value, `$.${channel}`, this.#mask),
      ]
    })
    const failed = (error: unknown) => this.#failures.note(thread_id, error)
    const write = () => {
      try {
        this.#fence(thread_id)
        for (const row of rows) statement.run(...row)
      } catch (error) {
        // The next checkpoint may wait for the same commit.
        if (!isBusy(error)) failed(error)
        throw error
      }
    }
    await this.#database.write(write).catch(failed)
  }

  override async deleteThread(threadId: string): Promise<void> {
    checkIdentifier('thread', threadId)
    await this.#database.write(() => {
      this.#statements.deleteCheckpoints.run(threadId)
      this.#statements.deleteWrites.run(threadId)
      this.#statements.markReset.run({ threadId })
    })
  }
}

interface ListFilter {
  readonly thread: string | null
  readonly ns: string | null
  /** The id of a checkpoint. */
  readonly before: string | null
  /** What metadata must hold, as a JSON object. */
  readonly filter: string
  readonly limit: number
}

type Statements = ReturnType<typeof prepare>

function prepare({ connection }: SqliteDatabase) {
  const insertWrite = (conflict: string): Statement<unknown[]> =>
    connection.prepare(
      `INSERT OR ${conflict} INTO writes
       (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
  return {
    checkpoint: connection.prepare<unknown[]>(
      `INSERT OR REPLACE INTO checkpoints
       (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, sequence)
       VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(sequence), 0) + 1 FROM checkpoints WHERE thread_id = ?))`,
    ),
    newest: connection.prepare<[string, string], { checkpoint_id: string }>(
      `SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY sequence DESC LIMIT 1`,
    ),
    list: connection.prepare<[ListFilter], { thread_id: string; checkpoint_ns: string; checkpoint_id: string }>(
      `SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints AS listed
       WHERE (@thread IS NULL OR thread_id = @thread) AND (@ns IS NULL OR checkpoint_ns = @ns)
         AND (@before IS NULL OR sequence < (SELECT sequence FROM checkpoints
              WHERE thread_id = listed.thread_id AND checkpoint_ns = listed.checkpoint_ns AND checkpoint_id = @before))
         AND NOT EXISTS (SELECT 1 FROM json_each(@filter)
              WHERE CAST(metadata AS TEXT) -> fullkey IS NOT @filter -> fullkey)
       ORDER BY sequence DESC LIMIT @limit`,
    ),
    write: insertWrite('IGNORE'),
    replacingWrite: insertWrite('REPLACE'),
    deleteCheckpoints: connection.prepare('DELETE FROM checkpoints WHERE thread_id = ?'),
    deleteWrites: connection.prepare('DELETE FROM writes WHERE thread_id = ?'),
    markReset: connection.prepare<unknown[]>(markReset),
  }
}
