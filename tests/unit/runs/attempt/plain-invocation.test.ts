import { HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { InvalidId, ThreadBusy, UnknownRoute } from '../../../../src/errors.ts'
import { cited, gate, openWorkflow, route, search } from '../../../fixtures/workflow.ts'
import { StubAgent } from '../../graph/stub-agent.ts'

const question = 'How many pages does the Marble corpus hold?'
const onThread = (thread_id: string) => ({ configurable: { thread_id } })
const asked = (text: string = question) => ({ messages: [new HumanMessage(text)] })
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turn = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }
const turns = {
  orchestrator: [route(), route()],
  research: [...turn.research, ...turn.research],
  synthesis: [answer, answer],
}

describe('the graph, invoked directly', () => {
  it('answers, and the run is in the log like one that was asked', async () => {
    const { quaero } = await openWorkflow(turn)
    const state = await quaero.graph.invoke(asked(), onThread('t1'))
    expect(state).toMatchObject({ iteration: 3, sessionId: 't1', finalAnswer: 'It holds 81.1 million pages. [1]' })
    const [run, ...others] = await quaero.runs.list()
    expect(others).toEqual([])
    expect(run).toMatchObject({ threadId: 't1', question, status: 'completed' })
    const shown = await quaero.runs.show(run?.runId ?? '')
    expect(shown).toMatchObject({ answer: state.finalAnswer, usage: { modelCalls: 4, toolCalls: 1 }, turn: 1 })
  })

  it('shares its threads with ask, in both directions', async () => {
    const { quaero, model } = await openWorkflow(turns)
    await quaero.graph.invoke(asked(), onThread('t1'))
    expect(await quaero.ask('And again?', { threadId: 't1' })).toMatchObject({ turn: 2, status: 'completed' })
    expect(model.heard[4]?.at(-1)?.text).toContain(`User: ${question}\nAssistant: It holds 81.1 million pages. [1]`)
    expect(await quaero.threads.messages('t1')).toHaveLength(4)
  })

  it('runs unsaved without a thread id, and leaves nothing', async () => {
    const { quaero } = await openWorkflow(turn)
    expect(await quaero.graph.invoke(asked())).toMatchObject({ finalAnswer: 'It holds 81.1 million pages. [1]' })
    expect(await quaero.runs.list()).toEqual([])
    expect((await quaero.report()).rows).toMatchObject({ runs: 0, events: 0, checkpoints: 0, writes: 0, leases: 0 })
  })

  it('refuses a sessionId that is not the thread id', async () => {
    const { quaero } = await openWorkflow(turn)
    await expect(quaero.graph.invoke({ ...asked(), sessionId: 't2' }, onThread('t1'))).rejects.toThrow(InvalidId)
    expect(await quaero.runs.list()).toEqual([])
  })

  it('asks back, and takes the next message as the reply', async () => {
    const { quaero, model } = await openWorkflow({
      ...turn,
      orchestrator: [route({ route: 'clarification', standaloneQuestion: 'How big is it?' })],
      clarification: ['Which?'],
    })
    const first = await quaero.graph.invoke(asked('How big is it?'), onThread('t1'))
    expect(first).toMatchObject({ finalAnswer: 'Which?', lastAgent: 'clarification' })
    const second = await quaero.graph.invoke(asked('Marble'), onThread('t1'))
    expect(second).toMatchObject({ standaloneQuestion: 'How big is it (Marble)?', clarificationCount: 0, iteration: 3 })
    expect(model.heard).toHaveLength(5)
    expect((await quaero.runs.list()).map(({ status }) => status)).toEqual(['clarification_needed', 'completed'])
  })

  it('is one run at a time on a thread, together with ask', async () => {
    const { opened, open } = gate()
    const started = gate()
    const waiting = () => {
      started.open()
      return opened.then(() => route())
    }
    const { quaero } = await openWorkflow({ ...turn, orchestrator: [waiting] })
    const first = quaero.graph.invoke(asked(), onThread('t1'))
    await started.opened
    await expect(quaero.ask(question, { threadId: 't1' })).rejects.toThrow(ThreadBusy)
    await expect(quaero.graph.invoke(asked(), onThread('t1'))).rejects.toThrow(ThreadBusy)
    open()
    expect(await first).toMatchObject({ lastAgent: 'synthesis' })
    expect(await quaero.runs.list()).toHaveLength(1)
  })

  it('fails the run when an agent leads nowhere, and frees the thread', { tags: ['R4'] }, async () => {
    const orchestrator = new StubAgent('orchestrator', ({ messages }) => ({
      nextAgent: messages.length > 1 ? 'clarification' : 'elsewhere',
    }))
    const { quaero } = await openWorkflow({ clarification: ['Which?'] }, { agents: { orchestrator } })
    await expect(quaero.graph.invoke(asked(), onThread('t1'))).rejects.toThrow(UnknownRoute)
    expect(await quaero.graph.invoke(asked('Again?'), onThread('t1'))).toMatchObject({ finalAnswer: 'Which?' })
    const [failed] = await quaero.runs.list()
    expect(await quaero.runs.show(failed?.runId ?? '')).toMatchObject({
      status: 'failed',
      error: { code: 'unknown_route' },
    })
  })

  it('is interrupted when its invocation is aborted, frees the thread, and goes on where it stopped', async () => {
    const stop = new AbortController()
    const aborting = () => {
      stop.abort()
      return search('Marble corpus pages')
    }
    const { quaero, model } = await openWorkflow({ ...turn, research: [aborting, 'Done.'] })
    await expect(quaero.graph.invoke(asked(), { ...onThread('t1'), signal: stop.signal })).rejects.toThrow()
    const runId = (await quaero.runs.list())[0]?.runId ?? ''
    // The node that was under way ends in its own time; then the run is interrupted.
    await expect.poll(async () => (await quaero.status(runId)).state).toBe('interrupted')
    await expect.poll(async () => (await quaero.report()).rows.leases).toBe(0)
    expect(await quaero.graph.invoke(null, onThread('t1'))).toMatchObject({ lastAgent: 'synthesis' })
    expect(await quaero.status(runId)).toMatchObject({ state: 'completed', attempt: 2 })
    expect(model.heard).toHaveLength(4)
  })

  it('stops when Quaero closes', async () => {
    const started = gate()
    const hanging = () => {
      started.open()
      return new Promise<never>(() => {})
    }
    const { quaero } = await openWorkflow({ ...turn, orchestrator: [hanging] })
    const running = quaero.graph.invoke(asked(), onThread('t1'))
    running.catch(() => {})
    await started.opened
    await quaero.close()
    await expect(running).rejects.toThrow()
  })
})

