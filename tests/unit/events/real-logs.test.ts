import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Quaero } from '../../../src/api.ts'
import { parseEvent, type StoredEvent, statusOf } from '../../../src/events/index.ts'
import { openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

/** How runs end, and what each needs for it. */
const endings = {
  completed: async () => logOf(await openWorkflow({ orchestrator: [route()], research: [search('pages'), 'Done.'] })),
  clarification_needed: async () =>
    logOf(await openWorkflow({ orchestrator: [route({ route: 'clarification' })], clarification: ['Which?'] })),
  failed: async () => {
    const hooks = [{ name: 'broken', tool: () => Promise.reject(new Error('no')) }]
    const lines = { orchestrator: [route()], research: [search('pages', 'more')] }
    return logOf(await openWorkflow(lines, { hooks }))
  },
  limit_reached: async () =>
    logOf(
      await openWorkflow(
        { orchestrator: [route()], research: [search('pages'), search('more')] },
        { settings: { limits: { rounds: 1 } } },
      ),
    ),
  requires_action: async () =>
    logOf(
      await openWorkflow(
        { orchestrator: [route()], research: [search('pages')] },
        { settings: { tools: { trust: 'strict' } } },
      ),
    ),
  resumed: async () => {
    const stop = new AbortController()
    const stopping = () => {
      stop.abort()
      return 'Too late.'
    }
    const { quaero } = await openWorkflow({ orchestrator: [route()], research: [stopping, search('pages'), 'Done.'] })
    const { runId, status } = await quaero.ask(question, { signal: stop.signal })
    expect(status).toBe('interrupted')
    await quaero.resume(runId)
    return eventsOf(quaero, runId)
  },
} as const

async function logOf({ quaero }: { readonly quaero: Quaero }): Promise<StoredEvent[]> {
  return eventsOf(quaero, (await quaero.ask(question)).runId)
}

async function eventsOf(quaero: Quaero, runId: string): Promise<StoredEvent[]> {
  const log: StoredEvent[] = []
  for await (const each of quaero.runs.events(runId)) log.push(each)
  return log
}

describe.each(Object.entries(endings))('the log of a run that is %s', (ending, run) => {
  let log: StoredEvent[] = []

  it('has positions from 1 without gaps, and the question before anything else', { tags: ['E4'] }, async () => {
    log = await run()
    expect(log.map(({ position }) => position)).toEqual(log.map((_, index) => index + 1))
    expect(log[0]).toMatchObject({ type: 'run.created', payload: { question } })
    expect(statusOf(log).state).toBe(ending === 'resumed' ? 'completed' : ending)
  })

  it('folds to the same status wherever it is split', { tags: ['E3'] }, () => {
    const whole = statusOf(log)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: log.length }), { maxLength: 4 }), (cuts) => {
        const places = [0, ...[...cuts].sort((a, b) => a - b), log.length]
        const parts = places.slice(1).map((end, index) => log.slice(places[index], end))
        expect(parts.reduce((status, part) => statusOf(part, status), statusOf([]))).toEqual(whole)
      }),
    )
  })

  it('leads from every event to run.created, and belongs to one run', { tags: ['E2'] }, () => {
    const byId = new Map(log.map((each) => [each.id, each]))
    for (const each of log) {
      expect(each.correlationId).toBe(log[0]?.correlationId)
      let at: StoredEvent | undefined = each
      for (let steps = 0; at && at.type !== 'run.created'; steps += 1) {
        expect(steps, `${each.type} goes round in circles`).toBeLessThan(10)
        at = byId.get(at.causationId ?? '')
      }
      expect(at?.type, `${each.type} leads nowhere`).toBe('run.created')
    }
  })

  it('ends every span exactly once, and the inner ones before the outer ones', { tags: ['E12'] }, () => {
    const parents = new Map<string, string | undefined>()
    for (const { id, type, causationId } of log) {
      const [kind = '', verb = ''] = type.split('.')
      if (verb === 'started') parents.set(id, causationId)
      if (kind === 'message' || !['completed', 'failed', 'interrupted'].includes(verb)) continue
      expect(parents.delete(causationId ?? ''), `${type} ends nothing that is open`).toBe(true)
      expect([...parents.values()], `${type} leaves spans open inside`).not.toContain(causationId)
    }
    expect([...parents]).toEqual([])
  })

  it('holds only events of the catalogue', { tags: ['E1'] }, () => {
    for (const each of log) expect(parseEvent(JSON.parse(JSON.stringify(each)))).toEqual(each)
  })
})
