import type { RunnableConfig } from '@langchain/core/runnables'
import type {
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from '@langchain/langgraph-checkpoint'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { checkpointSerializer } from '../serializer.ts'
import type { CheckpointTable } from '../sql/checkpoints.ts'
import type { SqliteDatabase } from './database/database.ts'

/** LangGraph's `SqliteSaver` with our own serializer, an order of our own, and waits that do not block the event loop. */
export class SqliteCheckpointer extends SqliteSaver {
  readonly #database: SqliteDatabase
  readonly #table: CheckpointTable

  constructor(database: SqliteDatabase, table: CheckpointTable) {
    super(database.connection, checkpointSerializer)
    this.#database = database
    this.#table = table
    this.setup()
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const isNamed = Boolean(config.configurable?.checkpoint_id)
    for (;;) {
      const named = await this.#table.named(config)
      if (!named) return undefined
      const found = await this.#database.read(() => super.getTuple(isNamed ? config : { configurable: named }))
      // Else another has come, and this one was pruned.
      if (found || isNamed) return found
    }
  }

  override async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    for (const configurable of await this.#table.names(config, options)) {
      const tuple = await this.getTuple({ configurable })
      if (tuple) yield tuple
    }
  }

  override put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<RunnableConfig> {
    return this.#table.put(config, checkpoint, metadata)
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    return this.#table.putWrites(config, writes, taskId)
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#table.deleteThread(threadId)
  }
}
