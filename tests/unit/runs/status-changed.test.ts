import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../../src/events/index.ts'
import { cited, gate, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const turn = {
  orchestrator: [route()],
  research: [search('Marble corpus pages'), 'Done.'],
  synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
}

/** The changes among some lines, without what differs from run to run. */
function changesIn(lines: readonly StreamEvent[]) {
  return lines.flatMap((line) => (line.type === 'status.changed' ? [line.payload] : []))
}

describe('status.changed', () => {
  it('comes on change only, with its trigger, and is never stored', { tags: ['E14'] }, async () => {
    const lines: StreamEvent[] = []
    const { quaero } = await openWorkflow(turn, { subscribers: [(line) => void lines.push(line)] })
    const { runId } = await quaero.ask(question)
    expect(changesIn(lines)).toEqual([
      { from: 'queued', to: 'running', trigger: 'run.started' },
      { from: 'running', to: 'completed', trigger: 'run.completed' },
    ])
    for await (const { type } of quaero.runs.events(runId)) expect(type).not.toBe('status.changed')
  })

  it('names the tools that wait for an approval', { tags: ['E14'] }, async () => {
    const lines: StreamEvent[] = []
    const { quaero } = await openWorkflow(turn, {
      settings: { tools: { trust: 'strict' } },
      subscribers: [(line) => void lines.push(line)],
    })
    const { runId, approvals } = await quaero.ask(question)
    await quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } }, { approve: 'all' })
    expect(changesIn(lines)).toEqual([
      { from: 'queued', to: 'running', trigger: 'run.started' },
      { from: 'running', to: 'requires_action', trigger: 'run.interrupted', tool: 'pdf_retrieval' },
      { from: 'requires_action', to: 'running', trigger: 'run.started' },
      { from: 'running', to: 'completed', trigger: 'run.completed' },
    ])
  })

  it('says what a run failed of, and in which tool', { tags: ['E14'] }, async () => {
    const lines: StreamEvent[] = []
    const { quaero } = await openWorkflow(turn, {
      hooks: { name: 'broken', tool: () => Promise.reject(new Error('no')) },
      subscribers: [(line) => void lines.push(line)],
    })
    await quaero.ask(question)
    expect(changesIn(lines).at(-1)).toEqual({
      from: 'running',
      to: 'failed',
      trigger: 'run.failed',
      tool: 'pdf_retrieval',
      error: { code: 'hook_failed', message: 'The tool hook of "broken" failed: no' },
    })
  })

  it.each(['this', 'another'] as const)(
    'is cancelling between the request of %s engine and the end',
    { tags: ['U11'] },
    async (which) => {
      const lines: StreamEvent[] = []
      const asked = gate()
      const hanging = () => {
        asked.open()
        return new Promise<string>(() => {})
      }
      const dataDir = await libraryFolder()
      const { quaero } = await openWorkflow(
        { ...turn, orchestrator: [hanging] },
        { dataDir, subscribers: [(line) => void lines.push(line)] },
      )
      const running = quaero.ask(question)
      await asked.opened
      const by = which === 'this' ? quaero : (await openWorkflow({}, { dataDir })).quaero
      await by.cancel((await by.runs.list())[0]?.runId ?? '')
      expect((await running).status).toBe('cancelled')
      expect(changesIn(lines)).toEqual([
        { from: 'queued', to: 'running', trigger: 'run.started' },
        { from: 'running', to: 'cancelling', trigger: 'cancel.requested' },
        { from: 'cancelling', to: 'cancelled', trigger: 'run.interrupted' },
      ])
      expect(lines.filter(({ type }) => type === 'cancel.requested')).toHaveLength(1)
    },
  )

  it('reports the cancellation of a waiting run', { tags: ['U11'] }, async () => {
    const lines: StreamEvent[] = []
    const { quaero } = await openWorkflow(turn, {
      settings: { tools: { trust: 'strict' } },
      subscribers: [(line) => void lines.push(line)],
    })
    const { runId } = await quaero.ask(question)
    await quaero.cancel(runId)
    expect(changesIn(lines).at(-1)).toEqual({ from: 'requires_action', to: 'cancelled', trigger: 'cancel.requested' })
  })
})
