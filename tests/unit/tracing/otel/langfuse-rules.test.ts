import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { EndpointUnavailable } from '../../../../src/models/port/errors.ts'
import type { Script, ScriptedModelOptions } from '../../../../src/models/scripted.ts'
import {
  graphOf,
  jsonOf,
  levelOf,
  readTrace,
  readTraces,
  replyOf,
  requestOf,
  statusMessageOf,
} from '../../../fixtures/langfuse/rules.ts'
import { answering, question, tracing } from '../../../fixtures/langfuse/tracing.ts'
import {
  calls,
  cited,
  openQuaero,
  openWorkflow,
  route,
  search,
  type WorkflowOptions,
} from '../../../fixtures/workflow.ts'

const labels = { environment: 'testing', release: 'r-1', version: '1.2.3' }

async function traced(script: Script, options: WorkflowOptions & ScriptedModelOptions = {}) {
  const { server, subscriber, flush } = await tracing(200, [], labels)
  const { quaero } = await openWorkflow(script, { ...options, subscribers: [subscriber] })
  return {
    quaero,
    /** The traces that have arrived. */
    async shown() {
      await flush()
      return readTraces(server.spans())
    },
    /** The one trace that has arrived. */
    async trace() {
      await flush()
      return readTrace(server.spans())
    },
  }
}

