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
import { InvalidId } from '../../errors.ts'
import { checkIdentifier } from '../identifier.ts'
import type { SqliteDatabase } from './database.ts'
import { isBusy, storageFailure } from './failure.ts'
import type { Fence } from './leases.ts'
import { checkpointSerializer, encodeValue } from './serializer.ts'

/** Which graph wrote a checkpoint: LangGraph keeps nothing of a run's own metadata, so it comes by the configuration. */
const graphKey = 'graph_fingerprint'

/** Checkpoints that `list` yields where no limit is asked for; a long thread holds gigabytes. */
const listLimit = 100

/**
 * LangGraph's `SqliteSaver` over a database that is open already: our own serializer, prepared statements, and waits
 * that leave the event loop free.
 *
 * A graph that runs without a `thread_id` runs unsaved: nothing is found and nothing is kept. Every other write
 * without one, and every id outside `[A-Za-z0-9_-]{1,128}`, is refused with `InvalidId`.
 */
export class SqliteCheckpointer extends SqliteSaver {
  readonly #database: SqliteDatabase
  readonly #statements: Statements
  readonly #mask: Mask
  readonly #fence: Fence
  /** Results that could not be stored, by thread. */
  readonly #failures = new Map<string, unknown>()

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
    const threadId = config.configurable?.thread_id
    if (threadId === undefined) return undefined
    checkIdentifier('thread', threadId)
    return await this.#database.read(() => super.getTuple(config))
  }

  override async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    const threadId = config.configurable?.thread_id
    if (threadId !== undefined) checkIdentifier('thread', threadId)
    try {
      yield* super.list(config, { ...options, limit: options?.limit || listLimit })
    } catch (error) {
      throw storageFailure(error, this.#database.path)
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
    await this.#database.write(() => {
      this.#refuseAfterFailure(thread_id)
      this.#fence(thread_id)
      this.#statements.checkpoint.run(thread_id, checkpoint_ns, checkpoint.id, parent, 'json', ...row)
    })
    return next
  }

  /**
   * Stores the results of a step's tasks. LangGraph looks at what became of it only when the step is over; until then
   * Node.js takes a rejection for one that nobody heeds, and ends the process. So a failure is told by the next `put`.
   */
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
    const failed = (error: unknown) => void this.#failures.set(thread_id, error)
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

  #refuseAfterFailure(threadId: string): void {
    const failure = this.#failures.get(threadId)
    if (this.#failures.delete(threadId)) throw failure
  }

  override async deleteThread(threadId: string): Promise<void> {
    checkIdentifier('thread', threadId)
    await this.#database.write(() => {
      this.#statements.deleteCheckpoints.run(threadId)
      this.#statements.deleteWrites.run(threadId)
    })
  }
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
       (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    write: insertWrite('IGNORE'),
    replacingWrite: insertWrite('REPLACE'),
    deleteCheckpoints: connection.prepare('DELETE FROM checkpoints WHERE thread_id = ?'),
    deleteWrites: connection.prepare('DELETE FROM writes WHERE thread_id = ?'),
  }
}

/** The thread to save to; undefined for a run of a graph that has none. Only runs carry a recursion limit. */
function savedThread(config: RunnableConfig, mask: Mask): string | undefined {
  const threadId = config.configurable?.thread_id
  if (threadId !== undefined) {
    const id = checkIdentifier('thread', threadId)
    if (mask(id) === id) return id
    throw new InvalidId("The thread's id holds a configured credential. Choose another one.")
  }
  if (config.configurable !== undefined && config.recursionLimit !== undefined) return undefined
  throw new InvalidId('A checkpoint belongs to a thread, but configurable.thread_id is missing. Name the thread.')
}
