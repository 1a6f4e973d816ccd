import { describe, expect, it } from 'vitest'
import { openWorkflow } from '../../fixtures/workflow.ts'
import { served } from './served.ts'

async function send() {
  const { quaero } = await openWorkflow({})
  return served(quaero, { origins: ['https://studio.example'] })
}

describe('a request', { tags: ['S14'] }, () => {
  it.each([
    ['another name', { host: 'evil.example' }],
    ['another name with the right port', { host: 'evil.example:7710' }],
    ['another port', { host: '127.0.0.1:80' }],
    ['no name', { host: '' }],
  ])('that calls the server by %s is refused', async (_, headers) => {
    const response = await (await send())('/api/documents', { headers })
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'host_refused' } }])
  })

  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'from a page elsewhere is refused, also as %s',
    async (type) => {
      const headers = { origin: 'https://evil.example', 'content-type': type }
      const response = await (await send())('/api/ask', { method: 'POST', body: '{"question":"Who?"}', headers })
      expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'origin_refused' } }])
    },
  )

  it.each(['http://127.0.0.1:7710', 'https://studio.example'])('from a page of %s is answered', async (origin) => {
    expect((await (await send())('/api/documents', { headers: { origin } })).status).toBe(200)
  })

  it('from a page whose origin is hidden is refused', async () => {
    expect((await (await send())('/api/documents', { headers: { origin: 'null' } })).status).toBe(403)
  })

  it.each([
    ['no token', {}, 'token_missing'],
    ['a wrong token', { authorization: 'Bearer wrong-wrong-wrong-wrong' }, 'token_refused'],
    ['half a token', { authorization: 'Bearer alice-has-this' }, 'token_refused'],
    ['a token in another scheme', { authorization: 'Basic alice-has-this-token' }, 'token_missing'],
  ])('with %s is refused, on every route, and told so', async (_, headers, code) => {
    const asking = await send()
    for (const path of ['/api/documents', '/api/threads', '/api/runs', '/api/openapi.json', '/metrics', '/none']) {
      const response = await asking(path, { as: null, headers })
      expect([path, response.status, await response.json()]).toMatchObject([path, 401, { error: { code } }])
    }
  })

  it('may bring its token as X-Api-Key or in the cookie that it gets for it', async () => {
    const asking = await send()
    const token = 'alice-has-this-token'
    expect((await asking('/api/documents', { as: null, headers: { 'x-api-key': token } })).status).toBe(200)
    const session = await asking('/api/session', { method: 'POST' })
    const cookie = session.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/SameSite=Strict/)
    const [pair = ''] = cookie.split(';')
    expect((await asking('/api/documents', { as: null, headers: { cookie: pair } })).status).toBe(200)
  })

  it('of more than a megabyte is refused', async () => {
    const response = await (await send())('/api/ask', { body: { question: 'x'.repeat(1_100_000) } })
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: 'too_large' } }])
  })

  it('needs no token to see whether the server lives', async () => {
    expect((await (await send())('/ok', { as: null })).status).toBe(200)
  })

  it('is answered with headers that let nothing foreign run, frame or keep it', async () => {
    const { headers } = await (await send())('/api/documents')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})
