import { ToolMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InvalidToolInput, RunEnded, StaleApproval } from '../../../../src/errors.ts'
import type { StoredEvent } from '../../../../src/events/index.ts'
import type { Line } from '../../../../src/models/scripted.ts'
import type { QuaeroOptions } from '../../../../src/quaero.ts'
import { defineTool } from '../../../../src/tools/tool.ts'
import { calls, openWorkflow, route } from '../../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

/** A workflow whose tools are `note`, which writes down what it is asked, and `send`, which is sensitive. */
async function waiting(research: readonly Line[], options: Partial<QuaeroOptions> = {}) {
  const done: string[] = []
  const tool = (name: string, sensitive: boolean) =>
    defineTool({
      name,
      description: name,
      input: z.object({ text: z.string() }),
      sensitive,
      run: async ({ text }) => {
        done.push(`${name} ${text}`)
        return `${name} done`
      },
    })
  const { quaero, model } = await openWorkflow(
    { orchestrator: [route()], research: [...research, 'Done.'] },
    { tools: [tool('note', false), tool('send', true)], settings: { tools: { trust: 'strict' } }, ...options },
  )
  const log = async (runId: string) => {
    const events: StoredEvent[] = []
    for await (const each of quaero.runs.events(runId)) events.push(each)
    return events
  }
  const results = () => (model.heard.at(-1) ?? []).flatMap((each) => (ToolMessage.isInstance(each) ? [each.text] : []))
  return { quaero, model, done, log, results }
}

async function read(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of lines);
}

const round = () => calls(['note', { text: 'a' }], ['send', { text: 'b' }])

