import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { hasOpenssl, selfSigned } from '../../../fixtures/certificates.ts'
import {
  type EndpointReply,
  type EndpointScript,
  startEndpoint,
  type TestEndpoint,
} from '../../../fixtures/openai-endpoint.ts'
import { ask, callWithRetry, modelOn } from './model-call.ts'

const answer: EndpointReply = { content: 'It reaches 87.2 % (Zhang et al., 2021).' }
/** Short enough to wait for, long enough for an honest answer on a busy machine. */
const patience = { headersTimeoutSeconds: 1.5, idleTimeoutSeconds: 1.5 }

let endpoint: TestEndpoint
afterEach(() => endpoint?.close())

async function call(script: EndpointScript, options: Parameters<typeof modelOn>[1] = {}) {
  endpoint = await startEndpoint(script)
  const outcome = await callWithRetry(modelOn(endpoint, options))
  expect(endpoint.journal.length).toBeLessThanOrEqual(3)
  expect(inspect(outcome, { depth: 9 })).not.toContain('sk-canary')
  return outcome
}

describe('a model call that fails for a moment', () => {
  it('waits as long as Retry-After asks, says so, then answers', { tags: ['F1'] }, async () => {
    const { reply, waits, retried } = await call([{ status: 429, headers: { 'retry-after': '2' } }, answer])
    expect(reply?.text).toBe(answer.content)
    expect(waits).toEqual([2000])
    expect(retried).toMatchObject([{ code: 'rate_limited', attempt: 1, of: 2, waitMs: 2000 }])
    expect(retried[0]?.message).toContain(endpoint.host)
    expect(retried[0]?.message).toContain('asks to wait 2 s')
  })

  it('waits 1, then 2 s after a 429 that names no time', { tags: ['F2'] }, async () => {
    const { reply, waits } = await call([{ status: 429 }, { status: 429 }, answer])
    expect(reply?.text).toBe(answer.content)
    expect(waits).toEqual([1000, 2000])
  })

  it('answers after a single 500', { tags: ['F5'] }, async () => {
    const { reply, retried } = await call([{ status: 500 }, answer])
    expect(reply?.text).toBe(answer.content)
    expect(retried).toHaveLength(1)
  })

  it.each<readonly [title: string, fault: EndpointReply, code: string]>([
    ['an empty body', { status: 200, body: '' }, 'endpoint_incompatible'],
    ['malformed JSON', { status: 200, body: '{"choices": [{"mess' }, 'endpoint_incompatible'],
    ['a reset before the headers', { reset: 'before' }, 'endpoint_unavailable'],
    ['a reset in the middle of the stream', { ...answer, reset: 'middle' }, 'stream_truncated'],
    ['a stream that ends without a finish reason', { ...answer, cutAfter: 20 }, 'stream_truncated'],
    ['a whole text without a finish reason', { ...answer, noFinish: true }, 'stream_truncated'],
    [
      'tool-call arguments that are cut',
      { toolCalls: [{ name: 'read_page', args: { url: 'https://example.org/a/b' } }], cutAfter: 12 },
      'stream_truncated',
    ],
    ['no headers in time', { stall: 'before' }, 'endpoint_timeout'],
    ['a stall in the middle of the stream', { ...answer, stall: 'middle' }, 'endpoint_timeout'],
    ['a chunk that is not valid JSON', { raw: 'data: {"choices":[{"delta":{"con\n\n' }, 'stream_truncated'],
  ])(
    '%s is tried again',
    { tags: ['F12', 'F17', 'F18', 'F19', 'F20', 'F21', 'F22', 'F25'] },
    async (_, fault, code) => {
      const { reply, retried } = await call([fault, answer], { endpoint: patience })
      expect(reply?.text).toBe(answer.content)
      expect(reply?.response_metadata.finish_reason).toBe('stop')
      expect(retried).toMatchObject([{ code, attempt: 1, of: 2, waitMs: 1000 }])
      expect(retried[0]?.message).toContain(endpoint.host)
    },
  )

  it('takes a Retry-After date in the past for no wait at all', { tags: ['F33'] }, async () => {
    const { reply, waits } = await call([
      { status: 503, headers: { 'retry-after': 'Fri, 01 Jan 2021 00:00:00 GMT' } },
      answer,
    ])
    expect(reply?.text).toBe(answer.content)
    expect(waits).toEqual([0])
  })
})

