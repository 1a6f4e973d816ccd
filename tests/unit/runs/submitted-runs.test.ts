import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LeaseLost } from '../../../src/errors.ts'
import { Submissions } from '../../../src/runs/submit.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { cited, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const script = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }
const limits = { modelCalls: null, rounds: null, toolCalls: null, tokens: null, costUsd: null, wallClockMs: null }

describe('a run that another process has submitted', () => {
  const submitted = async (dataDir: string, bounds: object) => {
    const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
    const request = {
      question,
      threadId: 't1',
      documents: null,
      limits: { ...limits, ...bounds },
      approve: 'ask',
    } as const
    const [created] = await new Submissions({ storage, waitWhenBusyMs: 0 }).store(request)
    const runId = created?.correlationId ?? ''
    await storage.leases.release('t1', runId)
    await storage.close()
    return runId
  }

  it('is worked on like one that was asked here, and its first events are told', async () => {
    const dataDir = await libraryFolder()
    const runId = await submitted(dataDir, {})
    const { quaero } = await openWorkflow(script, { dataDir })
    const told: string[] = []
    for await (const { type } of quaero.resumeStream(runId)) told.push(type)
    expect(told.slice(0, 1)).toEqual(['run.created'])
    expect(await quaero.runs.show(runId)).toMatchObject({ status: 'completed', question, turn: 1 })
    expect((await quaero.verify()).discrepancies).toEqual([])
    expect((await quaero.report()).rows.leases).toBe(0)
  })

  it('keeps the limits with which it was submitted, unless whoever works on it gives others', async () => {
    const dataDir = await libraryFolder()
    const runId = await submitted(dataDir, { modelCalls: 3 })
    const { quaero } = await openWorkflow(script, { dataDir })
    const result = await quaero.resume(runId)
    expect(result).toMatchObject({ status: 'limit_reached', ending: { limit: 'modelCalls', value: 3 } })
    const other = await submitted(dataDir, { modelCalls: 3 })
    const second = await openWorkflow(script, { dataDir })
    expect(await second.quaero.resume(other, {}, { limits: { modelCalls: 9 } })).toMatchObject({ status: 'completed' })
  })
})

describe('a run whose lease another process has taken over', () => {
  it('stores nothing more and can be resumed', async () => {
    const dataDir = await libraryFolder()
    const database = new Database(join(dataDir, 'quaero.db'))
    onTestFinished(() => void database.close())
    const count = () => database.prepare<[], { n: number }>('SELECT count(*) AS n FROM events').get()?.n
    let stored: number | undefined
    const takenOver = () => {
      database.exec("UPDATE leases SET token = token + 1, owner = 'other', system = 'elsewhere'")
      stored = count()
      return 'Never stored.'
    }
    const first = await openWorkflow({ ...script, research: [search('Marble corpus pages'), takenOver] }, { dataDir })
    await expect(first.quaero.ask(question, { threadId: 't1' })).rejects.toThrow(LeaseLost)
    expect(count()).toBe(stored)
    expect(database.prepare('SELECT owner FROM leases').get()).toEqual({ owner: 'other' })

    database.exec('DELETE FROM leases')
    const [run] = await first.quaero.runs.list()
    expect(run).toMatchObject({ status: 'interrupted' })
    const second = await openWorkflow({ research: ['Done.'], synthesis: [answer] }, { dataDir })
    expect(await second.quaero.resume(run?.runId ?? '')).toMatchObject({ status: 'completed' })
    expect((await second.quaero.verify()).discrepancies).toEqual([])
  })
})
