import { ToolMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Line } from '../../../src/models/scripted.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import { calls, openWorkflow, route, search, type WorkflowOptions } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
/** Seven words of a document. */
const copy = 'Marble corpus were collected from open journals'

/** A workflow with a tool that sends its query over the network, and what it sent. */
async function withNetwork(research: readonly Line[], options: WorkflowOptions = {}) {
  const sent: string[] = []
  const look = defineTool({
    name: 'look_outside',
    description: 'Asks a service elsewhere.',
    input: z.object({ query: z.string(), more: z.array(z.string()).optional() }),
    network: true,
    run: async ({ query }) => {
      sent.push(query)
      return 'nothing there'
    },
  })
  const script = {
    orchestrator: [route()],
    research: [...research, 'Done.'],
    synthesis: ['Nothing.', 'Nothing.'],
  }
  const { quaero, model } = await openWorkflow(script, { tools: [look], ...options })
  const results = () =>
    model.heard
      .flat()
      .flatMap((each) => (ToolMessage.isInstance(each) && each.name === 'look_outside' ? [each.text] : []))
  return { quaero, sent, results }
}

const look = (query: string, more: readonly string[] = []) => calls(['look_outside', { query, more }])

describe('a tool that uses the network', () => {
  it('asks a person first by default, while the library holds documents', { tags: ['S1', 'S17'] }, async () => {
    const { quaero, sent } = await withNetwork([look('marble')])
    const { status, approvals } = await quaero.ask(question)
    expect({ status, tools: approvals.map(({ tool }) => tool) }).toEqual({
      status: 'requires_action',
      tools: ['look_outside'],
    })
    expect(sent).toEqual([])
    expect(quaero.tools.list().find(({ name }) => name === 'look_outside')).toMatchObject({
      sensitive: false,
      network: true,
      needsApproval: true,
    })
    await expect(quaero.tools.run('look_outside', { query: 'marble' })).rejects.toThrow('in the setting tools.allow')
  })

  it('does not ask over an empty library, or if a setting allows it', { tags: ['S1', 'S17'] }, async () => {
    const empty = await withNetwork([look('marble')], { dataDir: ':memory:' })
    expect((await empty.quaero.ask(question)).approvals).toEqual([])
    expect(empty.sent).toEqual(['marble'])
    const allowed = await withNetwork([look('marble')], {
      settings: { tools: { trust: 'strict', allow: ['look_outside'] } },
    })
    expect((await allowed.quaero.ask(question)).approvals).toEqual([])
    expect(allowed.sent).toEqual(['marble'])
  })

  it('asks first where a specialist calls it, too', { tags: ['S1', 'S17'] }, async () => {
    const task = calls(['delegate', { specialist: 'scout', task: 'Look outside.' }])
    const { quaero, sent } = await withNetwork([task, look('marble')], {
      settings: { specialists: { scout: { description: 'Looks outside.' } } },
    })
    const { approvals } = await quaero.ask(question)
    expect(approvals.map(({ tool }) => tool)).toEqual(['look_outside'])
    expect(sent).toEqual([])
  })

  it('is not called with a copy of a document, whether this run read it or not', { tags: ['S1'] }, async () => {
    const rounds = [look(`secret: ${copy}`), search('Marble corpus sources'), look('x', copy.split(/(?<=from) /))]
    const { quaero, sent, results } = await withNetwork(rounds)
    await quaero.ask(question, { approve: 'all' })
    expect(sent).toEqual([])
    expect(results().at(-1)).toContain('copy "marble corpus were collected from open" from the person\'s documents')
  })

  it.each([
    ['encoded as in addresses', copy.replaceAll('o', '%6F')],
    ['encoded twice', copy.replaceAll('o', '%256F')],
    ['with soft hyphens', copy.replaceAll('rp', 'r\u00adp')],
  ])('is not called with a copy %s', { tags: ['S1'] }, async (_, query) => {
    const { quaero, sent } = await withNetwork([look(query)])
    await quaero.ask(question, { approve: 'all' })
    expect(sent).toEqual([])
  })

  it('may repeat what the person wrote, not what a model wrote in a task', { tags: ['S1'] }, async () => {
    const own = await withNetwork([look(copy)])
    await own.quaero.ask(`Is it so that pages of the ${copy}?`, { approve: 'all' })
    expect(own.sent).toEqual([copy])
    const task = calls(['delegate', { specialist: 'scout', task: `Look for: ${copy}` }])
    const { quaero, sent } = await withNetwork([task, look(copy)], {
      settings: { specialists: { scout: { description: 'Looks outside.' } } },
    })
    await quaero.ask(question, { approve: 'all' })
    expect(sent).toEqual([])
  })

  it('is not called with arguments of more than 1,000 characters', { tags: ['S1'] }, async () => {
    const { quaero, sent, results } = await withNetwork([look('a '.repeat(300), ['b '.repeat(300)])])
    await quaero.ask(question, { approve: 'all' })
    expect(sent).toEqual([])
    expect(results().at(-1)).toContain('1209 characters, and at most 1000')
  })

  it('sends what a person types when it is run by hand', async () => {
    const { quaero, sent } = await withNetwork([])
    await quaero.tools.run('look_outside', { query: copy }, { approve: 'all' })
    expect(sent).toEqual([copy])
  })
})
