import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Event, Plugin, Quaero, QuaeroOptions } from '../../../src/index.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import { calls, cited, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turn = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }

async function logOf(quaero: Quaero, runId: string): Promise<Event[]> {
  const log = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

/** Every span that was begun has ended exactly once, the run's last of all; returns the log. */
async function completeLog(quaero: Quaero): Promise<Event[]> {
  const [run] = await quaero.runs.list()
  const log = await logOf(quaero, run?.runId ?? '')
  const begun = log.filter(({ type }) => type.endsWith('.started')).map(({ id }) => id)
  const ended = log.filter(({ type }) => /\.(completed|failed|interrupted)$/.test(type) && !type.startsWith('message'))
  expect(ended.map(({ causationId }) => causationId).sort()).toEqual([...begun].sort())
  expect(log.at(-1)?.type).toMatch(/^run\.(completed|failed|interrupted)$/)
  return log
}

describe('every exit', () => {
  const thrown = [new TypeError('odd'), 'a text', null, undefined, { code: 'key_rejected' }]

  it.each(thrown)('leaves a complete log where a tool throws %s', { tags: ['L6'] }, async (error) => {
    const broken = defineTool({
      name: 'broken',
      description: 'Fails.',
      input: z.object({}),
      run: () => Promise.reject(error),
    })
    const research = [calls(['broken', {}]), ...turn.research]
    const { quaero } = await openWorkflow({ ...turn, research }, { tools: [broken] })
    expect((await quaero.ask(question)).status).toBe('completed')
    const log = await completeLog(quaero)
    expect(log.filter(({ type }) => type === 'tool.failed')).toMatchObject([{ payload: { code: 'unexpected' } }])
  })

  it.each(['run', 'agent', 'model', 'round', 'tool'] as const)(
    'leaves a complete log, with the cause, where a hook around a %s throws anything',
    { tags: ['L6'] },
    async (kind) => {
      for (const error of thrown) {
        for (const when of ['before', 'after'] as const) {
          const hook = async (request: never, next: (request: never) => Promise<never>) => {
            if (when === 'before') throw error
            await next(request)
            throw error
          }
          const { quaero } = await openWorkflow(turn, { hooks: { name: 'odd', [kind]: hook } as Plugin })
          const result = await quaero.ask(question)
          expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
          const log = await completeLog(quaero)
          expect(log.at(-1)).toMatchObject({ type: 'run.failed', payload: result.error })
        }
      }
    },
  )

  it('is not touched by a subscriber that throws', { tags: ['L6'] }, async () => {
    const notices: string[] = []
    const options: Partial<QuaeroOptions> = {
      subscribers: [
        () => {
          throw null
        },
        () => Promise.reject(new Error('late')),
      ],
      onNotice: (message) => void notices.push(message),
    }
    const { quaero } = await openWorkflow(turn, options)
    expect((await quaero.ask(question)).status).toBe('completed')
    await completeLog(quaero)
    expect(notices).toHaveLength(2)
  })

  it.each(['orchestrator', 'research', 'synthesis'] as const)(
    'leaves a complete log where the model of %s throws what nobody expects',
    { tags: ['L6'] },
    async (agent) => {
      const { quaero } = await openWorkflow({ ...turn, [agent]: [new TypeError('odd')] })
      expect(await quaero.ask(question)).toMatchObject({ status: 'completed', error: { code: 'unexpected' } })
      const log = await completeLog(quaero)
      expect(log.filter(({ type }) => type === 'model.failed')).toMatchObject([{ payload: { code: 'unexpected' } }])
    },
  )

  it.each([
    'agent.started',
    'agent.completed',
    'model.started',
    'model.completed',
    'message.created',
    'message.completed',
    'round.started',
    'round.completed',
    'tool.started',
    'tool.completed',
    'run.completed',
  ])('ends a run whose log cannot take %s, and says so in the log', { tags: ['L6'] }, async (type) => {
    const dataDir = await libraryFolder()
    const { quaero } = await openWorkflow(turn, { dataDir })
    const other = new Database(join(dataDir, 'quaero.db'))
    // Refuses the first such event that the run would store, and nothing after it.
    other.exec(`
      CREATE TABLE refused (type TEXT);
      CREATE TRIGGER refuse BEFORE INSERT ON events
        WHEN NEW.type = '${type}' AND EXISTS (SELECT 1 FROM events WHERE type = 'run.started')
          AND NOT EXISTS (SELECT 1 FROM events WHERE type LIKE '%.failed')
        BEGIN SELECT RAISE(ABORT, 'no luck'); END;
    `)
    other.close()
    const result = await quaero.ask(question)
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'event_invalid', message: `The log does not take ${type}: no luck` },
    })
    const log = await completeLog(quaero)
    expect(log.at(-1)?.type).toBe('run.failed')
  })
})

describe('the log of a run at work', () => {
  it('grows step by step: another connection reads each step as soon as it has begun', { tags: ['L6'] }, async () => {
    const dataDir = await libraryFolder()
    const other = new Database(join(dataDir, 'quaero.db'), { readonly: true })
    const seen: { readonly last: string; readonly count: number }[] = []
    const look = () => {
      const rows = other.prepare<[], { type: string }>('SELECT type FROM events ORDER BY position').all()
      seen.push({ last: rows.at(-1)?.type ?? '', count: rows.length })
    }
    const kinds = ['run', 'agent', 'model', 'round', 'tool'] as const
    const looking = (request: never, next: (request: never) => never) => {
      look()
      return next(request)
    }
    const hooks = Object.fromEntries(kinds.map((kind) => [kind, looking])) as Plugin
    const { quaero } = await openWorkflow(turn, { dataDir, hooks })
    await quaero.ask(question)
    look()
    other.close()
    expect(seen.map(({ last }) => last)).toEqual([
      'run.started',
      ...['agent.started', 'model.started'],
      ...['agent.started', 'model.started', 'round.started', 'tool.started', 'model.started'],
      ...['agent.started', 'model.started'],
      'run.completed',
    ])
    const counts = seen.map(({ count }) => count)
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b))
  })
})