describe('a model call that keeps failing', () => {
  it('does not wait ten minutes but gives up at once and says why', { tags: ['F3'] }, async () => {
    const { error, waits } = await call(() => ({ status: 429, headers: { 'retry-after': '600' } }))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 600_000 })
    expect(error?.message).toContain('asks to wait 10 min')
    expect(waits).toEqual([])
    expect(endpoint.requests).toHaveLength(1)
  })

  it('ends after three requests', { tags: ['F6'] }, async () => {
    const { error, waits } = await call(() => ({ status: 500, body: { error: { message: 'Internal trouble.' } } }))
    expect(error).toMatchObject({ code: 'endpoint_unavailable' })
    expect(error?.message).toBe(`500 from ${endpoint.host}: Internal trouble`)
    expect(waits).toEqual([1000, 2000])
    expect(endpoint.requests).toHaveLength(3)
  })

  it.each<readonly [title: string, fault: EndpointReply, code: string, words: string]>([
    ['a 503 with a web page', { status: 503, body: '<html><h1>Sorry</h1></html>' }, 'endpoint_unavailable', '503 from'],
    ['a web page with 200', { html: '<!doctype html><h1>Sign in</h1>' }, 'endpoint_incompatible', 'OpenAI-compatible'],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://portal.example/' } },
      'endpoint_incompatible',
      'redirects',
    ],
    ['JSON of another kind', { json: { hello: 'world', choices: 7 } }, 'endpoint_incompatible', 'another kind'],
    ['no choices', { json: { choices: [] } }, 'endpoint_incompatible', 'no choices'],
    ['an error with 200', { json: { error: { message: 'Boom' } } }, 'endpoint_incompatible', 'Boom'],
    [
      'only chunks without choices',
      { raw: 'data: {"choices":[]}\n\ndata: [DONE]\n\n' },
      'endpoint_incompatible',
      'without any choice',
    ],
    ['neither text nor tool call', { content: null }, 'endpoint_incompatible', 'without a word'],
    [
      'an error event in the stream',
      { raw: 'event: error\ndata: {"error":{"message":"Overloaded"}}\n\n' },
      'endpoint_unavailable',
      'Overloaded',
    ],
    ['no chunks', { raw: '' }, 'endpoint_incompatible', 'an empty body'],
    ['nothing but the end', { raw: 'data: [DONE]\n\n' }, 'endpoint_incompatible', 'no chunk of an answer'],
  ])(
    '%s is a typed error that names the host',
    { tags: ['F7', 'F11', 'F12', 'F13', 'F14', 'F24', 'F28'] },
    async (_, fault, code, words) => {
      const { error } = await call(() => fault)
      expect(error).toMatchObject({ code })
      expect(error?.message).toContain(endpoint.host)
      expect(error?.message).toContain(words)
      expect(error?.message).not.toMatch(/<\w/)
    },
  )

  it('names the host, the cause and the remedy when nothing listens', { tags: ['F31'] }, async () => {
    endpoint = await startEndpoint()
    await endpoint.close()
    const { error, retried } = await callWithRetry(modelOn(endpoint))
    expect(error).toMatchObject({ code: 'endpoint_unavailable' })
    expect(error?.message).toBe(
      `${endpoint.host} refuses the connection (ECONNREFUSED). Is the server running? Check OPENAI_BASE_URL`,
    )
    expect(retried).toHaveLength(2)
  })

  it('names the host and the cause when the server speaks no TLS', { tags: ['F30'] }, async () => {
    endpoint = await startEndpoint([answer])
    const chat = modelOn({ url: endpoint.url.replace('http:', 'https:') })
    const { error } = await callWithRetry(chat, { retries: 0 })
    expect(error).toMatchObject({ code: 'endpoint_unavailable' })
    expect(error?.message).toMatch(/^127\.0\.0\.1:\d+ offers no secure connection that can be trusted \(ERR_SSL/)
  })

  it.skipIf(!hasOpenssl())('names the host and the cause of a self-signed certificate', { tags: ['F30'] }, async () => {
    const certificate = selfSigned(mkdtempSync(join(tmpdir(), 'quaero-tls-')))
    const server = createServer(certificate, (_, response) => response.end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const { error } = await callWithRetry(modelOn({ url: `https://127.0.0.1:${port}/v1` }), { retries: 0 })
    server.close()
    expect(error).toMatchObject({ code: 'endpoint_unavailable' })
    expect(error?.message).toContain(`127.0.0.1:${port} offers no secure connection`)
    expect(error?.message).toContain('SELF_SIGNED_CERT')
    expect(error?.message).toContain('NODE_EXTRA_CA_CERTS')
  })

  it('names a host that is not known', { tags: ['F30'] }, async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND models.invalid'), { code: 'ENOTFOUND' })
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
    const { error } = await callWithRetry(modelOn({ url: 'http://models.invalid/v1' }, { fetch }), { retries: 0 })
    expect(error?.message).toBe(
      'models.invalid is not a known host name (ENOTFOUND). Check OPENAI_BASE_URL and your network',
    )
  })
})

