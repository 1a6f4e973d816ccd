import type { RunnableConfig } from '@langchain/core/runnables'
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { checkpointSerializer } from '../serializer.ts'
import { type CheckpointerOptions, TableCheckpointer } from '../sql/checkpoints.ts'
import type { SqliteDatabase } from './database/database.ts'

/**
 * Checkpoints as LangGraph's `SqliteSaver` reads them, with our own serializer, an order of our own, and waits that do not
 * block the event loop.
 */
export class SqliteCheckpointer extends TableCheckpointer {
  readonly #database: SqliteDatabase
  readonly #saver: SqliteSaver

  constructor(database: SqliteDatabase, options: CheckpointerOptions) {
    super(database.place, options)
    this.#database = database
    this.#saver = new SqliteSaver(database.connection, checkpointSerializer)
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const isNamed = Boolean(config.configurable?.checkpoint_id)
    for (;;) {
      const configurable = await this.named(config)
      if (!configurable) return undefined
      const found = await this.#database.read(() => this.#saver.getTuple(isNamed ? config : { configurable }))
      // Else another has come, and this one was pruned.
      if (found || isNamed) return found
    }
  }
}
