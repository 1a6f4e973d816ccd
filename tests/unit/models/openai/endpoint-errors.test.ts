import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectionError } from '../../../../src/models/openai/endpoint.ts'
import { clean, readProblem, refusalError, retryAfterMs } from '../../../../src/models/openai/endpoint-errors.ts'

const refusal = {
  host: 'models.example',
  model: 'm',
  status: 400,
  code: null,
  message: null,
  retryAfterMs: undefined,
  hasKey: true,
  characters: 4000,
  models: null,
  chosenWith: '--model',
}

describe('a refusal', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'is known by its status, whatever else its code "%s" is',
    (code) => {
      expect(refusalError({ ...refusal, status: 401, code })).toMatchObject({ code: 'key_rejected' })
      expect(refusalError({ ...refusal, status: 500, code })).toMatchObject({ code: 'endpoint_unavailable' })
    },
  )
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '-3' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2032 00:00:05 GMT', date: 'Thu, 01 Jan 2032 00:00:00 GMT' }, 5000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{}, undefined],
  ] as const)('%j is %s ms', { tags: ['F33'] }, (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected)
  })

  it('is never negative, whatever a server sends', { tags: ['F33'] }, () => {
    const value = fc.oneof(
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    )
    const property = fc.property(value, fc.nat(), (text, at) => {
      expect(retryAfterMs(new Headers({ 'retry-after': text }), at) ?? 0).toBeGreaterThanOrEqual(0)
    })
    fc.assert(property)
  })
})

describe('a server’s error object', () => {
  it('is cut when the key is out of its words, and what is shaped like one', { tags: ['T10'] }, () => {
    const own = 'sk-planted-9f8e7d6c5b-9f8e7d6c5b-9f8e7d6c5b'
    expect(clean(`${'x'.repeat(280)} ${own}`)).toBe(`${'x'.repeat(280)} [redacted]`)
    const said = readProblem({ error: { message: `${'x'.repeat(280)} Quince-Canary-4711-Quince` } })?.message ?? ''
    expect(clean(said.replaceAll('Quince-Canary-4711-Quince', '[key]'))).toBe(`${'x'.repeat(280)} [key]`)
  })

  it.each([
    [{ error: { message: 'No', type: 'invalid_request_error', code: 'model_not_found' } }, 'model_not_found', 'No'],
    [{ error: { message: 'No', type: 'insufficient_quota', code: 429 } }, 'insufficient_quota', 'No'],
    [{ error: 'No' }, null, 'No'],
    [[{ error: { message: 'No', code: 503 } }], null, 'No'],
    [{ object: 'error', message: 'No', type: 'BadRequestError' }, 'BadRequestError', 'No'],
    [{ detail: 'No' }, null, 'No'],
    [{ detail: [{ loc: ['body'] }] }, null, '[{"loc":["body"]}]'],
  ])('is read in the form %j', (body, code, message) => {
    expect(readProblem(body)).toMatchObject({ code, message })
  })

  it.each([{ choices: [] }, { error: null }, { error: '' }, null, 'text', [], 7])('is not seen in %j', (body) => {
    expect(readProblem(body)).toBeNull()
  })

  it('is one clean line of bounded length', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 1000 }), (text) => {
      expect(clean(text)).toMatch(/^[^\p{Cc}]*$/u)
      expect(clean(text).length).toBeLessThanOrEqual(301)
    })
    fc.assert(property)
    expect(clean('\u001b[31mred\u001b[0m\r\n alert')).toBe('[31mred [0m alert')
  })
})

describe('a refusal', () => {
  it('says where to look when the server lists no models', { tags: ['F9'] }, () => {
    expect(refusalError({ ...refusal, status: 404 }).message).toBe(
      'models.example has no model "m" (404). Check OPENAI_BASE_URL (it often ends in /v1). Choose with --model',
    )
  })

  it('lists ten models of many', { tags: ['F9'] }, () => {
    const models = Array.from({ length: 12 }, (_, n) => `m${n}`)
    expect(refusalError({ ...refusal, status: 404, models }).message).toContain('m9 and 2 more')
  })

  it('says how much was sent', { tags: ['F10'] }, () => {
    expect(refusalError({ ...refusal, code: 'context_length_exceeded' }).message).toContain(
      '4000 characters, about 1000 tokens',
    )
  })

  it.each([
    [408, 'endpoint_timeout'],
    [413, 'context_too_long'],
    [502, 'endpoint_unavailable'],
    [504, 'endpoint_timeout'],
    [529, 'endpoint_unavailable'],
    [418, 'request_rejected'],
    [301, 'endpoint_incompatible'],
  ])('of status %s is %s', (status, code) => {
    expect(refusalError({ ...refusal, status })).toMatchObject({ code })
  })
})

describe('a request without an answer', () => {
  const failed = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new AggregateError([], 'all addresses'), { code }) })

  it.each([
    ['ECONNREFUSED', 'endpoint_unavailable', 'Is the server running?'],
    ['EAI_AGAIN', 'endpoint_unavailable', 'Check your network'],
    ['ECONNRESET', 'endpoint_unavailable', 'closed the connection'],
    ['CERT_HAS_EXPIRED', 'endpoint_unavailable', 'NODE_EXTRA_CA_CERTS'],
    ['EHOSTUNREACH', 'endpoint_unavailable', 'cannot be reached (EHOSTUNREACH)'],
    ['UND_ERR_CONNECT_TIMEOUT', 'endpoint_timeout', 'did not answer in time'],
  ])('names the host and %s', { tags: ['F30'] }, (cause, code, words) => {
    const error = connectionError(failed(cause), 'models.example')
    expect(error).toMatchObject({ code, retryable: true })
    expect(error.message).toMatch(/^models\.example /)
    expect(error.message).toContain(words)
  })
})
