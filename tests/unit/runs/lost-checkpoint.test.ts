import { join } from 'node:path'
import type { BaseMessage } from '@langchain/core/messages'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Quaero } from '../../../src/api.ts'
import { Submissions } from '../../../src/runs/submit.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import { calls, cited, libraryFolder, openWorkflow, route } from '../../fixtures/workflow.ts'

const threadId = 't1'
const noLimits = { modelCalls: null, rounds: null, toolCalls: null, tokens: null, costUsd: null, wallClockMs: null }

function sendOnce(messages: readonly BaseMessage[]) {
  return messages.at(-1)?.type === 'tool' ? 'Done.' : calls(['send', {}])
}

/** An engine with a tool that needs approval, and what tests do to its stored data. */
async function conversation() {
  const dataDir = await libraryFolder()
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: z.object({}),
    sensitive: true,
    run: async () => 'The Marble corpus holds 81.1 million pages.',
  })
  const script = {
    orchestrator: Array.from({ length: 6 }, () => route()),
    research: Array.from({ length: 12 }, () => sendOnce),
    synthesis: Array.from({ length: 6 }, () => cited('It holds them.', 'P1', 'holds 81.1 million pages')),
  }
  const { quaero } = await openWorkflow(script, { dataDir, tools: [send], settings: { tools: { trust: 'careful' } } })
  const database = new Database(join(dataDir, 'quaero.db'))
  onTestFinished(() => void database.close())
  return {
    quaero,
    database,
    /** A run that waits for an approval. */
    waiting: async (question: string) => (await quaero.ask(question, { threadId })).runId,
    /** A run that ends in its first attempt. */
    answered: async (question: string) => {
      expect(await quaero.ask(question, { threadId, approve: 'all' })).toMatchObject({ status: 'completed' })
    },
    /** A run that was killed before its first checkpoint. */
    killed: async (question: string) => {
      const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
      const request = { question, threadId, documents: null, limits: noLimits, approve: 'ask' } as const
      const [created] = await new Submissions({ storage, waitWhenBusyMs: 0 }).store(request)
      const runId = created?.correlationId ?? ''
      await storage.leases.release(threadId, runId)
      await storage.close()
      return runId
    },
    finish: async (runId: string) => {
      for (let result = await quaero.runs.show(runId); result.status !== 'completed'; ) {
        result = await quaero.resume(
          runId,
          Object.fromEntries(result.approvals.map(({ id }) => [id, { approved: true }])),
        )
        if (result.status === 'failed') throw new Error(result.error?.message)
      }
    },
  }
}

async function expectAgreement(quaero: Quaero, questions: readonly string[]): Promise<void> {
  const said = (await quaero.threads.messages(threadId)).map(({ content }) => content)
  const { messages } = await quaero.threads.state(threadId)
  const held = (messages as readonly BaseMessage[]).map(({ text }) => text)
  expect(held.filter((text) => text.endsWith('?'))).toEqual(questions)
  expect(held).toEqual(said.slice(-held.length))
  expect((await quaero.verify()).discrepancies).toEqual([])
}

describe('the conversation of a run that was killed before its first checkpoint', { tags: ['F53'] }, () => {
  it.each([true, false])('begins with it, whether it is resumed after the next turn: %s', async (isResumed) => {
    const { quaero, answered, killed, finish } = await conversation()
    const first = await killed('First?')
    await answered('Second?')
    if (isResumed) await finish(first)
    await answered('Third?')
    await expectAgreement(quaero, ['First?', 'Second?', 'Third?'])
  })

  it('keeps its question in a later turn, where it was cancelled', async () => {
    const { quaero, answered, killed } = await conversation()
    await answered('First?')
    await quaero.cancel(await killed('Second?'))
    await answered('Third?')
    await expectAgreement(quaero, ['First?', 'Second?', 'Third?'])
  })

  it('keeps it after a reset, and nothing from before the reset', { tags: ['H15'] }, async () => {
    const { quaero, answered, killed, finish } = await conversation()
    const first = await killed('First?')
    await quaero.threads.reset(threadId)
    const second = await killed('Second?')
    await answered('Third?')
    await expectAgreement(quaero, ['Second?', 'Third?'])
    await finish(second)
    await finish(first)
    await expectAgreement(quaero, ['Second?', 'Third?'])
  })
})

describe('the answer of a run that ended after the next question was asked', { tags: ['F53'] }, () => {
  it('is in the next turn, although the process was killed before it was in the state', async () => {
    const { quaero, database, waiting, answered, finish } = await conversation()
    const first = await waiting('First?')
    await answered('Second?')
    // The checkpoints of the first run stand under its own id by now.
    database.exec(`CREATE TRIGGER killed BEFORE INSERT ON checkpoints WHEN NEW.thread_id = '${threadId}'
                   BEGIN SELECT RAISE(ABORT, 'killed'); END`)
    await finish(first)
    expect((await quaero.threads.state(threadId)).messages).toHaveLength(3)
    database.exec('DROP TRIGGER killed')
    await answered('Third?')
    await expectAgreement(quaero, ['First?', 'Second?', 'Third?'])
  })

  it('is in the next turn, although that question was cancelled', async () => {
    const { quaero, waiting, answered, finish } = await conversation()
    const first = await waiting('First?')
    const second = await waiting('Second?')
    await finish(first)
    await quaero.cancel(second)
    await answered('Third?')
    await expectAgreement(quaero, ['First?', 'Second?', 'Third?'])
  })
})
