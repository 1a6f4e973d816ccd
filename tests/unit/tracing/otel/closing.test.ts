import { expect, it, onTestFinished } from 'vitest'
import { event } from '../../../../src/events/index.ts'
import { openTracing } from '../../../../src/tracing/otel/open-tracing.ts'
import { traceIdOf } from '../../../../src/tracing/otel/trace-ids.ts'
import { startTraceServer } from '../../../fixtures/langfuse/trace-server.ts'

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