describe('a round that needs approval', () => {
  it('pauses the run once, with all its calls, before any of them runs', { tags: ['E8', 'TRAP3'] }, async () => {
    const { quaero, done, log } = await waiting([round()])
    const result = await quaero.ask(question)
    expect(result).toMatchObject({ status: 'requires_action', answer: '' })
    expect(result.approvals).toEqual([
      { id: 'note-1', tool: 'note', args: { text: 'a' } },
      { id: 'send-2', tool: 'send', args: { text: 'b' } },
    ])
    expect(done).toEqual([])
    const events = await log(result.runId)
    expect(events.filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
    expect(events.slice(-3).map(({ type }) => type)).toEqual([
      'round.interrupted',
      'agent.interrupted',
      'run.interrupted',
    ])
  })

  it('runs approved calls once, and asks no model twice', { tags: ['E8', 'TRAP1'] }, async () => {
    const { quaero, model, done } = await waiting([round()])
    const { runId } = await quaero.ask(question)
    const heard = model.heard.length
    const result = await quaero.resume(runId, { 'note-1': { approved: true }, 'send-2': { approved: true } })
    expect(result.status).toBe('completed')
    expect(done).toEqual(['note a', 'send b'])
    expect(model.heard.length).toBe(heard + 1)
    expect(result.usage).toMatchObject({ modelCalls: model.heard.length, toolCalls: 2 })
  })

  it('tells the model why a call was denied, and runs the others', { tags: ['E8', 'TRAP2'] }, async () => {
    const { quaero, done, results } = await waiting([round()])
    const { runId } = await quaero.ask(question)
    const denied = { approved: false, reason: 'not on a Friday' }
    await quaero.resume(runId, { 'note-1': { approved: true }, 'send-2': denied })
    expect(done).toEqual(['note a'])
    expect(results()).toEqual(['note done', 'The person refused this call: not on a Friday.'])
  })

  it('runs an edited call as edited', { tags: ['E8'] }, async () => {
    const { quaero, done } = await waiting([calls(['note', { text: 'a' }])])
    const { runId } = await quaero.ask(question)
    await quaero.resume(runId, { 'note-1': { approved: true, args: { text: 'edited' } } })
    expect(done).toEqual(['note edited'])
  })

  it('refuses edited arguments that the tool does not take, and goes on waiting for all it was asked', {
    tags: ['E8'],
  }, async () => {
    const { quaero, done, log } = await waiting([round()])
    const { runId } = await quaero.ask(question)
    const before = await log(runId)
    const wrong = { 'note-1': { approved: true }, 'send-2': { approved: true, args: { text: 5 } } }
    await expect(quaero.resume(runId, wrong)).rejects.toThrow(InvalidToolInput)
    await expect(quaero.resume(runId, wrong)).rejects.toThrow(/approval "send-2" do not fit send: .*must be a text/)
    await expect(read(quaero.resumeStream(runId, wrong))).rejects.toThrow(InvalidToolInput)
    expect(await log(runId)).toEqual(before)
    expect((await quaero.status(runId)).pendingApprovals.map(({ id }) => id)).toEqual(['note-1', 'send-2'])
    const right = { 'note-1': { approved: true }, 'send-2': { approved: true, args: { text: 'c' } } }
    expect((await quaero.resume(runId, right)).status).toBe('completed')
    expect(done).toEqual(['note a', 'send c'])
  })

  it('does not ask of arguments that are refused, or of a tool that is gone, that they fit', {
    tags: ['E8'],
  }, async () => {
    const { quaero, done, results } = await waiting([round()])
    const { runId } = await quaero.ask(question)
    quaero.tools.remove('send')
    const answers = { 'note-1': { approved: false, args: {} }, 'send-2': { approved: true, args: { any: 1 } } }
    expect((await quaero.resume(runId, answers)).status).toBe('completed')
    expect(done).toEqual([])
    expect(results().join()).toContain('There is no tool "send"')
  })

  it('waits until each call is answered, in as many steps as it takes', { tags: ['E8'] }, async () => {
    const { quaero, done } = await waiting([round()])
    const { runId } = await quaero.ask(question)
    const between = await quaero.resume(runId, { 'send-2': { approved: true } })
    expect(between.status).toBe('requires_action')
    expect(between.approvals.map(({ id }) => id)).toEqual(['note-1'])
    expect(done).toEqual([])
    expect((await quaero.resume(runId, { 'note-1': { approved: true } })).status).toBe('completed')
    expect(done).toEqual(['note a', 'send b'])
  })

  it('refuses stale and second answers, and keeps what was answered', { tags: ['E8', 'F49'] }, async () => {
    const { quaero } = await waiting([round()])
    const { runId } = await quaero.ask(question)
    const unknown = quaero.resume(runId, { 'fly-1': { approved: true } })
    await expect(unknown).rejects.toThrow(StaleApproval)
    await expect(unknown).rejects.toThrow(/"fly-1".*note-1, send-2/)
    await quaero.resume(runId, { 'note-1': { approved: true } })
    await expect(quaero.resume(runId, { 'note-1': { approved: false } })).rejects.toThrow(StaleApproval)
    await quaero.resume(runId, { 'send-2': { approved: true } })
    await expect(quaero.resume(runId, { 'send-2': { approved: true } })).rejects.toThrow(RunEnded)
  })

  it('stays as it was after an answer that cannot be understood', async () => {
    const { quaero } = await waiting([round()])
    const { runId } = await quaero.ask(question)
    const broken = quaero.resume(runId, { 'note-1': { approved: 'yes' as never } })
    await expect(broken).rejects.toMatchObject({ code: 'usage' })
    const both = { 'note-1': { approved: true }, 'send-2': { approved: true } }
    expect((await quaero.resume(runId, both)).status).toBe('completed')
  })

  it('asks anew for each round, and counts a round once', { tags: ['E8'] }, async () => {
    const again = calls(['note', { text: 'c' }, 'again'])
    const { quaero, done } = await waiting([calls(['note', { text: 'a' }]), again], {
      settings: { limits: { rounds: 2 }, tools: { trust: 'strict' } },
    })
    const { runId } = await quaero.ask(question)
    const second = await quaero.resume(runId, { 'note-1': { approved: true } })
    expect(second.approvals.map(({ id }) => id)).toEqual(['again'])
    expect(await quaero.resume(runId, { again: { approved: true } })).toMatchObject({
      status: 'completed',
      ending: null,
    })
    expect(done).toEqual(['note a', 'note c'])
    expect((await quaero.status(runId)).rounds).toBe(2)
  })
})

describe('the trust in tools', () => {
  it('is complete in open, reserved for harmless ones in careful, none in strict', { tags: ['H12'] }, async () => {
    const asked = async (trust: 'open' | 'careful' | 'strict') => {
      const { quaero } = await waiting([round()], { settings: { tools: { trust } } })
      return (await quaero.ask(question)).approvals.map(({ tool }) => tool)
    }
    expect(await asked('open')).toEqual([])
    expect(await asked('careful')).toEqual(['send'])
    expect(await asked('strict')).toEqual(['note', 'send'])
  })

  it('is overruled for one run by approving all, or none', { tags: ['H22'] }, async () => {
    const all = await waiting([round()])
    expect((await all.quaero.ask(question, { approve: 'all' })).status).toBe('completed')
    expect(all.done).toEqual(['note a', 'send b'])
    const none = await waiting([round()])
    const refused = await none.quaero.ask(question, { approve: 'none' })
    expect(refused).toMatchObject({ status: 'completed', abstained: true })
    expect(refused.answer).toContain('Nothing was searched: the tools that would have searched were refused.')
    expect(none.done).toEqual([])
    expect(none.results()).toEqual(Array(2).fill('The person refused this call: approval is switched off.'))
  })

  // What is asked about, and what runs, of a round with `note`, which is harmless, and `send`, which is sensitive.
  const table = [
    ['open', 'ask', [], ['note a', 'send b']],
    ['open', 'all', [], ['note a', 'send b']],
    ['open', 'none', [], ['note a', 'send b']],
    ['careful', 'ask', ['send'], []],
    ['careful', 'all', [], ['note a', 'send b']],
    ['careful', 'none', [], ['note a']],
    ['strict', 'ask', ['note', 'send'], []],
    ['strict', 'all', [], ['note a', 'send b']],
    ['strict', 'none', [], []],
  ] as const

  it.each(table)(
    'with %s and --approve %s, asks about %j and runs %j',
    { tags: ['H12', 'H22'] },
    async (trust, approve, asks, runs) => {
      const { quaero, done } = await waiting([round()], { settings: { tools: { trust } } })
      const { approvals, status } = await quaero.ask(question, { approve })
      expect(approvals.map(({ tool }) => tool)).toEqual(asks)
      expect(status).toBe(asks.length > 0 ? 'requires_action' : 'completed')
      expect(done).toEqual(runs)
    },
  )

  it.each(table)(
    'with %s and --approve %s, is the same for a resumed run',
    { tags: ['H12', 'H22'] },
    async (trust, approve, asks) => {
      const stop = new AbortController()
      const hooks = { name: 'stops', beforeRound: () => stop.abort() }
      const { quaero, done } = await waiting([round()], { settings: { tools: { trust } }, hooks })
      const { runId } = await quaero.ask(question, { approve: 'all', signal: stop.signal })
      expect(done).toEqual([])
      const resumed = await quaero.resume(runId, {}, { approve })
      expect(resumed.approvals.map(({ tool }) => tool)).toEqual(asks)
    },
  )

  it('is as before on a thread that was reset; a call that waited there is asked about again', {
    tags: ['H22', 'H15'],
  }, async () => {
    const { quaero, done } = await waiting([calls(['send', { text: 'a' }]), calls(['send', { text: 'b' }])], {
      settings: { tools: { trust: 'careful' } },
    })
    const { runId, status } = await quaero.ask(question, { threadId: 't1' })
    expect(status).toBe('requires_action')
    await quaero.threads.reset('t1')
    // The conversation begins anew, and so does the run: what it asks for now is not what was approved.
    const resumed = await quaero.resume(runId, { 'send-1': { approved: true } })
    expect(resumed.approvals).toMatchObject([{ tool: 'send', args: { text: 'b' } }])
    expect(done).toEqual([])
  })
})
