import { describe, expect, it } from 'vitest'
import { metrics } from '../../../src/server/metrics.ts'
import { openWorkflow, route } from '../../fixtures/workflow.ts'

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