describe('a model call that is refused', () => {
  it.each<readonly [title: string, status: number, error: object, code: string, words: string]>([
    [
      'an account without quota',
      429,
      { code: 'insufficient_quota', message: 'Out.' },
      'quota_exhausted',
      'out of quota',
    ],
    ['a balance that is used up', 402, { message: 'Insufficient Balance' }, 'quota_exhausted', 'Insufficient Balance'],
    ['a rejected key', 401, { message: 'Incorrect key: sk-canary-7f3a' }, 'key_rejected', 'Set OPENAI_API_KEY'],
    ['a forbidden model', 403, { message: 'No access' }, 'key_rejected', 'Set OPENAI_API_KEY'],
    [
      'too long a context',
      400,
      { code: 'context_length_exceeded', message: 'Limit 8192, got 9000' },
      'context_too_long',
      'Limit 8192, got 9000',
    ],
    [
      'the same by vLLM',
      400,
      { message: "This model's maximum context length is 4096 tokens." },
      'context_too_long',
      'about',
    ],
    ['a bad request', 422, { message: 'temperature: too high' }, 'request_rejected', 'temperature: too high'],
  ])('%s is not tried again', { tags: ['F4', 'F8', 'F10'] }, async (_, status, error, code, words) => {
    const outcome = await call(() => ({ status, body: { error } }))
    expect(outcome.error).toMatchObject({ code, retryable: false })
    expect(outcome.error?.message).toContain(endpoint.host)
    expect(outcome.error?.message).toContain(words)
    expect(endpoint.requests).toHaveLength(1)
    expect(outcome.retried).toEqual([])
  })

  it('asks for a key where none was sent', { tags: ['F8'] }, async () => {
    const { error } = await call([{ status: 401 }], { apiKey: null })
    expect(error?.message).toBe(`${endpoint.host} asks for a key (401). Set OPENAI_API_KEY`)
    expect(endpoint.journal[0]?.headers).not.toHaveProperty('authorization')
  })

  it('names the model that is not there, and those that are', { tags: ['F9'] }, async () => {
    const { error } = await call([{ status: 404, body: { error: { code: 'model_not_found' } } }])
    expect(error).toMatchObject({ code: 'model_not_found' })
    expect(error?.message).toBe(
      `${endpoint.host} has no model "test-model" (404). It offers: test-model, test-model-large. Choose with --model`,
    )
  })

  it('a withheld answer is stated, not empty', { tags: ['F16'] }, async () => {
    const { error } = await call([{ content: 'I', finishReason: 'content_filter' }])
    expect(error).toMatchObject({ code: 'content_filtered' })
    expect(error?.message).toContain('content filter')
  })

  it('an answer without end is cut off at the limit, and not asked for again', { tags: ['F29'] }, async () => {
    const { error } = await call(() => ({ raw: Buffer.alloc(1_200_000, 'data: x') }), {
      endpoint: { maxAnswerMegabytes: 0.001 },
    })
    expect(error).toMatchObject({ code: 'answer_too_large' })
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe('an odd but whole answer', () => {
  it('shows the text of a refusal', { tags: ['F14'] }, async () => {
    const { reply } = await call([{ content: null, refusal: 'I cannot help with that.' }])
    expect(reply?.text).toBe('I cannot help with that.')
    expect(reply?.response_metadata.finish_reason).toBe('refusal')
  })

  it('says that it was cut at its length limit', { tags: ['F15'] }, async () => {
    const { reply } = await call([{ content: 'It reaches', finishReason: 'length' }])
    expect(reply?.text).toBe('It reaches')
    expect(reply?.response_metadata.finish_reason).toBe('length')
  })

  it('is read without [DONE], with CRLF, comments and split UTF-8', { tags: ['F26'] }, async () => {
    const raw = [
      ': keep-alive',
      '',
      'data: {"choices":[{"index":0,"delta":{"content":"87,2 % – Straße 🙂"}}]}',
      '',
      'event: ping',
      'data: {"choices":[]}',
      '',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
    ].join('\r\n')
    const { reply } = await call([{ raw }])
    expect(reply?.text).toBe('87,2 % – Straße 🙂')
  })

  it('is accepted as a JSON body on a stream request', { tags: ['F27'] }, async () => {
    const calls = [{ id: 'c1', name: 'pdf_retrieval', args: { query: 'accuracy' } }]
    const { reply } = await call([{ content: 'Let me look.', toolCalls: calls, json: true }])
    expect(reply?.text).toBe('Let me look.')
    expect(reply?.tool_calls).toMatchObject(calls)
    expect(reply?.usage_metadata).toMatchObject({ input_tokens: 100, output_tokens: 10 })
  })

  it('has unknown usage where the endpoint does not count', { tags: ['F32'] }, async () => {
    const { reply } = await call([{ ...answer, usage: null }])
    expect(reply?.usage_metadata).toBeUndefined()
    await endpoint.close()
    const zeros = await call([{ ...answer, usage: { prompt_tokens: 0, completion_tokens: 0 } }])
    expect(zeros.reply?.usage_metadata).toBeUndefined()
  })

  it('counts as whole once its finish reason is there, whatever happens to the connection', async () => {
    const raw = 'data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\ndata: {"usage":'
    const { reply, retried } = await call([{ raw }])
    expect(reply?.text).toBe('Yes.')
    expect(retried).toEqual([])
  })
})

describe('a connection', () => {
  it('is closed when a stream stalls', { tags: ['F22'] }, async () => {
    const { error } = await call(() => ({ ...answer, stall: 'middle' }), { endpoint: { idleTimeoutSeconds: 0.1 } })
    expect(error).toMatchObject({ code: 'endpoint_timeout' })
    expect(error?.message).toBe(`${endpoint.host} stopped in the middle of its answer and was silent for 0.1 s`)
    await endpoint.idle()
  })

  it.each(['before', 'middle'] as const)('is closed when the run is stopped (%s)', { tags: ['F23'] }, async (stall) => {
    endpoint = await startEndpoint([{ ...answer, stall }])
    const controller = new AbortController()
    const asked = ask(modelOn(endpoint), undefined, { signal: controller.signal })
    while (endpoint.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const reason = new Error('The run takes too long')
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
    await endpoint.idle()
  })

  it('is closed when the run stops an answer that drips for ever', { tags: ['F23'] }, async () => {
    endpoint = await startEndpoint([{ ...answer, drip: true }])
    const controller = new AbortController()
    const reason = new Error('The run takes too long')
    let pieces = 0
    const read = async () => {
      for await (const _ of await modelOn(endpoint).model.stream('Hi', { signal: controller.signal })) {
        pieces += 1
        if (pieces === 50) controller.abort(reason)
      }
    }
    await expect(read()).rejects.toBe(reason)
    await endpoint.idle()
  })

  it.each<readonly [string, EndpointReply]>([
    ['no headers come', { stall: 'before' }],
    ['headers come and no more', { raw: '', stall: 'middle' }],
  ])(
    'is closed at the end of the retry budget where %s, however long others may wait',
    { tags: ['F21'] },
    async (_, fault) => {
      endpoint = await startEndpoint([fault])
      const call = ask(modelOn(endpoint), undefined, { beginWithinMs: 200 })
      await expect(call).rejects.toMatchObject({
        code: 'endpoint_timeout',
        message: `${endpoint.host} did not begin to answer and was silent for 0.2 s`,
      })
      await endpoint.idle()
    },
  )

  it('is left open at the end of the retry budget where the answer has begun', { tags: ['F22'] }, async () => {
    const within = 1000
    const secondHalf = new Promise((resolve) => setTimeout(resolve, 1.5 * within))
    endpoint = await startEndpoint([{ ...answer, secondHalf }])
    const reply = await ask(modelOn(endpoint), undefined, { beginWithinMs: within })
    expect(reply.text).toBe(answer.content)
  })

  it('is closed where the words of a refusal do not come to an end', { tags: ['F7'] }, async () => {
    endpoint = await startEndpoint([{ status: 503, stallsIn: '{"error":' }])
    await expect(ask(modelOn(endpoint, { endpoint: { idleTimeoutSeconds: 0.2 } }))).rejects.toMatchObject({
      code: 'endpoint_unavailable',
      message: `503 from ${endpoint.host}`,
    })
    await endpoint.idle()
  })

  it('is closed when the reader leaves early', async () => {
    endpoint = await startEndpoint([{ content: 'word '.repeat(2000), stall: 'middle' }])
    for await (const chunk of await modelOn(endpoint).model.stream('Go on')) if (chunk.text) break
    await endpoint.idle()
  })

  it('is not opened for a call that is stopped already', async () => {
    endpoint = await startEndpoint([answer])
    const reason = new Error('Stopped')
    await expect(ask(modelOn(endpoint), undefined, { signal: AbortSignal.abort(reason) })).rejects.toThrow()
    expect(endpoint.journal).toEqual([])
  })
})
