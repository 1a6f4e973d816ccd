import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inOwnFolder, storages } from '../fixtures/storage/storages.ts'

// The suite of @langchain/langgraph-checkpoint-validation takes these from the global scope, as Jest has them.
Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach })

describe.each(Object.entries(storages))('the checkpoints of a storage in %s', (_, open) => {
  let opened: Awaited<ReturnType<typeof inOwnFolder>> | undefined
  const initializer = {
    // Under this name the suite skips the one test that it skips for the saver of LangGraph: "should only store
    // channel_values that have changed". Checkpoints here are whole; older ones are pruned instead.
    checkpointerName: '@langchain/langgraph-checkpoint-sqlite',
    // One storage for all tests, emptied before each: a database of its own for each would take minutes.
    async createCheckpointer() {
      opened ??= await inOwnFolder(open)
      const { checkpointer } = opened.storage
      for await (const { config } of checkpointer.list({}))
        await checkpointer.deleteThread(config.configurable?.thread_id)
      return checkpointer
    },
    async destroyCheckpointer() {},
  }
  afterAll(() => opened?.close())

  it('give back the results of a step with every character that was written', async () => {
    opened ??= await inOwnFolder(open)
    const { checkpointer } = opened.storage
    const config = { configurable: { thread_id: 't1' } }
    const saved = await checkpointer.put(config, emptyCheckpoint(), { source: 'input', step: -1, parents: {} }, {})
    const text = 'null \0, half a pair \ud800, private use \ue01a and \ue01a0041'
    await checkpointer.putWrites(saved, [['channel', text]], 'task')
    expect((await checkpointer.getTuple(saved))?.pendingWrites).toEqual([['task', 'channel', text]])
  })

  validate(initializer)
  deltaChannelHistoryTests(initializer)
})
