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

/** As a version before the schema of the turn wrote it: what an agent tells the others stands under its own name. */
function tellByAgent(dataDir: string): void {
  const database = new Database(join(dataDir, 'quaero.db'))
  const rows = database.prepare<[], { rowid: number; json: string }>(
    'SELECT rowid, CAST(checkpoint AS TEXT) AS json FROM checkpoints',
  )
  const change = database.prepare('UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?')
  const changed = rows.all().filter(({ rowid, json }) => {
    const checkpoint = JSON.parse(json)
    const { turn, ...context } = checkpoint.channel_values.context ?? {}
    if (!turn) return false
    const { assumed, isAfterReply } = turn
    checkpoint.channel_values.context = { ...context, agents: { orchestrator: { assumed, isAfterReply } } }
    return change.run(Buffer.from(JSON.stringify(checkpoint)), rowid).changes > 0
  })
  database.close()
  expect(changed.length).toBeGreaterThan(0)
}

it('a run whose checkpoint an earlier version wrote still knows what its agents told each other', {
  tags: ['F66', 'R9'],
}, async () => {
  const dataDir = await libraryFolder()
  const settings = { tools: { trust: 'careful' }, clarification: { maxInARow: 1 } } as const
  const asking = route({ route: 'clarification', missingContext: ['which corpus is meant'] })
  const { quaero } = await openWorkflow(
    { orchestrator: [asking], clarification: ['Which one?'], research: [calls(['note', { text: 'before' }])] },
    { dataDir, tools: [note([])], settings },
  )
  await quaero.ask('How many pages does it hold?', { threadId: 't1' })
  const { runId, status } = await quaero.ask("I don't know", { threadId: 't1' })
  expect(status).toBe('requires_action')
  await quaero.close()
  tellByAgent(dataDir)

  const done: string[] = []
  const later = await openWorkflow(
    { research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] },
    { dataDir, tools: [note(done)], settings },
  )
  const resumed = await later.quaero.resume(runId, { 'note-1': { approved: true } })
  expect(resumed).toMatchObject({ status: 'completed', answer: expect.stringContaining('81.1 million') })
  expect(resumed.answer).toContain('It was left open which corpus is meant')
  expect(done).toEqual(['before'])
  expect((await later.quaero.verify()).discrepancies).toEqual([])
})
