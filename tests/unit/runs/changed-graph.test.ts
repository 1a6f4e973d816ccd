import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Event } from '../../../src/events/index.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import { calls, cited, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')

const note = (done: string[]) =>
  defineTool({
    name: 'note',
    description: 'Notes.',
    input: z.object({ text: z.string() }),
    sensitive: true,
    run: async ({ text }) => {
      done.push(text)
      return 'noted'
    },
  })

/** A run that waits for approval, in a data directory that is closed again. */
async function waitingRun(): Promise<{ readonly dataDir: string; readonly runId: string }> {
  const dataDir = await libraryFolder()
  const { quaero } = await openWorkflow(
    { orchestrator: [route()], research: [calls(['note', { text: 'before' }])] },
    { dataDir, tools: [note([])], settings: { tools: { trust: 'careful' } } },
  )
  const { runId, status } = await quaero.ask(question, { threadId: 't1' })
  expect(status).toBe('requires_action')
  await quaero.close()
  return { dataDir, runId }
}

/** As if another version of the workflow, with other nodes, had written the checkpoints. */
function changeGraph(dataDir: string): void {
  const database = new Database(join(dataDir, 'quaero.db'))
  const { changes } = database
    .prepare(`UPDATE checkpoints SET metadata = json_set(CAST(metadata AS TEXT), '$.graph_fingerprint', 'another')
              WHERE json_extract(CAST(metadata AS TEXT), '$.graph_fingerprint') IS NOT NULL`)
    .run()
  database.close()
  expect(changes).toBeGreaterThan(0)
}

async function resumed(dataDir: string, runId: string) {
  const done: string[] = []
  const { quaero, model } = await openWorkflow(
    { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] },
    { dataDir, tools: [note(done)], settings: { tools: { trust: 'careful' } } },
  )
  const result = await quaero.resume(runId, { 'note-1': { approved: true } })
  const log: Event[] = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  const notices = log.flatMap((event) => (event.type === 'notice' ? [event.payload.code] : []))
  return { quaero, model, done, result, notices }
}

it('a run whose checkpoint another graph wrote starts its turn again, says so, and is answered', {
  tags: ['F66', 'TRAP17'],
}, async () => {
  const { dataDir, runId } = await waitingRun()
  changeGraph(dataDir)
  const { quaero, done, result, notices } = await resumed(dataDir, runId)
  expect(result).toMatchObject({ runId, status: 'completed', answer: expect.stringContaining('81.1 million') })
  expect(notices).toEqual(['graph_changed'])
  expect(done).toEqual([])
  expect((await quaero.threads.messages('t1')).map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect((await quaero.verify()).discrepancies).toEqual([])
})

it('a run whose checkpoint the same graph wrote goes on where it stopped', { tags: ['F66'] }, async () => {
  const { dataDir, runId } = await waitingRun()
  const { done, notices, model } = await resumed(dataDir, runId)
  expect([done, notices]).toEqual([['before'], []])
  // Two calls of research and one of synthesis; nothing asks the orchestrator again.
  expect(model.heard).toHaveLength(3)
})
