import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { ToolFailed } from '../../../../src/errors.ts'
import { event } from '../../../../src/events/index.ts'
import { defineTool } from '../../../../src/tools/tool.ts'
import { openTracing } from '../../../../src/tracing/otel/open-tracing.ts'
import { traceIdOf } from '../../../../src/tracing/otel/trace-ids.ts'
import { readTrace } from '../../../fixtures/langfuse/rules.ts'
import { startTraceServer } from '../../../fixtures/langfuse/trace-server.ts'
import { answering, question, tracing } from '../../../fixtures/langfuse/tracing.ts'
import { calls, openWorkflow, route, search } from '../../../fixtures/workflow.ts'

describe('a trace', () => {
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
      readTrace(own)
    }
    expect(spans.some(({ traceId }) => traceId === foreign.spanContext().traceId)).toBe(false)
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
    expect(server.spans().map(({ name }) => name)).toContain('quaero')
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

  it('a batch that is on its way when the process closes still arrives', { tags: ['T13'] }, async () => {
    const server = await startTraceServer()
    onTestFinished(server.close)
    const settings = { access: 'KEYS', address: 'ADDRESS' }
    const tracing = openTracing({
      langfuse: {
        endpoint: { url: `${server.url}/v1/traces`, headers: {}, settings },
        onFailure: () => {},
        // As the batch processor does when its timer fires: it exports, and a flush does not wait for that.
        processor: (exporter) => ({
          onStart: () => {},
          onEnd: (span) => exporter.export([span], () => {}),
          forceFlush: async () => {},
          shutdown: async () => {},
        }),
      },
      otlp: null,
      redact: (text) => text,
      onNotice: () => {},
    })
    const runId = 'run-1'
    const origin = { correlationId: runId }
    const created = event('run.created', { threadId: 't', turn: 1, question: 'Why?', documents: null }, origin)
    const started = event('run.started', { attempt: 1, question: 'Why?', model: 'extractive' }, origin)
    tracing.tracer({ ...started, runId }, [created])
    const ended = event('run.interrupted', { reason: 'cancelled' }, { ...origin, causationId: started.id })
    tracing.tracer({ ...ended, runId })
    await tracing.close()
    expect(server.spans().map(({ traceId, name }) => [traceId, name])).toEqual([[traceIdOf(runId), 'quaero']])
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

/** The same lines again and again. */
function timesOver<T extends Readonly<Record<string, string>>>(times: number, lines: T): { [K in keyof T]: string[] } {
  const repeated = Object.entries(lines).map(([agent, line]) => [agent, Array<string>(times).fill(line)])
  // Object.fromEntries forgets the keys.
  return Object.fromEntries(repeated) as { [K in keyof T]: string[] }
}
