import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../../../src/tools/tool.ts'
import { calls, openWorkflow, route } from '../../../fixtures/workflow.ts'

const limits = { modelCalls: null, rounds: null, toolCalls: null, tokens: null, wallClockSeconds: null }
const question = 'How many pages does the Marble corpus hold?'

/** Answers one question whose only reply with tool calls asks for so many of them. */
async function askFor(count: number) {
  let underWay = 0
  let most = 0
  const order: number[] = []
  const countUp = defineTool({
    name: 'count_up',
    description: 'Says the number.',
    input: z.object({ at: z.number() }),
    run: async ({ at }) => {
      underWay += 1
      most = Math.max(most, underWay)
      order.push(at)
      await new Promise((resolve) => setImmediate(resolve))
      underWay -= 1
      return `number ${at}`
    },
  })
  const asked = calls(...Array.from({ length: count }, (_, at) => ['count_up', { at }] as const))
  const { quaero, model } = await openWorkflow(
    { orchestrator: [route()], research: [asked, 'Counted.'], synthesis: ['Nothing is known.', 'Nothing is known.'] },
    { tools: [countUp], settings: { limits } },
  )
  const before = process.cpuUsage()
  const result = await quaero.ask(question)
  const { user, system } = process.cpuUsage(before)
  const told = model.heard[2]?.filter((message) => message.getType() === 'tool') ?? []
  return { result, most, order, told, cpuMs: (user + system) / 1000 }
}

describe('a reply with very many tool calls', () => {
  it('has each made once, in order, a bounded number at a time', { tags: ['L1'] }, async () => {
    const { result, most, order, told } = await askFor(300)
    expect([result.status, result.usage.toolCalls]).toEqual(['completed', 300])
    expect(order).toEqual(Array.from({ length: 300 }, (_, at) => at))
    expect(told.map(({ text }) => text)).toEqual(order.map((at) => `number ${at}`))
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(32)
  })

  it('costs in proportion to their number', { tags: ['slow', 'L1'], timeout: 120_000 }, async () => {
    await askFor(500)
    const few = await askFor(500)
    const many = await askFor(4000)
    expect(many.result.usage.toolCalls).toBe(4000)
    // Eight times as many; by their square it would be up to sixty-four times as much.
    expect(many.cpuMs / few.cpuMs).toBeLessThan(14)
  })
})
