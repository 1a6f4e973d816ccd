import { describe, expect, it, onTestFinished } from 'vitest'
import { LangfuseApi } from '../../../src/langfuse/api.ts'
import { langfuseScores } from '../../../src/langfuse/scores.ts'
import { redactor } from '../../../src/redact.ts'
import { startTraceServer } from '../../fixtures/langfuse/trace-server.ts'
import { tracing } from '../../fixtures/langfuse/tracing.ts'
import { openQuaero } from '../../fixtures/workflow.ts'

const access = { publicKey: 'pk-lf-canary-1', secretKey: 'sk-lf-canary-2' }

/** A server that sends everything on to another, which takes it. */
async function redirecting(status: number) {
  const elsewhere = await startTraceServer()
  onTestFinished(elsewhere.close)
  const server = await startTraceServer(({ path }) => sentOn(status, elsewhere.url + path))
  onTestFinished(server.close)
  return { server, elsewhere }
}

function sentOn(status: number, location: string) {
  return { status, body: {}, headers: { location } }
}

describe.each([301, 302, 303, 307, 308])('a redirect (%i)', (status) => {
  it('sends no trace and no credential to another server, and is reported once', { tags: ['T10', 'T12'] }, async () => {
    const elsewhere = await startTraceServer()
    onTestFinished(elsewhere.close)
    const { server, notices, subscriber, flush } = await tracing(({ path }) => sentOn(status, elsewhere.url + path))
    const quaero = await openQuaero({ model: 'extractive', subscribers: [subscriber] })
    await quaero.ask('How many pages does the Marble corpus hold?')
    await quaero.ask('How many pages does the Marble corpus hold?')
    await flush()
    expect(server.requests.length).toBeGreaterThan(0)
    expect(elsewhere.requests).toEqual([])
    const hosts = [server, elsewhere].map(({ url }) => new URL(url).host)
    expect(notices).toEqual([
      `Traces do not arrive: ${hosts[0]} redirects to ${hosts[1]} (${status}), which is not followed. Answers are not affected.`,
    ])
  })

  it('takes no score to another server, and it waits', { tags: ['T10', 'T12'] }, async () => {
    const { server, elsewhere } = await redirecting(status)
    const notices: string[] = []
    const api = new LangfuseApi({ ...access, baseUrl: server.url }, { redact: redactor([]), timeoutMs: 2000 })
    const scores = langfuseScores(api, (notice) => void notices.push(notice))
    const score = { runId: 'run-1', name: 'a', value: 1, comment: null, userId: null }
    expect(await scores.send({ ...score, scoredAt: '2026-01-01T00:00:00.000Z' })).toBe('waiting')
    expect(server.requests).toHaveLength(1)
    expect(elsewhere.requests).toEqual([])
    expect(notices).toEqual([expect.stringContaining(`(${status}), which is not followed`)])
  })
})
