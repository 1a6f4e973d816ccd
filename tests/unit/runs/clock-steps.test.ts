import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Quaero } from '../../../src/api.ts'
import { cited, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const answer = () => cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turns = [1, 2, 3, 4]
const script = () => ({
  orchestrator: turns.map((n) => route({ standaloneQuestion: `Question ${n}?` })),
  research: turns.flatMap(() => [search('Marble corpus pages'), 'Done.']),
  synthesis: turns.map(answer),
})
const dayMs = 24 * 60 * 60 * 1000

async function messagesIn(quaero: Quaero): Promise<readonly string[]> {
  const { messages } = await quaero.threads.state('t1')
  return (messages as readonly { readonly text: string }[]).map(({ text }) => text)
}

async function asksInTurn(quaero: Quaero, numbers: readonly number[]): Promise<readonly string[]> {
  const said: string[] = []
  for (const n of numbers) {
    const result = await quaero.ask(`Question ${n}?`, { threadId: 't1' })
    expect(result.status).toBe('completed')
    said.push(`Question ${n}?`, result.answer)
  }
  return said
}

describe('a conversation while the clock is set', () => {
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['back by a minute', -60_000],
    ['back by an hour', -3_600_000],
    ['back by 800 days', -800 * dayMs],
    ['ahead by ten years', 3650 * dayMs],
  ])('keeps every turn when it is set %s between two of them', async (_, stepMs) => {
    const dataDir = await libraryFolder()
    const { quaero, model } = await openWorkflow(script(), { dataDir })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const said = [...(await asksInTurn(quaero, [1, 2]))]
    vi.setSystemTime(Date.now() + stepMs)
    said.push(...(await asksInTurn(quaero, [3])))
    const heard = model.heard.length
    said.push(...(await asksInTurn(quaero, [4])))
    for (const text of said.slice(0, 6))
      expect(JSON.stringify(model.heard[heard])).toContain(JSON.stringify(text).slice(1, -1))
    expect(await messagesIn(quaero)).toEqual(said)
    expect((await quaero.verify()).discrepancies).toEqual([])
    expect((await quaero.report()).rows.checkpoints).toBe(1)
    const notices = []
    for (const { runId } of await quaero.runs.list())
      for await (const { type } of quaero.runs.events(runId)) if (type === 'notice') notices.push(runId)
    expect(notices).toEqual([])
  })

  it('lists the thread first that was asked last, although the clock was set back', async () => {
    const { quaero } = await openWorkflow(script())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await quaero.ask('Question 1?', { threadId: 't1' })
    vi.setSystemTime(Date.now() - 3_600_000)
    await quaero.ask('Question 2?', { threadId: 't2' })
    expect((await quaero.threads.list()).map(({ threadId }) => threadId)).toEqual(['t2', 't1'])
  })

  it('rebuilds the state from the log when its last checkpoint lacks a turn, and says so', async () => {
    const dataDir = await libraryFolder()
    const { quaero, model } = await openWorkflow(script(), { dataDir })
    const database = new Database(join(dataDir, 'quaero.db'))
    const said = [...(await asksInTurn(quaero, [1, 2]))]
    // As an earlier version left it: it took the checkpoint with the highest id for the newest.
    database.exec('CREATE TABLE kept AS SELECT * FROM checkpoints')
    said.push(...(await asksInTurn(quaero, [3])))
    database.exec('DELETE FROM checkpoints; INSERT INTO checkpoints SELECT * FROM kept; DROP TABLE kept')
    database.close()
    expect(await messagesIn(quaero)).toEqual(said.slice(0, 4))

    const heard = model.heard.length
    const { runId, answer } = await quaero.ask('Question 4?', { threadId: 't1' })
    expect(JSON.stringify(model.heard[heard])).toContain('Question 3?')
    expect(await messagesIn(quaero)).toEqual([...said, 'Question 4?', answer])
    const notices = []
    for await (const event of quaero.runs.events(runId)) if (event.type === 'notice') notices.push(event.payload.code)
    expect(notices).toEqual(['state_rebuilt'])
    expect((await quaero.verify()).discrepancies).toEqual([])
  })
})
