import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LangfuseApi } from '../../../src/langfuse/api.ts'
import { langfuseScores, scoreIdOf } from '../../../src/langfuse/scores.ts'
import { redactor } from '../../../src/redact.ts'
import { rootSpanIdOf } from '../../../src/tracing/index.ts'
import { startLangfuse } from '../../fixtures/langfuse/langfuse-server.ts'

const secret = 'sk-lf-canary-2'
const score = {
  runId: 'run-1',
  name: 'helpful',
  value: 1,
  comment: null,
  userId: null,
  scoredAt: '2026-01-01T00:00:00.000Z',
}

function scoresAt(baseUrl: string, timeoutMs = 2000) {
  const notices: string[] = []
  const api = new LangfuseApi(
    { publicKey: 'pk-lf-canary-1', secretKey: secret, baseUrl },
    { redact: redactor([secret]), timeoutMs },
  )
  return { scores: langfuseScores(api, (notice) => void notices.push(notice)), notices }
}

describe('scores in Langfuse', () => {
  it('have an id of their run and name, so that a repeat replaces', { tags: ['T14'] }, async () => {
    const langfuse = await startLangfuse()
    const { scores } = scoresAt(langfuse.server.url)
    expect(await scores.send(score)).toBe('delivered')
    expect(await scores.send({ ...score, value: 0.5 })).toBe('delivered')
    expect(await scores.send({ ...score, runId: 'run-2' })).toBe('delivered')
    expect([...langfuse.scores]).toEqual([
      [scoreIdOf(score), expect.objectContaining({ value: 0.5 })],
      [scoreIdOf({ ...score, runId: 'run-2' }), expect.objectContaining({ value: 1 })],
    ])
  })

  it('are of the span of their run, where its trace is that of others too', { tags: ['T14'] }, async () => {
    const langfuse = await startLangfuse()
    const { scores } = scoresAt(langfuse.server.url)
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    await scores.send(score, undefined, `00-${traceId}-00f067aa0ba902b7-01`)
    expect(langfuse.scores.get(scoreIdOf(score))).toMatchObject({ traceId, observationId: rootSpanIdOf(score.runId) })
  })

  it('hold no credential that stands in their text', { tags: ['T10'] }, async () => {
    const langfuse = await startLangfuse()
    const { scores } = scoresAt(langfuse.server.url)
    await scores.send({
      ...score,
      value: `it said ${secret}`,
      comment: 'Authorization: Bearer abcdefgh12345678',
      userId: secret,
    })
    const [sent] = langfuse.scores.values()
    expect(sent).toMatchObject({
      value: 'it said [redacted]',
      comment: 'Authorization: Bearer [redacted]',
      metadata: { userId: '[redacted]' },
    })
  })

  it.each([
    [400, 'refused'],
    [422, 'refused'],
    [401, 'waiting'],
    [404, 'waiting'],
    [429, 'waiting'],
    [503, 'waiting'],
  ] as const)('after %i are %s, and asked for once', async (status, delivery) => {
    const langfuse = await startLangfuse()
    langfuse.fail({ status, body: { message: `no, ${secret}` } })
    const { scores, notices } = scoresAt(langfuse.server.url)
    expect(await scores.send(score)).toBe(delivery)
    const rejected =
      'does not accept the keys (401). Check LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_BASE_URL'
    const said = status === 401 ? rejected : `answered ${status}: no, [redacted]`
    expect(notices).toEqual([
      `Scores do not arrive: Langfuse at ${new URL(langfuse.server.url).host} ${said}. Answers are not affected.`,
    ])
    expect(langfuse.server.requests).toHaveLength(1)
  })

  it.each([
    ['the page of a login', 'page' as const],
    ['an empty object', { status: 200, body: {} }],
    ['a refusal that calls itself fine', { status: 200, body: { ok: false } }],
  ])('wait where %s is all that comes', { tags: ['T12'] }, async (_, answer) => {
    const langfuse = await startLangfuse()
    langfuse.fail(answer)
    const { scores, notices } = scoresAt(langfuse.server.url)
    expect(await scores.send(score)).toBe('waiting')
    const said = 'The answer of Langfuse for a score is not one of its API. Check LANGFUSE_BASE_URL.'
    expect(notices).toEqual([`Scores do not arrive: ${said} Answers are not affected.`])
  })

  it('wait where the answer stalls after its headers', { tags: ['T12'] }, async () => {
    const server = createServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.closeAllConnections())
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { scores, notices } = scoresAt(`http://127.0.0.1:${port}`, 200)
    expect(await scores.send(score)).toBe('waiting')
    expect(notices[0]).toContain('did not answer within 0.2 s')
  })

  it('wait, without a word, where the engine ends', { tags: ['T12'] }, async () => {
    const langfuse = await startLangfuse()
    langfuse.fail('hang')
    const { scores, notices } = scoresAt(langfuse.server.url)
    const stop = new AbortController()
    const sent = scores.send(score, stop.signal)
    await expect.poll(() => langfuse.server.requests.length).toBe(1)
    stop.abort()
    expect(await sent).toBe('waiting')
    expect(notices).toEqual([])
  })
})