describe('the state of a thread between two turns', () => {
  it('may come from elsewhere: what was added to it is heard in the next turn', async () => {
    const { quaero, model } = await openWorkflow(turns)
    const said = (content: string) => ({ messages: [new HumanMessage({ id: content, content })], nextAgent: 'END' })
    await quaero.graph.updateState(onThread('t1'), said('Said to another program.'), 'synthesis')
    await quaero.ask(question, { threadId: 't1' })
    await quaero.graph.updateState(onThread('t1'), said('Added from outside.'), 'synthesis')
    const before = model.heard.length
    await quaero.ask('And again?', { threadId: 't1' })
    const heard = JSON.stringify(model.heard[before])
    expect([heard.includes('Said to another program.'), heard.includes('Added from outside.')]).toEqual([true, true])
  })

  it('keeps what own agents left, for the orchestrator of the next turn', async () => {
    const found: unknown[] = []
    const orchestrator = new StubAgent('orchestrator', ({ context }) => {
      found.push([context.toolHistory, context.agents])
      return { nextAgent: 'research', context: { ...context, agents: { own: { turn: found.length } } } }
    })
    const { quaero } = await openWorkflow({ ...turns, orchestrator: [] }, { agents: { orchestrator } })
    await quaero.ask(question, { threadId: 't1' })
    await quaero.ask('And again?', { threadId: 't1' })
    expect(found).toEqual([
      [[], {}],
      [['pdf_retrieval'], { own: { turn: 1 } }],
    ])
  })
})
