import { describe, expect, it } from 'vitest'
import { openWorkflow } from '../../fixtures/workflow.ts'
import { served } from './served.ts'

async function send() {
  const { quaero } = await openWorkflow({})
  return served(quaero, { origins: ['https://studio.example'] })
}

describe('a request', { tags: ['S14'] }, () => {
  it.each(['http://127.0.0.1:7710', 'https://studio.example'])('from a page of %s is answered', async (origin) => {
    expect((await (await send())('/api/documents', { headers: { origin } })).status).toBe(200)
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

  it('needs no token to see whether the server lives', async () => {
    expect((await (await send())('/ok', { as: null })).status).toBe(200)
  })
})

describe('the cookie of a person', () => {
  it('has a name for each port, since browsers send those of all ports', async () => {
    const names = []
    for (const port of [7710, 7711]) {
      const host = `127.0.0.1:${port}`
      const send = await served((await openWorkflow({})).quaero, { hosts: [host] })
      const cookie = (await send('/api/session', { method: 'POST', headers: { host } })).headers.get('set-cookie') ?? ''
      const [pair = ''] = cookie.split(';')
      expect((await send('/api/documents', { as: null, headers: { host, cookie: pair } })).status).toBe(200)
      names.push(pair.split('=')[0])
    }
    expect(new Set(names).size).toBe(2)
  })
})
