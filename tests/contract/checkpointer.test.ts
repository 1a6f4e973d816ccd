import type { BaseCheckpointSaver } from '@langchain/langgraph'
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'

// The suite of @langchain/langgraph-checkpoint-validation takes these from the global scope, as Jest has them.
Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach })

const storages = new Map<BaseCheckpointSaver, Storage>()
const initializer = {
  // Under this name the suite skips the one test that it skips for the saver we extend: "should only store
  // channel_values that have changed". Checkpoints here are whole; older ones are pruned instead.
  checkpointerName: '@langchain/langgraph-checkpoint-sqlite',
  async createCheckpointer() {
    const storage = await openSqliteStorage({ path: ':memory:' })
    storages.set(storage.checkpointer, storage)
    return storage.checkpointer
  },
  async destroyCheckpointer(checkpointer: BaseCheckpointSaver) {
    await storages.get(checkpointer)?.close()
    storages.delete(checkpointer)
  },
}

validate(initializer)
deltaChannelHistoryTests(initializer)
