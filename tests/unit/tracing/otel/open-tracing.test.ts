import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../../../src/tools/tool.ts'
import { rootSpanIdOf, traceIdOf } from '../../../../src/tracing/otel/trace-ids.ts'
import type { ReceivedSpan } from '../../../fixtures/langfuse/trace-server.ts'
import { answering, expectWholeTree, question, tracing } from '../../../fixtures/langfuse/tracing.ts'
import { calls, cited, openWorkflow, route, search } from '../../../fixtures/workflow.ts'

describe('a trace', () => {
  it('is one for each run, below one root with input and output, with session and name on every span', {
    tags: ['T2', 'T3'],
  }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(answering, { subscribers: [subscriber] })
    const { runId, answer } = await quaero.ask(question, { threadId: 'thread-1', userId: 'ada' })
    await flush()
    const spans = server.spans()
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(runId)]))
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === null)
    expect(roots).toHaveLength(1)
    expect(roots[0]?.spanId).toBe(rootSpanIdOf(runId))
    expect(roots[0]?.attributes).toMatchObject({
      'langfuse.internal.is_app_root': true,
      'langfuse.observation.input': question,
      'langfuse.observation.output': answer,
      'langfuse.trace.tags': ['quaero'],
      'langfuse.observation.metadata.status': 'completed',
    })
    expect(spans.filter(({ attributes }) => attributes['langfuse.internal.is_app_root'])).toHaveLength(1)
    for (const { attributes } of spans) {
      expect(attributes).toMatchObject({
        'session.id': 'thread-1',
        'user.id': 'ada',
        'langfuse.trace.name': 'quaero',
      })
    }
    expectWholeTree(spans)
  })

  it('types spans, and gives generations model, input, output, usage, cost and the time of the first token', {
    tags: ['T5', 'T6'],
  }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(answering, {
      subscribers: [subscriber],
      usage: { inputTokens: 120, outputTokens: 30 },
    })
    await quaero.ask(question)
    await flush()
    const spans = server.spans()
    const typed = spans.map(({ name, attributes }) => `${attributes['langfuse.observation.type']} ${name}`)
    expect(new Set(typed)).toEqual(
      new Set([
        'chain quaero',
        'agent orchestrator',
        'agent research',
        'agent synthesis',
        'generation orchestrator',
        'generation research',
        'generation synthesis',
        'chain round of tool calls',
        'retriever pdf_retrieval',
      ]),
    )
    const generations = spans.filter(({ attributes }) => attributes['langfuse.observation.type'] === 'generation')
    expect(generations).toHaveLength(4)
    for (const { attributes } of generations) {
      expect(attributes).toMatchObject({
        'langfuse.observation.model.name': 'ScriptedModel',
        'langfuse.observation.usage_details': JSON.stringify({ input: 120, output: 30, total: 150 }),
      })
      const { messages } = chat.parse(json(attributes, 'input'))
      expect(messages[0]?.role).toBe('system')
      expect(json(attributes, 'output')).toHaveProperty('role', 'assistant')
      expect(attributes['langfuse.observation.completion_start_time']).toMatch(/^"\d{4}-/)
    }
    const tool = spans.find(({ name }) => name === 'pdf_retrieval')
    expect(json(tool?.attributes ?? {}, 'input')).toEqual({ query: 'Marble corpus pages' })
    expect(tool?.attributes['langfuse.observation.output']).toContain('81.1 million pages')
  })

  it('forty runs at once inside a foreign span do not mix', { tags: ['T4'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const foreign = new BasicTracerProvider().getTracer('foreign').startSpan('of the host')
    context.setGlobalContextManager(new HostContext())
    onTestFinished(() => context.disable())
    const { quaero } = await openWorkflow(
      timesOver(40, { orchestrator: route(), research: 'Nothing.', synthesis: 'Nothing.' }),
      { subscribers: [subscriber] },
    )
    const threads = Array.from({ length: 40 }, (_, i) => `thread-${i}`)
    const results = await context.with(trace.setSpan(context.active(), foreign), async () => {
      await Promise.resolve()
      expect(trace.getActiveSpan()).toBe(foreign)
      return Promise.all(threads.map((threadId) => quaero.ask(`Question of ${threadId}?`, { threadId })))
    })
    await flush()
    const spans = server.spans()
    for (const { runId, threadId } of results) {
      const own = spans.filter(({ traceId }) => traceId === traceIdOf(runId))
      expect(new Set(own.map(({ attributes }) => attributes['session.id']))).toEqual(new Set([threadId]))
      expectWholeTree(own)
    }
    expect(spans.some(({ traceId }) => traceId === foreign.spanContext().traceId)).toBe(false)
  })

  it('a tool that fails is an error with its message, and the run is not', { tags: ['T7'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const broken = defineTool({
      name: 'broken',
      description: 'Fails.',
      input: z.object({}),
      run: async () => {
        throw new Error('the disk is on fire')
      },
    })
    const { quaero } = await openWorkflow(
      { ...answering, research: [calls(['broken', {}], ['nowhere', {}]), 'Found it.'] },
      { subscribers: [subscriber], tools: [broken] },
    )
    await quaero.ask(question)
    await flush()
    const failed = server.spans().find(({ name }) => name === 'broken')
    expect(failed?.status.code).toBe(2)
    expect(failed?.attributes).toMatchObject({ 'langfuse.observation.level': 'ERROR', 'error.type': 'unexpected' })
    expect(server.spans().find(({ name }) => name === 'nowhere')?.status.code).toBe(2)
    expect(server.spans().find(({ parentSpanId }) => parentSpanId === null)?.status.code).toBe(0)
  })

  it('a run that fails is an error, with the error of its ending', { tags: ['T7'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(answering, {
      subscribers: [subscriber],
      hooks: {
        name: 'strict',
        afterRound: () => {
          throw new Error('no more of this')
        },
      },
    })
    expect((await quaero.ask(question)).status).toBe('failed')
    await flush()
    const root = server.spans().find(({ parentSpanId }) => parentSpanId === null)
    expect(root?.status.code).toBe(2)
    expect(root?.attributes['langfuse.observation.status_message']).toContain('no more of this')
    expectWholeTree(server.spans())
  })

  it('a wait for approval is no error, and the resumed run joins the same trace', { tags: ['T8'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    const { quaero } = await openWorkflow(answering, {
      subscribers: [subscriber],
      settings: { tools: { trust: 'strict' } },
    })
    const { runId, approvals } = await quaero.ask(question)
    await flush()
    const before = server.spans()
    expect(before.every(({ status }) => status.code === 0)).toBe(true)
    expect(before.every(({ attributes }) => attributes['langfuse.observation.level'] === undefined)).toBe(true)
    await quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })
    await flush()
    const spans = server.spans()
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(runId)]))
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === null)
    expect(new Set(roots.map(({ spanId }) => spanId))).toEqual(new Set([rootSpanIdOf(runId)]))
    // Of two with one id a backend keeps the later, which covers both attempts.
    expectWholeTree([...spans.filter((span) => !roots.includes(span)), ...roots.slice(-1)])
  })

  it('a cancelled run is a warning, and its root arrives', { tags: ['T9'] }, async () => {
    const { server, subscriber, flush } = await tracing()
    let cancel = async () => {}
    const { quaero } = await openWorkflow(answering, {
      subscribers: [subscriber],
      hooks: {
        name: 'canceller',
        beforeRound: async (_, { signal }) => {
          const aborted = once(signal, 'abort')
          void cancel()
          await aborted
        },
      },
    })
    for await (const line of quaero.stream(question)) {
      if (line.type === 'run.created') cancel = () => quaero.cancel(line.runId)
    }
    await flush()
    const root = server.spans().find(({ parentSpanId }) => parentSpanId === null)
    expect(root?.attributes).toMatchObject({
      'langfuse.observation.level': 'WARNING',
      'langfuse.observation.status_message': 'cancelled',
    })
    expect(root?.status.code).toBe(0)
  })

  it('no credential arrives, wherever it was planted', { tags: ['T10'] }, async () => {
    const canary = 'opensesame-9f3a'
    const shaped = 'sk-proj-0123456789abcdef'
    const { server, subscriber, flush } = await tracing(200, [canary])
    const leaky = defineTool({
      name: 'leaky',
      description: 'Tells.',
      input: z.object({ token: z.string() }),
      run: async ({ token }) => `token ${token}, Bearer abcdef0123456789, https://h/?api_key=${canary}`,
    })
    const throwing = defineTool({
      name: 'throwing',
      description: 'Throws.',
      input: z.object({}),
      run: async () => {
        throw new Error(`refused ${canary} and ${shaped}`)
      },
    })
    const { quaero } = await openWorkflow(
      {
        ...answering,
        research: [calls(['leaky', { token: canary }], ['throwing', {}]), `Found ${shaped}.`],
        synthesis: [
          `${canary} is not said. ${cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')}`,
        ],
      },
      { subscribers: [subscriber], tools: [leaky, throwing] },
    )
    await quaero.ask(`${question} My key is ${shaped}, and ${canary}.`, { userId: canary })
    await flush()
    const all = server.requests.map(({ body }) => body).join('\n')
    expect(server.spans().length).toBeGreaterThan(8)
    expect(all).not.toContain(canary)
    expect(all).not.toContain(shaped)
    expect(all).not.toContain('abcdef0123456789')
  })

  it('goes to the OpenTelemetry endpoint only, compressed, in requests below a megabyte', {
    tags: ['T17'],
  }, async () => {
    const { server, subscriber, flush } = await tracing()
    const long = 'A long page. '.repeat(6000)
    const wordy = defineTool({ name: 'wordy', description: 'Long.', input: z.object({}), run: async () => long })
    const many = Array.from({ length: 12 }, () => calls(['wordy', {}]))
    const { quaero } = await openWorkflow(
      { ...answering, research: [...many.map((call, i) => (i % 2 ? call : search(`page ${i}`))), 'Done.'] },
      {
        subscribers: [subscriber],
        tools: [wordy],
        settings: { tools: { observationCharacters: 90_000 }, limits: { rounds: 20 } },
      },
    )
    await quaero.ask(question)
    await flush()
    expect(server.requests.length).toBeGreaterThan(1)
    for (const { path, headers, bytes } of server.requests) {
      expect(path).toBe('/api/public/otel/v1/traces')
      expect(headers['content-encoding']).toBe('gzip')
      expect(headers['x-langfuse-ingestion-version']).toBe('4')
      expect(headers.authorization).toBe(`Basic ${Buffer.from('pk-test:sk-test-secret').toString('base64')}`)
      expect(bytes).toBeLessThan(1_000_000)
    }
  })

  it.each([401, 413, 500, 503, 'reset', 'page'] as const)(
    'a backend that answers %s changes no answer, and is reported once',
    { tags: ['T11', 'F69'] },
    async (answer) => {
      const { notices, subscriber, flush } = await tracing(answer)
      const { quaero } = await openWorkflow(
        timesOver(2, { orchestrator: route(), research: 'Nothing.', synthesis: answering.synthesis[0] }),
        { subscribers: [subscriber] },
      )
      const results = [await quaero.ask(question), await quaero.ask(question)]
      await flush()
      await flush()
      expect(results.map(({ status }) => status)).toEqual(['completed', 'completed'])
      expect(notices).toHaveLength(1)
      const remedy = answer === 401 ? 'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY' : 'LANGFUSE_BASE_URL'
      expect(notices[0]).toMatch(/^Traces do not arrive: .*Answers are not affected\.$/)
      expect(notices[0]).toContain(`. Check ${remedy}. `)
    },
  )

  it('a backend that hangs does not keep the process: flush and close end by themselves', {
    tags: ['T12', 'F69'],
  }, async () => {
    const { notices, subscriber, close } = await tracing('hang')
    const { quaero } = await openWorkflow(answering, { subscribers: [subscriber] })
    expect((await quaero.ask(question)).status).toBe('completed')
    // The backend never answers, so only a bound of our own can end this.
    await close()
    expect(notices.length).toBeLessThanOrEqual(1)
  })
})

/** As a host that traces itself keeps its active span: across every await. */
class HostContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(active, () => work.call(self, ...args))
  }

  bind<T>(_: Context, target: T): T {
    return target
  }

  enable(): this {
    return this
  }

  disable(): this {
    this.#storage.disable()
    return this
  }
}

const chat = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) })

/** The same lines again and again. */
function timesOver<T extends Readonly<Record<string, string>>>(times: number, lines: T): { [K in keyof T]: string[] } {
  const repeated = Object.entries(lines).map(([agent, line]) => [agent, Array<string>(times).fill(line)])
  // Object.fromEntries forgets the keys.
  return Object.fromEntries(repeated) as { [K in keyof T]: string[] }
}

function json(attributes: ReceivedSpan['attributes'], side: 'input' | 'output'): unknown {
  return JSON.parse(String(attributes[`langfuse.observation.${side}`]))
}
