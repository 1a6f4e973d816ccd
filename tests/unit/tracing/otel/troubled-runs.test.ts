import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ToolFailed } from '../../../../src/errors.ts'
import { ContextTooLong, EndpointUnavailable, KeyRejected } from '../../../../src/models/port/errors.ts'
import { defineTool } from '../../../../src/tools/tool.ts'
import { answering, expectWholeTree, question, tracing } from '../../../fixtures/langfuse/tracing.ts'
import { calls, openWorkflow } from '../../../fixtures/workflow.ts'

describe('the trace of a run in trouble', () => {
  it('a model that fails and is worked around is an error of its own; the run carries a warning', {
    tags: ['T7'],
  }, async () => {
    const { server, subscriber, flush } = await tracing()
    const fault = new EndpointUnavailable('example.org answers 500')
    const { quaero } = await openWorkflow(
      { ...answering, synthesis: [fault] },
      { subscribers: [subscriber], settings: { endpoint: { retries: 0 } } },
    )
    expect(await quaero.ask(question)).toMatchObject({ status: 'completed' })
    await flush()
    const spans = server.spans()
    const failed = spans.filter(({ status }) => status.code === 2)
    expect(failed.map(({ attributes }) => attributes['langfuse.observation.type'])).toEqual(['generation'])
    expect(failed[0]?.status.message).toContain('example.org answers 500')
    expect(failed[0]?.attributes).toMatchObject({
      'langfuse.observation.level': 'ERROR',
      'langfuse.observation.status_message': expect.stringContaining('example.org answers 500'),
      'error.type': 'endpoint_unavailable',
    })
    expect(spans.find(({ parentSpanId }) => parentSpanId === null)?.attributes).toMatchObject({
      'langfuse.observation.level': 'WARNING',
    })
    expectWholeTree(spans)
  })

  it('what no agent can work around is an error of model, agent and run', { tags: ['T7'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(
      { ...answering, synthesis: [new KeyRejected('example.org rejects the key')] },
      { subscribers: [subscriber] },
    )
    expect(await quaero.ask(question)).toMatchObject({ status: 'failed', error: { code: 'key_rejected' } })
    await flush()
    const failed = server.spans().filter(({ status }) => status.code === 2)
    expect(failed.map(({ name }) => name).sort()).toEqual(['quaero', 'synthesis', 'synthesis'])
    for (const { attributes, status } of failed) {
      expect(attributes['langfuse.observation.level']).toBe('ERROR')
      expect(status.message).toContain('rejects the key')
    }
    expectWholeTree(server.spans())
  })

  it('a call that is made shorter says so, below its generation', { tags: ['F10'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(
      { ...answering, synthesis: [new ContextTooLong('8000 tokens do not fit'), ...answering.synthesis] },
      { subscribers: [subscriber] },
    )
    expect(await quaero.ask(question)).toMatchObject({ status: 'completed', error: null })
    await flush()
    const trimmed = server.spans().find(({ name }) => name === 'shortened call')
    const generation = server.spans().find(({ spanId }) => spanId === trimmed?.parentSpanId)
    expect(trimmed?.attributes).toMatchObject({
      'langfuse.observation.type': 'event',
      'langfuse.observation.level': 'WARNING',
    })
    expect(generation?.attributes['langfuse.observation.type']).toBe('generation')
  })

  it('a stream that nobody reads to its end still sends its whole tree, as a warning', { tags: ['T9'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(answering, { subscribers: [subscriber] })
    for await (const line of quaero.stream(question)) {
      if (line.type === 'tool.started') break
    }
    await quaero.close()
    await flush()
    const spans = server.spans()
    const root = spans.find(({ parentSpanId }) => parentSpanId === null)
    expect(root?.attributes).toMatchObject({ 'langfuse.observation.level': 'WARNING' })
    expect(root?.status.code).toBe(0)
    expectWholeTree(spans)
  })

  it('no answer waits for a backend that hangs', { tags: ['slow', 'T11'] }, async () => {
    const { server, subscriber } = await tracing('hang')
    const wordy = defineTool({
      name: 'wordy',
      description: 'Long.',
      input: z.object({}),
      run: async () => 'word '.repeat(2000),
    })
    const rounds = Array.from({ length: 70 }, (_, n) => calls(['wordy', {}], ['pdf_retrieval', { query: `page ${n}` }]))
    const { quaero } = await openWorkflow(
      { ...answering, research: [...rounds, 'Found it.'] },
      {
        subscribers: [subscriber],
        tools: [wordy],
        settings: { limits: { rounds: null, toolCalls: null, modelCalls: null } },
      },
    )
    expect(await quaero.ask(question)).toMatchObject({ status: 'completed', error: null })
    // More spans than one batch holds: the first has been on its way, unanswered, while the run went on.
    expect(server.requests.length).toBeGreaterThan(0)
  })

  it('an observation that alone would pass a megabyte is shortened until it fits', { tags: ['T17'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    // Six bytes each in JSON.
    const wide = '\u0001'.repeat(120_000)
    const loud = defineTool({
      name: 'loud',
      description: 'Fails at length.',
      input: z.object({ text: z.string() }),
      run: async () => {
        throw new ToolFailed(wide)
      },
    })
    const { quaero } = await openWorkflow(
      { ...answering, research: [calls(['loud', { text: wide }]), 'Nothing.'] },
      { subscribers: [subscriber], tools: [loud], settings: { tools: { observationCharacters: 200_000 } } },
    )
    await quaero.ask(question)
    await flush()
    expect(server.requests.length).toBeGreaterThan(0)
    for (const { bytes } of server.requests) expect(bytes).toBeLessThan(1_000_000)
    const tool = server.spans().find(({ name }) => name === 'loud')
    expect(tool?.attributes['langfuse.observation.input']).toContain('characters left out')
    expectWholeTree(server.spans())
  })
})
