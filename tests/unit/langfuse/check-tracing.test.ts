import { describe, expect, it, onTestFinished } from 'vitest'
import { checkTracing, loadConfig, promptsOf } from '../../../src/index.ts'
import { type Answer, type ReceivedRequest, startTraceServer } from '../../fixtures/langfuse/trace-server.ts'

/** A server that is Langfuse and a collector both. */
async function backend(answer: (request: ReceivedRequest) => Answer | null = () => null) {
  const project = { status: 200, body: { data: [{ id: 'p1', name: 'Papers' }] } }
  const server = await startTraceServer(
    (request) => answer(request) ?? (request.path === '/api/public/projects' ? project : 200),
  )
  onTestFinished(server.close)
  const langfuse = {
    LANGFUSE_PUBLIC_KEY: 'pk-lf-canary-1',
    LANGFUSE_SECRET_KEY: 'sk-lf-canary-2',
    LANGFUSE_BASE_URL: server.url,
  }
  const otlp = {
    OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary-3',
  }
  return { server, host: new URL(server.url).host, langfuse, otlp }
}

function check(env: NodeJS.ProcessEnv, options: { readonly label?: string; readonly offline?: boolean } = {}) {
  const { label, offline } = options
  const overrides = label === undefined ? {} : { langfuse: { promptLabel: label } }
  return checkTracing(loadConfig({ env, overrides }), { signal: new AbortController().signal, offline })
}

describe('what the doctor finds of tracing', () => {
  it('with keys that are taken and an endpoint that takes spans, all is in order, and nothing is left there', {
    tags: ['T17'],
  }, async () => {
    const { server, host, langfuse, otlp } = await backend()
    expect(await check({ ...langfuse, ...otlp })).toEqual([
      { name: 'langfuse', ok: true, message: `${host} takes the keys, of the project "Papers"` },
      { name: 'opentelemetry', ok: true, message: `${host} takes spans` },
    ])
    expect(server.spans()).toEqual([])
    expect(server.requests.map(({ path }) => path).sort()).toEqual(['/api/public/projects', '/v1/traces'])
  })

  it.each<readonly [what: string, answer: Answer, words: RegExp]>([
    ['refused keys', 401, /does not accept the keys \(401\)\. Check LANGFUSE_PUBLIC_KEY/],
    ['the page of a login', 'page', /is not one of its API\. Check LANGFUSE_BASE_URL/],
    ['trouble', 503, /answered 503/],
    ['a reset', 'reset', /cannot be reached .+ Check LANGFUSE_BASE_URL/],
  ])('a Langfuse with %s is a fault, with its remedy', { tags: ['T17'] }, async (_, answer, words) => {
    const { langfuse } = await backend(() => answer)
    const findings = await check(langfuse)
    expect(findings).toEqual([{ name: 'langfuse', ok: false, message: expect.stringMatching(words) }])
    expect(JSON.stringify(findings)).not.toContain('canary')
  })

  it.each<readonly [what: string, answer: Answer, words: RegExp]>([
    ['refuses the headers', 401, /answered 401 .+ Check OTEL_EXPORTER_OTLP_HEADERS/],
    ['has no such path', 404, /answered 404 .+ Check OTEL_EXPORTER_OTLP_ENDPOINT/],
    ['resets', 'reset', /cannot be reached \(.+\)\. Check OTEL_EXPORTER_OTLP_ENDPOINT/],
  ])(
    'an endpoint of OpenTelemetry that %s is a fault, with its remedy',
    { tags: ['T17'] },
    async (_, answer, words) => {
      const { otlp } = await backend(() => answer)
      const findings = await check(otlp)
      expect(findings.slice(1)).toEqual([{ name: 'opentelemetry', ok: false, message: expect.stringMatching(words) }])
      expect(JSON.stringify(findings)).not.toContain('canary')
    },
  )

  it('prompts that are missing under the label, or cannot be used, are a note', { tags: ['T15'] }, async () => {
    const { server, langfuse } = await backend()
    await promptsOf(loadConfig({ env: langfuse })).push({ label: 'production' })
    const inOrder = await check(langfuse, { label: 'production' })
    expect(inOrder[1]).toEqual({ name: 'prompts', ok: true, message: 'all 5 are there under the label "production"' })
    server.prompts.unlabel('quaero-research', 'production')
    const lacking = await check(langfuse, { label: 'production' })
    expect(lacking[1]).toEqual({
      name: 'prompts',
      ok: true,
      warning: true,
      message: 'under the label "production": quaero-research is not there. Files are used instead',
    })
  })

  it('says that one key is missing, and sends nothing then or offline', async () => {
    const { server, langfuse, otlp } = await backend()
    const half = await check({ ...langfuse, LANGFUSE_SECRET_KEY: '' })
    expect(half[0]).toMatchObject({ warning: true, message: expect.stringContaining('LANGFUSE_SECRET_KEY is not set') })
    const offline = await check({ ...langfuse, ...otlp }, { offline: true })
    expect(offline.map(({ message }) => message)).toEqual(Array(2).fill('not asked (--offline)'))
    expect(server.requests).toEqual([])
  })
})
