import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ToolFailed } from '../../../../src/errors.ts'
import { ContextTooLong, EndpointUnavailable, KeyRejected } from '../../../../src/models/port/errors.ts'
import type { Script, ScriptedModelOptions } from '../../../../src/models/scripted.ts'
import { defineTool } from '../../../../src/tools/tool.ts'
import { rootSpanIdOf, traceIdOf } from '../../../../src/tracing/otel/trace-ids.ts'
import {
  graphOf,
  jsonOf,
  levelOf,
  readTrace,
  readTraces,
  replyOf,
  requestOf,
  type ShownTrace,
  statusMessageOf,
} from '../../../fixtures/langfuse/rules.ts'
import { answering, question, tracing } from '../../../fixtures/langfuse/tracing.ts'
import { speakingEndpoint, usualLines } from '../../../fixtures/speaking-endpoint.ts'
import {
  calls,
  cited,
  openQuaero,
  openWorkflow,
  route,
  search,
  type WorkflowOptions,
} from '../../../fixtures/workflow.ts'

async function traced(script: Script, options: WorkflowOptions & ScriptedModelOptions = {}) {
  const { server, subscriber, flush } = await tracing()
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
  it('one root holds question and answer, every span session and user', { tags: ['T2', 'T3', 'T5'] }, async () => {
    const { quaero, trace } = await traced(answering)
    const { answer, runId } = await quaero.ask(question, { threadId: 't', userId: 'ada' })
    const first = await trace()
    expect([first.root.traceId, first.root.spanId]).toEqual([traceIdOf(runId), rootSpanIdOf(runId)])
    expect(first.root.attributes).toMatchObject({
      'langfuse.internal.is_app_root': true,
      'langfuse.observation.input': question,
      'langfuse.observation.output': answer,
      'langfuse.observation.metadata.status': 'completed',
    })
    const [searching] = first.of('retriever')
    expect(jsonOf(searching ?? first.root, 'input')).toEqual({ query: 'Marble corpus pages' })
    expect(searching?.attributes['langfuse.observation.output']).toContain('81.1 million pages')
    for (const { attributes } of first.spans) expect(attributes).toMatchObject({ 'session.id': 't', 'user.id': 'ada' })
  })

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
      expect(errorsIn(shown)).toEqual([])
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
    expect(errorsIn(shown)).toEqual([])
    const [late] = shown.of('generation').filter(({ name }) => name === 'research')
    expect(late && levelOf(late)).toBe('WARNING')
  })

  it('retries, and a fallback after a failure, stand below the call and the agent', { tags: ['T7'] }, async () => {
    const fault = new EndpointUnavailable('example.org answers 500')
    const { quaero, trace } = await traced(
      { ...answering, synthesis: [fault, fault] },
      { settings: { endpoint: { retries: 1, retryBudgetSeconds: 5 } } },
    )
    expect(await quaero.ask(question)).toMatchObject({ status: 'completed' })
    const shown = await trace()
    const [retry] = shown.named('retry')
    expect([retry && levelOf(retry), retry && statusMessageOf(retry)]).toEqual([
      'WARNING',
      expect.stringContaining('example.org answers 500'),
    ])
    expect(errorsIn(shown)).toEqual(['generation synthesis: endpoint_unavailable: example.org answers 500'])
    expect(shown.of('generation').find((span) => levelOf(span) === 'ERROR')?.spanId).toBe(retry?.parentSpanId)
    expect(shown.named('notice').map(statusMessageOf)).toEqual([expect.stringContaining('made of quotes')])
    expect(levelOf(shown.root)).toBe('WARNING')
  })

  it('what no agent can work around is an error of model, agent and run', { tags: ['T7'] }, async () => {
    const { quaero, trace } = await traced({
      ...answering,
      synthesis: [new KeyRejected('example.org rejects the key')],
    })
    expect(await quaero.ask(question)).toMatchObject({ status: 'failed' })
    const text = 'key_rejected: example.org rejects the key'
    const kinds = ['agent synthesis', 'chain quaero', 'generation synthesis']
    expect(errorsIn(await trace())).toEqual(kinds.map((kind) => `${kind}: ${text}`))
  })

  it('a tool that fails or is unknown is an error, and the run is not', { tags: ['T7'] }, async () => {
    const run = () => Promise.reject(new ToolFailed('the disk is on fire'))
    const broken = defineTool({ name: 'broken', description: 'Fails.', input: z.object({}), run })
    const research = [calls(['broken', {}], ['nowhere', {}]), 'Found it.']
    const { quaero, trace } = await traced({ ...answering, research }, { tools: [broken] })
    await quaero.ask(question)
    const shown = await trace()
    expect(errorsIn(shown)).toEqual([
      'tool broken: tool_failed: the disk is on fire',
      expect.stringMatching(/^tool nowhere: /),
    ])
    expect(shown.named('broken')[0]?.attributes['error.type']).toBe('tool_failed')
    expect(levelOf(shown.root)).toBe('DEFAULT')
  })

  it('a hook that fails makes the run an error', { tags: ['T7'] }, async () => {
    const afterRound = () => Promise.reject(new Error('no more of this'))
    const { quaero, trace } = await traced(answering, { hooks: { name: 'strict', afterRound } })
    expect((await quaero.ask(question)).status).toBe('failed')
    expect(errorsIn(await trace())).toContainEqual(
      expect.stringMatching(/^chain quaero: hook_failed: .*no more of this/),
    )
  })

  it('a call that is made shorter says so, below its generation', { tags: ['F10'] }, async () => {
    const synthesis = [new ContextTooLong('8000 tokens do not fit'), ...answering.synthesis]
    const { quaero, trace } = await traced({ ...answering, synthesis })
    expect(await quaero.ask(question)).toMatchObject({ status: 'completed', error: null })
    const shown = await trace()
    const [shortened] = shown.named('shortened call')
    expect(shortened && levelOf(shortened)).toBe('WARNING')
    expect(shown.of('generation').map(({ spanId }) => spanId)).toContain(shortened?.parentSpanId)
  })

  it('a wait for approval is none; the answer is shown; a cancel while waiting makes the root a warning', {
    tags: ['T8', 'T9'],
  }, async () => {
    const script = {
      orchestrator: [route(), route(), route()],
      research: [search('pages'), search('pages'), search('pages'), 'x', 'Found it.'],
      synthesis: ['x', ...answering.synthesis],
    }
    const { quaero, shown } = await traced(script, { settings: { tools: { trust: 'strict' } } })
    const first = await quaero.ask(question, { threadId: 'one' })
    const second = await quaero.ask(question, { threadId: 'two' })
    const third = await quaero.ask(question, { threadId: 'three' })
    for (const { root } of await shown()) {
      expect([levelOf(root), statusMessageOf(root)]).toEqual(['DEFAULT', 'waits for approval'])
    }
    await quaero.resume(first.runId, { [first.approvals[0]?.id ?? '']: { approved: false, reason: 'not now' } })
    await quaero.cancel(second.runId)
    await quaero.resume(third.runId, { [third.approvals[0]?.id ?? '']: { approved: true } })
    const [refused, cancelled, approved] = await shown()
    if (!refused || !cancelled || !approved) throw new Error('Three traces were expected')
    expect(jsonOf(approved.named('approval answered')[0] ?? approved.root, 'output')).toMatchObject({ approved: true })
    expect(approved.root.attributes['langfuse.observation.output']).toContain('81.1 million pages')
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

  it('a stream that nobody reads to its end sends its whole tree, as a warning', { tags: ['T9'] }, async () => {
    const { quaero, trace } = await traced(answering)
    for await (const line of quaero.stream(question)) if (line.type === 'tool.started') break
    await quaero.close()
    expect(levelOf((await trace()).root)).toBe('WARNING')
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

  it('over HTTP, generations hold the parameters, the parts of usage and cost, and the bare name of the model', {
    tags: ['T6'],
  }, async () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 600 },
      completion_tokens_details: { reasoning_tokens: 40 },
    }
    const { shown, ended } = await overHttp({ synthesis: { ...usualLines.synthesis, usage } }, 1)
    expect(ended).toBe('completed')
    const [routing] = shown.of('generation').filter(({ name }) => name === 'orchestrator')
    const [writing] = shown.of('generation').filter(({ name }) => name === 'synthesis')
    if (!routing || !writing) throw new Error('Both agents call their model')
    expect(jsonOf(routing, 'model.parameters')).toMatchObject({ response_format: { type: 'json_schema' } })
    expect(jsonOf(writing, 'model.parameters')).toEqual({ temperature: 0.5 })
    expect(jsonOf(writing, 'usage_details')).toEqual({
      input: 400,
      input_cached_tokens: 600,
      output: 60,
      output_reasoning_tokens: 40,
      total: 1100,
    })
    expect(jsonOf(writing, 'cost_details')).toEqual({ input: 0.001, output: 0.001, total: 0.002 })
    expect(writing.attributes).toMatchObject({
      'langfuse.observation.model.name': 'test-model',
      'gen_ai.request.model': 'test-model',
      'gen_ai.provider.name': 'openai',
      'gen_ai.system': 'openai',
    })
  })

  it('a reached limit of costs is a warning', { tags: ['T7'] }, async () => {
    const { shown, ended } = await overHttp({}, 100_000)
    expect(ended).toBe('limit_reached')
    expect([levelOf(shown.root), errorsIn(shown)]).toEqual(['WARNING', []])
    expect(shown.named('limit reached').length).toBeGreaterThan(0)
  })

  it('without a key the calls have the same form', { tags: ['T6'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const quaero = await openQuaero({ subscribers: [subscriber], model: 'extractive' })
    const { answer } = await quaero.ask(question)
    await flush()
    const shown = readTrace(server.spans())
    expect(shown.root.attributes['langfuse.observation.output']).toBe(answer)
    expect(shown.of('generation').length).toBeGreaterThan(2)
    for (const { attributes } of shown.of('generation')) {
      expect(attributes['gen_ai.request.model']).toBe('extractive')
      expect(attributes).not.toHaveProperty(['gen_ai.provider.name'])
      expect(attributes).not.toHaveProperty(['langfuse.observation.model.parameters'])
    }
  })
})

/** One question to a model over HTTP that costs so many dollars a million tokens of input, and ten times that of output. */
async function overHttp(lines: Parameters<typeof speakingEndpoint>[0], input: number) {
  const { server, subscriber, flush } = await tracing()
  const endpoint = await speakingEndpoint(lines)
  const quaero = await openQuaero({
    subscribers: [subscriber],
    model: 'openai:test-model',
    settings: {
      endpoint: { baseUrl: endpoint.url },
      prices: { 'test-model': { input, output: 10 * input, contextWindow: null } },
      agents: { synthesis: { temperature: 0.5 } },
    },
  })
  const { status: ended } = await quaero.ask(question, { limits: { costUsd: 0.5 } })
  await flush()
  return { shown: readTrace(server.spans()), ended }
}

/** Every span with an error: its type, name and message. */
function errorsIn({ spans }: ShownTrace): readonly string[] {
  const failed = spans.filter((span) => levelOf(span) === 'ERROR' || span.status.code === 2)
  const texts = failed.map(({ name, attributes, status }) => {
    expect([status.code, status.message]).toEqual([2, attributes['langfuse.observation.status_message']])
    return `${attributes['langfuse.observation.type']} ${name}: ${status.message}`
  })
  return texts.sort()
}