describe('by the rules of the Langfuse server', () => {
  it('tool rounds and a follow-up: chats with tools and arguments, products of agents, and the graph', {
    tags: ['T2', 'T3', 'T5', 'T6'],
  }, async () => {
    const followUp = route({ standaloneQuestion: 'When was the Marble corpus released?' })
    const { quaero, shown } = await traced({
      orchestrator: [route(), followUp],
      research: [search('Marble corpus pages'), 'Found it.', search('Marble corpus release'), 'Found that.'],
      synthesis: [...answering.synthesis, cited('It was released in 2021.', 'P1', 'released in 2021')],
    })
    const { answer } = await quaero.ask(question, { threadId: 't' })
    await quaero.ask('And when was it released?', { threadId: 't' })
    const [first, second] = await shown()
    if (!first || !second) throw new Error('Two traces were expected')
    for (const trace of [first, second]) {
      expect(graphOf(trace)).toEqual(['1 orchestrator', '2 research', '3 synthesis'])
    }
    expect(first.of('generation').map(({ name }) => name)).toEqual([
      'orchestrator',
      'research',
      'research',
      'synthesis',
    ])
    const [asking, reading] = first.named('research').filter((span) => first.of('generation').includes(span))
    if (!asking || !reading) throw new Error('Research calls its model twice')
    expect(requestOf(asking).tools?.map((each) => each.function.name)).toContain('pdf_retrieval')
    const [call] = replyOf(asking).tool_calls ?? []
    expect(call?.function).toEqual({ name: 'pdf_retrieval', arguments: '{"query":"Marble corpus pages"}' })
    const roles = requestOf(reading).messages.map(({ role }) => role)
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(requestOf(reading).messages[3]).toMatchObject({ tool_call_id: call?.id })
    expect(
      jsonOf(first.of('chain').find(({ name }) => name.startsWith('round')) ?? first.root, 'output'),
    ).toMatchObject([{ name: 'pdf_retrieval', status: 'success', result: expect.any(String) }])
    const agents = Object.fromEntries(first.of('agent').map((agent) => [agent.name, agent]))
    expect(agents.orchestrator?.attributes['langfuse.observation.input']).toBe(question)
    expect(jsonOf(agents.orchestrator ?? first.root, 'output')).toEqual({
      standaloneQuestion: question,
      nextAgent: 'research',
    })
    expect(jsonOf(agents.research ?? first.root, 'output')).toMatchObject({
      words: 'Found it.',
      toolCalls: [{ status: 'success' }],
    })
    expect(agents.synthesis?.attributes['langfuse.observation.output']).toBe(answer)
    const later = second.of('agent').find(({ name }) => name === 'synthesis')
    expect(later?.attributes['langfuse.observation.input']).toBe('When was the Marble corpus released?')
  })

  it('the reply of a model is what it wrote; the answer as shown is that of the root', { tags: ['T6'] }, async () => {
    const invented = cited('It holds 99 pages.', 'P1', 'holds 99 pages of gold')
    const { quaero, trace } = await traced(
      { ...answering, synthesis: [`${answering.synthesis[0]} ${invented}`] },
      { settings: { answer: { repair: false } } },
    )
    const { answer, unsupported } = await quaero.ask(question)
    const shown = await trace()
    expect(unsupported).toHaveLength(1)
    const written = shown.of('generation').find(({ name }) => name === 'synthesis')
    expect(replyOf(written ?? shown.root).content).toBe(`${answering.synthesis[0]} ${invented}`)
    expect(shown.root.attributes).toMatchObject({
      'langfuse.observation.output': answer,
      'langfuse.observation.metadata.unsupported': 1,
    })
    const [dropped] = shown.named('dropped sentences')
    expect(jsonOf(dropped ?? shown.root, 'output')).toEqual([
      { sentence: expect.stringContaining('99 pages'), reason: expect.any(String), stage: 'quotes' },
    ])
  })

  it('clarification and reply: the question back is the product', { tags: ['T2'] }, async () => {
    const back = route({ route: 'clarification', missingContext: ['which corpus'], candidates: ['Marble', 'Halden'] })
    const { quaero, shown } = await traced({
      ...answering,
      orchestrator: [back],
      clarification: ['Which corpus do you mean?'],
    })
    await quaero.ask('How many pages are there?', { threadId: 't' })
    await quaero.ask('Marble', { threadId: 't' })
    const [first, second] = await shown()
    if (!first || !second) throw new Error('Two traces were expected')
    expect(graphOf(first)).toEqual(['1 orchestrator', '2 clarification'])
    expect(first.root.attributes['langfuse.observation.output']).toBe('Which corpus do you mean?')
    const [asking] = first.of('agent').filter(({ name }) => name === 'clarification')
    expect(asking?.attributes['langfuse.observation.output']).toBe('Which corpus do you mean?')
    expect(graphOf(second)).toEqual(['1 orchestrator', '2 research', '3 synthesis'])
  })

  it.each([
    ['modelCalls', { modelCalls: 3 }, 1],
    ['rounds', { rounds: 1 }, 0],
    ['toolCalls', { toolCalls: 1 }, 0],
    ['tokens', { tokens: 200 }, 0],
  ])(
    'a reached limit of %s is a warning, and no generation of a call that was not made',
    { tags: ['T7'] },
    async (_, limits, forbidden) => {
      const { quaero, trace } = await traced(
        { ...answering, research: [search('Marble corpus pages'), search('pages'), search('corpus'), 'Found it.'] },
        { usage: { inputTokens: 90, outputTokens: 10 } },
      )
      const { status } = await quaero.ask(question, { limits })
      expect(status).toBe('limit_reached')
      const shown = await trace()
      expect(shown.spans.filter((span) => levelOf(span) === 'ERROR' || span.status.code === 2)).toEqual([])
      expect(levelOf(shown.root)).toBe('WARNING')
      expect(shown.named('limit reached')).toHaveLength(forbidden)
      for (const span of shown.named('limit reached')) expect(levelOf(span)).toBe('WARNING')
    },
  )

  it('a call that runs out of time is a warning', { tags: ['T7'] }, async () => {
    const never = new Promise(() => {})
    const { quaero, trace } = await traced({ ...answering, research: [{ say: 'Found it.', gate: never }] })
    expect(await quaero.ask(question, { limits: { wallClockMs: 400 } })).toMatchObject({ status: 'limit_reached' })
    const shown = await trace()
    expect(shown.spans.filter((span) => levelOf(span) === 'ERROR' || span.status.code === 2)).toEqual([])
    const [late] = shown.of('generation').filter(({ name }) => name === 'research')
    expect(late && levelOf(late)).toBe('WARNING')
  })

  it('retries, and a fallback after a failure, stand below the call and the agent', { tags: ['T7'] }, async () => {
    const fault = new EndpointUnavailable('example.org answers 500')
    const { quaero, trace } = await traced(
      { ...answering, synthesis: [fault, fault] },
      { settings: { endpoint: { retries: 1, retryBudgetSeconds: 5 } } },
    )
    await quaero.ask(question)
    const shown = await trace()
    const [retry] = shown.named('retry')
    expect([retry && levelOf(retry), retry && statusMessageOf(retry)]).toEqual([
      'WARNING',
      expect.stringContaining('example.org answers 500'),
    ])
    const [failed] = shown.of('generation').filter((span) => levelOf(span) === 'ERROR')
    expect(failed?.spanId).toBe(retry?.parentSpanId)
    expect(shown.named('notice').map(statusMessageOf)).toEqual([expect.stringContaining('made of quotes')])
    expect(levelOf(shown.root)).toBe('WARNING')
  })

  it('a wait for approval is none; the answer is shown; a cancel while waiting makes the root a warning', {
    tags: ['T8', 'T9'],
  }, async () => {
    const script = {
      orchestrator: [route(), route()],
      research: [search('pages'), search('pages'), 'x'],
      synthesis: ['x'],
    }
    const { quaero, shown } = await traced(script, { settings: { tools: { trust: 'strict' } } })
    const first = await quaero.ask(question, { threadId: 'one' })
    const second = await quaero.ask(question, { threadId: 'two' })
    await quaero.resume(first.runId, { [first.approvals[0]?.id ?? '']: { approved: false, reason: 'not now' } })
    await quaero.cancel(second.runId)
    const [refused, cancelled] = await shown()
    if (!refused || !cancelled) throw new Error('Two traces were expected')
    expect(refused.named('approval requested')).toHaveLength(1)
    const [answered] = refused.named('approval answered')
    expect(jsonOf(answered ?? refused.root, 'output')).toMatchObject({ approved: false, reason: 'not now' })
    expect(refused.of('retriever').map(levelOf)).toContain('WARNING')
    expect(graphOf(refused)).toEqual(['1 orchestrator', '2 research', '3 synthesis'])
    expect([levelOf(cancelled.root), statusMessageOf(cancelled.root)]).toEqual(['WARNING', 'cancelled'])
    expect(cancelled.root.attributes).toMatchObject({
      'langfuse.observation.input': question,
      'langfuse.observation.metadata.status': 'cancelled',
    })
  })

  it('a live cancel keeps what was written', { tags: ['T9'] }, async () => {
    const { quaero, trace } = await traced(answering, {
      hooks: {
        name: 'canceller',
        afterModel: async (_, { agent, runId, signal }) => {
          if (agent !== 'research') return
          const aborted = once(signal, 'abort')
          void quaero.cancel(runId)
          await aborted
        },
      },
    })
    await quaero.ask(question)
    const shown = await trace()
    expect([levelOf(shown.root), statusMessageOf(shown.root)]).toEqual(['WARNING', 'cancelled'])
    const [research] = shown.of('generation').filter(({ name }) => name === 'research')
    expect(replyOf(research ?? shown.root).tool_calls).toHaveLength(1)
    expect(shown.named('cancel requested')).toHaveLength(1)
  })

  it('specialists are agents with their task and product, outside the graph', { tags: ['T5'] }, async () => {
    const { quaero, trace } = await traced(
      {
        ...answering,
        research: [calls(['delegate', { specialist: 'counter', task: 'Count the pages.' }]), 'Found it.'],
        counter: [search('Marble corpus pages'), 'It holds 81.1 million pages.'],
      },
      { settings: { specialists: { counter: { description: 'Counts the pages of corpora.' } } } },
    )
    await quaero.ask(question)
    const shown = await trace()
    expect(graphOf(shown)).toEqual(['1 orchestrator', '2 research', '3 synthesis'])
    const [counter] = shown.of('agent').filter(({ name }) => name === 'counter')
    expect(counter?.attributes['langfuse.observation.input']).toBe('Count the pages.')
    expect(jsonOf(counter ?? shown.root, 'output')).toMatchObject({
      words: 'It holds 81.1 million pages.',
      toolCalls: [{ name: 'pdf_retrieval', status: 'success' }],
    })
    expect(shown.of('generation').filter(({ name }) => name === 'counter')).toHaveLength(2)
  })

  it("a hook's own call is named after it", { tags: ['T6'] }, async () => {
    const { quaero, trace } = await traced(
      { ...answering, hook: ['Yes.'] },
      { hooks: { name: 'curious', afterRound: async (_, { ask }) => void (await ask('Is that enough?')) } },
    )
    await quaero.ask(question)
    const shown = await trace()
    const [own] = shown.named('research hook: curious')
    expect(requestOf(own ?? shown.root).messages).toEqual([{ role: 'user', content: 'Is that enough?' }])
    expect(replyOf(own ?? shown.root).content).toBe('Yes.')
  })

  it('without a key the calls have the same form', { tags: ['T6'] }, async () => {
    const { server, subscriber, flush } = await tracing(200, [], labels)
    const quaero = await openQuaero({ subscribers: [subscriber], model: 'extractive' })
    const { answer } = await quaero.ask(question)
    await flush()
    const shown = readTrace(server.spans())
    expect(shown.root.attributes['langfuse.observation.output']).toBe(answer)
    expect(shown.of('generation').length).toBeGreaterThan(2)
    for (const { attributes } of shown.of('generation')) {
      expect(attributes).not.toHaveProperty(['langfuse.observation.model.parameters'])
    }
  })
})
