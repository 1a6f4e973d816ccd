import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { examPaper } from '../../../../src/answers/judge/exam.ts'
import { doctor as doctorCommand } from '../../../../src/cli/commands/doctor.ts'
import {
  ConfigInvalid,
  loadConfig,
  type Quaero,
  type SettingsOverrides,
  StorageUnavailable,
} from '../../../../src/index.ts'
import {
  type ChatRequest,
  type EndpointReply,
  type EndpointScript,
  startEndpoint,
} from '../../../fixtures/openai-endpoint.ts'
import { capturedOutput, runWith, typedInput } from '../captured-terminal.ts'
import { fakeQuaero } from '../fake-quaero.ts'

const storage = { path: '/data/quaero.db', bytes: 4096, schemaVersion: 1, integrity: 'ok', rows: { documents: 2 } }

describe('quaero doctor', () => {
  it('finds all in order with no key and no network', { tags: ['Q4', 'E7'] }, async () => {
    const { code, report } = await doctor({})
    expect(code).toBe(0)
    expect(report).toMatchObject({ ok: true, storage })
    expect(finding(report, 'storage')).toContain('/data/quaero.db: 4 KB, schema 1, integrity ok; 2 documents')
    expect(finding(report, 'start')).toBe('ready, storage 3 ms (/data)')
    expect(finding(report, 'model')).toContain('extractive')
    expect(finding(report, 'langfuse')).toContain('off: set LANGFUSE_PUBLIC_KEY')
    expect(finding(report, 'web search')).toContain('TAVILY_API_KEY')
  })

  it('prints a plain table', async () => {
    const output = capturedOutput()
    const parts = { config: () => loadConfig({ env: {} }), open: async () => fakeQuaero({ storage }).quaero }
    expect(await runWith(doctorCommand, parts, typedInput(), output, {})).toBe(0)
    expect(output.out()).toMatch(/^ok +storage +\/data\/quaero\.db/m)
  })

  it('says that web search asks first, and how it is allowed', { tags: ['S17'] }, async () => {
    const env = { TAVILY_API_KEY: 'tvly-canary-0123456789' }
    expect(finding((await doctor(env)).report, 'web search')).toBe(
      'Tavily; asks a person first while the library holds documents, unless tools.allow names web_search',
    )
    const allowed = await doctor(env, undefined, undefined, { settings: { tools: { allow: ['web_search'] } } })
    expect(finding(allowed.report, 'web search')).toBe('Tavily')
  })

  it('names damaged pages, and how to read their files again', { tags: ['F63'] }, async () => {
    const output = capturedOutput()
    const damagedPages = [{ documentId: 'aaaa', page: 3 }]
    const open = async () => fakeQuaero({ storage: { ...storage, damagedPages } }).quaero
    expect(
      await runWith(doctorCommand, { config: () => loadConfig({ env: {} }), open }, typedInput(), output, {}),
    ).toBe(1)
    expect(output.out().replace(/\s+/g, ' ')).toContain('1 damaged pages, the first of them page 3 of aaaa')
    expect(output.out()).toContain('add --repair')
  })

  it('reports a database that cannot be opened, with its path', { tags: ['F61'] }, async () => {
    const open = async () => {
      throw new StorageUnavailable('The database cannot be opened: it is read-only')
    }
    const { code, report } = await doctor({}, open, '/data')
    expect([code, report.storage]).toEqual([1, null])
    expect(finding(report, 'storage')).toBe('/data: The database cannot be opened: it is read-only')
  })

  it('reports a database that is damaged', { tags: ['F63'] }, async () => {
    const open = async () => fakeQuaero({ storage: { ...storage, integrity: 'row 3 missing from index' } }).quaero
    expect((await doctor({}, open)).code).toBe(1)
  })

  it('says of a fit endpoint that it streams, calls tools, keeps to a schema, and what asking has cost', {
    tags: ['Q4'],
  }, async () => {
    const { code, report, requests } = await doctorOn(fit)
    expect(code).toBe(0)
    expect(report.checks.slice(3, 10)).toEqual([
      { name: 'endpoint', ok: true, message: expect.stringMatching(/^127\.0\.0\.1:\d+ answers, and offers 2 models$/) },
      { name: 'key', ok: true, message: 'not rejected' },
      { name: 'model', ok: true, message: 'openai:test-model is on the list, and answers' },
      { name: 'streaming', ok: true, message: expect.stringMatching(/^first words after \d+ ms$/) },
      { name: 'tool calling', ok: true, message: 'a tool was called as asked' },
      { name: 'structured output', ok: true, message: 'the answer fits the schema' },
      { name: 'spent', ok: true, message: '3 requests to models just now, 300 tokens in, 30 out' },
    ])
    expect(requests).toHaveLength(3)
    expect(requests[0]).toMatchObject({ stream: true, model: 'test-model' })
  })

  it('examines the model that reads answers a second time, once in a data folder, and tells its mark', {
    tags: ['Q15'],
  }, async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'quaero-doctor-'))
    const settings = { answer: { readerMark: 36 } }
    const says = (holds: (claim: (typeof examPaper.claims)[number]) => boolean) => (request: ChatRequest) => {
      const isExam = JSON.stringify(request.messages).includes(examPaper.claims[0]?.text ?? '')
      const lines = examPaper.claims.map((claim, at) => `${at + 1} ${holds(claim) ? 'yes' : 'not shown'}`)
      return isExam ? { content: lines.join('\n') } : fit(request)
    }
    const yes = await doctorOn(
      says(() => true),
      { dataDir, settings, model: 'openai:yes' },
    )
    expect(yes.code).toBe(0)
    expect(yes.report.checks.find(({ name }) => name === 'reader')).toMatchObject({ ok: true, warning: true })
    expect(finding(yes.report, 'reader')).toContain('judged 20 of 40 claims of known truth rightly. 36 are needed')
    const right = await doctorOn(
      says(({ holds }) => holds),
      { dataDir, settings, model: 'openai:right' },
    )
    expect(finding(right.report, 'reader')).toContain('judged 40 of 40')
    expect(right.requests).toHaveLength(4)
    const again = await doctorOn(fit, { dataDir, settings, model: 'openai:right' })
    expect(finding(again.report, 'reader')).toContain('judged 40 of 40')
    expect(again.requests).toHaveLength(3)
    const offline = await doctorOn(fit, { dataDir, settings, model: 'openai:new', offline: true })
    expect(finding(offline.report, 'reader')).toBe('openai:new was not examined yet')
  })

  it('asks each model that an agent has of its own', { tags: ['Q4'] }, async () => {
    const settings = { agents: { synthesis: { model: 'openai:test-model-large' } } }
    const { report, requests } = await doctorOn(fit, { settings })
    expect(requests.map(({ model }) => model)).toEqual([
      ...Array(3).fill('test-model'),
      ...Array(3).fill('test-model-large'),
    ])
    expect(report.checks.filter(({ name }) => name === 'model')).toHaveLength(2)
  })

  it('sends nothing with --offline', { tags: ['Q8'] }, async () => {
    const { code, report, journal } = await doctorOn(fit, { offline: true })
    expect([code, finding(report, 'endpoint')]).toEqual([0, 'not asked (--offline)'])
    expect(journal).toEqual([])
  })

  it.each<readonly [what: string, reply: EndpointReply, name: string, words: RegExp]>([
    ['rejects the key', { status: 401 }, 'key', /^The key was rejected by 127.+\(401\)\. Set OPENAI_API_KEY/],
    ['has no quota left', noQuota, 'streaming', /out of quota \(429\).+Check its plan and billing/],
    ['fails', { status: 500 }, 'streaming', /^500 from 127/],
    [
      'shows a web page',
      { html: '<html>' },
      'streaming',
      /is not an OpenAI-compatible endpoint: .+Check OPENAI_BASE_URL/,
    ],
    ['cuts its stream', { content: 'ready', noFinish: true }, 'streaming', /without a finish reason/],
    ['is silent', { stall: 'before' }, 'streaming', /did not begin to answer and was silent for 1 s/],
  ])(
    'reports an endpoint that %s',
    { tags: ['F8', 'F4', 'F6', 'F11', 'F19', 'F21'] },
    async (_, reply, name, words) => {
      const settings = { endpoint: { retryBudgetSeconds: 1, retries: 0 } }
      const { code, report, requests } = await doctorOn(() => reply, { settings })
      expect(code).toBe(1)
      expect(report.checks.filter(({ ok }) => !ok)).toEqual([
        { name, ok: false, message: expect.stringMatching(words) },
      ])
      expect(requests).toHaveLength(1)
      expect(JSON.stringify(report)).not.toContain('canary')
    },
  )

  it('reports a model that is not there, and those that are', { tags: ['F9'] }, async () => {
    const { code, report } = await doctorOn(() => ({ status: 404 }), { model: 'openai:tset-model-larg' })
    expect(code).toBe(1)
    expect(finding(report, 'model')).toMatch(/^127.+ has no model "tset-model-larg" \(404\)/)
    expect(finding(report, 'model')).toContain('It offers: test-model, test-model-large')
  })

  it('takes a model that is on no list, if it answers', { tags: ['F9'] }, async () => {
    const { code, report } = await doctorOn(fit, { model: 'openai:another' })
    expect([code, finding(report, 'model')]).toEqual([0, 'openai:another is not on a list, and answers'])
  })

  it.each<readonly [what: string, list: EndpointReply, code: number, name: string, words: RegExp]>([
    ['no list of models', { status: 404 }, 0, 'endpoint', /answers, and has no list of models \(404\)$/],
    ['a web page for one', { html: '<html>' }, 0, 'endpoint', /answers, and has no list of models \(200\)$/],
    ['a rejected key', { status: 403 }, 1, 'key', /rejects the key \(403\)\. Set OPENAI_API_KEY$/],
    ['trouble of its own', { status: 503 }, 1, 'endpoint', /answers with 503\. Look at the server's own log$/],
    ['a reset', { reset: 'before' }, 1, 'endpoint', /closed the connection before it answered/],
  ])('reports an endpoint with %s', { tags: ['F9'] }, async (_, list, code, name, words) => {
    const result = await doctorOn(fit, { list })
    expect(result.code).toBe(code)
    expect(finding(result.report, name)).toMatch(words)
    expect(result.requests).toHaveLength(code === 0 ? 3 : 0)
  })

  it.each<readonly [what: string, at: number, reply: EndpointReply, name: string, words: RegExp]>([
    [
      'answers in one piece',
      0,
      { content: 'ready', json: true },
      'streaming',
      /in one piece \(application\/json\), not as a stream/,
    ],
    ['calls no tool', 1, { content: 'I report: ready' }, 'tool calling', /asked to call a tool, and answered in prose/],
    [
      'writes odd arguments',
      1,
      { toolCalls: [{ name: 'report_state', args: '{"sta' }] },
      'tool calling',
      /arguments that cannot be read/,
    ],
    [
      'refuses tools',
      1,
      { status: 400, body: { error: { message: 'tools: not supported' } } },
      'tool calling',
      /refused the request \(400\): tools: not supported\. Answers are given without tool calling/,
    ],
    [
      'keeps to no schema',
      2,
      { content: 'ready' },
      'structured output',
      /given a schema, and answered with something else/,
    ],
    [
      'refuses schemas',
      2,
      { status: 422, body: { error: { message: 'response_format' } } },
      'structured output',
      /refused the request \(422\): response_format/,
    ],
  ])(
    'notes an endpoint that %s, which leaves answers',
    { tags: ['F27', 'F34', 'F36', 'F45'] },
    async (_, at, reply, name, words) => {
      const { code, report } = await doctorOn((request, n) => (n === at ? reply : fit(request)))
      expect(code).toBe(0)
      const notes = report.checks.filter(({ warning }) => warning)
      expect(notes).toEqual([{ name, ok: true, warning: true, message: expect.stringMatching(words) }])
      expect(notes[0]?.message).toContain('127.0.0.1:')
    },
  )

  it('takes an endpoint that counts no tokens for what it is, asking without', { tags: ['F32'] }, async () => {
    const refusal = { error: { message: 'Unrecognized request argument supplied: stream_options' } }
    const { code, report, requests } = await doctorOn(
      (request) => (request.stream_options ? { status: 400, body: refusal } : { ...fit(request), usage: null }),
      { settings: { endpoint: { retries: 0 } } },
    )
    expect(code).toBe(0)
    expect(report.checks.filter(({ warning }) => warning)).toEqual([])
    expect(requests).toHaveLength(4)
    expect(finding(report, 'spent')).toBe('4 requests to models just now, tokens unknown')
  })

  it('names no other model for one that is on the list, and does not answer', { tags: ['F9'] }, async () => {
    const { report } = await doctorOn(() => ({ status: 500 }), { settings: { endpoint: { retries: 0 } } })
    expect(finding(report, 'model')).toBe('openai:test-model is on the list')
  })

  it('does not test what the settings have off, and says so', { tags: ['F36'] }, async () => {
    const settings = { endpoint: { toolCalling: 'off', structuredOutput: 'off' } } as const
    const { code, report, requests } = await doctorOn(fit, { settings })
    expect([code, requests.length]).toEqual([0, 1])
    expect(finding(report, 'tool calling')).toBe('off (endpoint.toolCalling), and not tested')
    expect(finding(report, 'structured output')).toBe('off (endpoint.structuredOutput), and not tested')
  })

  it('says that what was spent is not known', { tags: ['F32'] }, async () => {
    const { report } = await doctorOn((request) => ({ ...fit(request), usage: null }))
    expect(finding(report, 'spent')).toBe('3 requests to models just now, tokens unknown')
  })

  it('says that an endpoint is down, with host, cause and remedy', { tags: ['F31'] }, async () => {
    const endpoint = await startEndpoint()
    await endpoint.close()
    const { code, report } = await doctor({ OPENAI_BASE_URL: endpoint.url })
    expect(code).toBe(1)
    expect(finding(report, 'endpoint')).toBe(
      `${endpoint.host} refuses the connection (ECONNREFUSED). Is the server running? Check OPENAI_BASE_URL`,
    )
  })

  it('reports an address that is none under the model, and the storage all the same', async () => {
    const open = async (model?: string) => {
      if (model !== 'extractive') throw new ConfigInvalid("The endpoint's base URL cannot be read.")
      return fakeQuaero({ storage }).quaero
    }
    const { code, report } = await doctor({ OPENAI_BASE_URL: 'notaurl' }, open)
    expect(code).toBe(1)
    expect(report).toMatchObject({ storage })
    expect(finding(report, 'storage')).toContain('integrity ok')
    expect(finding(report, 'model')).toBe("The endpoint's base URL cannot be read.")
  })

  it('asks no endpoint where the extractive model is chosen', { tags: ['Q8'] }, async () => {
    const { code, report, journal } = await doctorOn(fit, { model: 'extractive' })
    expect([code, finding(report, 'model')]).toEqual([0, expect.stringContaining('extractive')])
    expect(journal).toEqual([])
  })
})

