import { describe, expect, it } from 'vitest'
import { metrics } from '../../../src/server/metrics.ts'
import type { QueueFigures } from '../../../src/storage/queues.ts'
import { openWorkflow, route } from '../../fixtures/workflow.ts'
import { served } from './served.ts'

const figures = async (): Promise<QueueFigures> => ({
  ...{ isPaused: false, waiting: 3, working: 2, workers: 2, oldestSeconds: 1.5 },
  outside: { running: 1, requires_action: 4, interrupted: 5 },
  files: { waiting: 5, working: 1 },
})

describe('a server over a queue', () => {
  it('tells how full the queue is', async () => {
    const text = await metrics({ figures }).text()
    expect(text).toContain('quaero_queue_runs{state="waiting"} 3')
    expect(text).toContain('quaero_queue_runs{state="working"} 2')
    expect(text).toContain('quaero_queue_oldest_seconds 1.5')
    expect(text).toContain('quaero_queue_files{state="waiting"} 5')
    expect(text).toContain('quaero_queue_files{state="working"} 1')
  })

  it('tells the runs of the database by status, in the queue or not', async () => {
    const text = await metrics({ figures }).text()
    const lines = text.split('\n').filter((line) => line.startsWith('quaero_stored_runs{'))
    expect(lines.map((line) => line.slice('quaero_stored_runs'.length))).toEqual([
      '{state="queued"} 3',
      '{state="running"} 3',
      '{state="requires_action"} 4',
      '{state="interrupted"} 5',
    ])
  })

  it('counts the sentences of answers that fall', async () => {
    const own = metrics(null)
    own.countFallen(2)
    expect(await own.text()).toContain('quaero_claims_fallen_total 2')
  })

  it('tells its other figures while the storage is away', async () => {
    let answer: () => Promise<QueueFigures> = figures
    const own = metrics({ figures: () => answer() })
    expect(await own.text()).toContain('quaero_queue_oldest_seconds 1.5')
    for (const away of [() => Promise.reject(new Error('away')), () => new Promise<never>(() => {})]) {
      answer = away
      const text = await own.text()
      expect(text).toContain('quaero_cost_usd_total 0')
      expect(text).not.toMatch(/^quaero_(?:queue|stored)_/m)
    }
  })

  it('is ready only while its storage answers', async () => {
    const { quaero } = await openWorkflow([])
    const readiness = async (checkStorage: () => Promise<unknown>) => {
      const send = await served(quaero, { checkStorage })
      return (await send('/ready')).status
    }
    expect(await readiness(figures)).toBe(200)
    expect(await readiness(() => Promise.reject(new Error('away')))).toBe(503)
    expect(await readiness(() => new Promise(() => {}))).toBe(503)
  })
})

describe('the metrics of a server', () => {
  it('tell how long each model took to reply, and not how long a call took that failed', async () => {
    const { quaero } = await openWorkflow({ orchestrator: [route()], research: [new Error('gone')] })
    const measured = metrics(null)
    const ends: string[] = []
    for await (const event of quaero.stream('How many pages does the Marble corpus hold?')) {
      measured.observe(event)
      if (/^model\.(completed|failed)$/.test(event.type)) ends.push(event.type)
    }
    expect(new Set(ends)).toEqual(new Set(['model.completed', 'model.failed']))
    const completed = ends.filter((type) => type === 'model.completed').length
    expect(await measured.text()).toMatch(new RegExp(`quaero_model_seconds_count\\{model="[^"]+"\\} ${completed}\n`))
  })
})