const noQuota = { status: 429, body: { error: { code: 'insufficient_quota' } } }

/** What a fit endpoint says to each of the questions. */
function fit({ tools, response_format: format }: ChatRequest): EndpointReply {
  if (tools) return { toolCalls: [{ name: 'report_state', args: { state: 'ready' } }] }
  return { content: format ? '{"state": "ready"}' : 'ready' }
}

async function doctorOn(
  script: EndpointScript,
  options: {
    readonly model?: string
    readonly list?: EndpointReply
    readonly offline?: boolean
    readonly settings?: SettingsOverrides
    readonly dataDir?: string
  } = {},
) {
  const { model = 'openai:test-model', list, offline, settings, dataDir } = options
  const endpoint = await startEndpoint(script, list ? { list } : {})
  onTestFinished(endpoint.close)
  const env = { OPENAI_BASE_URL: `${endpoint.url}/`, OPENAI_API_KEY: 'sk-canary-7f3a', QUAERO_MODEL: model }
  const overrides = { ...settings, answer: { readerMark: 0, ...settings?.answer } }
  const result = await doctor(env, undefined, dataDir, { offline, settings: overrides })
  return { ...result, requests: endpoint.requests, journal: endpoint.journal }
}

interface Report {
  readonly ok: boolean
  readonly checks: readonly {
    readonly name: string
    readonly ok: boolean
    readonly warning?: boolean
    readonly message: string
  }[]
  readonly storage: unknown
}

async function doctor(
  env: NodeJS.ProcessEnv,
  open: (model?: string) => Promise<Quaero> = async () => fakeQuaero({ storage }).quaero,
  dataDir?: string,
  { offline, settings = {} }: { readonly offline?: boolean | undefined; readonly settings?: SettingsOverrides } = {},
): Promise<{ code: number; report: Report }> {
  const output = capturedOutput()
  const config = loadConfig({ env, overrides: settings })
  const code = await runWith(doctorCommand, { config: () => config, open }, typedInput(), output, {
    json: true,
    dataDir,
    offline,
  })
  return { code, report: JSON.parse(output.out()) }
}

function finding({ checks }: Report, name: string): string {
  return checks.find((check) => check.name === name)?.message ?? ''
}
