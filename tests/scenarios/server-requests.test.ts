import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problemsOf } from '../fixtures/reply-problems.ts'
import { openServer, type RunningServer, tokens } from '../fixtures/running-server.ts'
import { pathOf, servedRoutes } from '../fixtures/served-routes.ts'
import { papers } from '../fixtures/workflow.ts'

let folder = ''
let server: RunningServer
const ids = {
  runId: 'r',
  run: 'r',
  checkpoint: 'r',
  threadId: 't',
  thread: 't',
  id: 't',
  documentId: 'abcd1234',
  page: '1',
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attacked-'))
  for (const [name, text] of Object.entries(papers)) await writeFile(join(folder, name), text)
  server = await openServer({ cwd: folder })
}, 60_000)

afterAll(async () => {
  const { err } = await server.close()
  expect(err.slice(0, 4000)).not.toMatch(/\n\s+at /)
  await rm(folder, { recursive: true, force: true })
})

/** Everything that a server says to these bytes. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  let text = ''
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece
  })
  // Not ended: a server gives up what its client has ended.
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  return text
}

describe('the name of the host', { tags: ['S14'] }, () => {
  const port = () => server.port
  const forms = (): readonly string[] => [
    'evil.example',
    `evil.example:${port()}`,
    `127.0.0.1.evil.example:${port()}`,
    `localhost.evil.example:${port()}`,
    `evil.example@127.0.0.1:${port()}`,
    `127.0.0.1:${port()}@evil.example`,
    `127.0.0.1:${port() + 1}`,
    '127.0.0.1',
    'localhost',
    `0.0.0.0:${port()}`,
    `2130706433:${port()}`,
    `0x7f.0.0.1:${port()}`,
    `127.1:${port()}`,
    `[::ffff:127.0.0.1]:${port()}`,
    `[::]:${port()}`,
    `127.0.0.1:${port()}.`,
    `127.0.0.1:${port()}, evil.example`,
    `localhost:${port()}/../`,
    `xn--evil:${port()}`,
    'null',
  ]

  it.each(Array.from({ length: 20 }, (_, index) => index))('of form %i is refused', async (index) => {
    const host = forms()[index] ?? ''
    for (const path of ['/', '/ok', '/api/documents', '/mcp']) {
      const text = await raw(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens.alice}\r\nConnection: close\r\n\r\n`,
      )
      expect([host, path, text.split('\r\n')[0]]).toEqual([host, path, expect.stringMatching(/ (400|403) /)])
      expect(text).toMatch(/content-security-policy: default-src 'none'/i)
      expect(text).not.toContain('documentId')
    }
  })
})

describe('the page that a request comes from', { tags: ['S14'] }, () => {
  const origins = [
    'https://evil.example',
    'http://evil.example',
    'null',
    'file://',
    'http://127.0.0.1',
    'http://localhost',
    'http://127.0.0.1:1',
    'https://127.0.0.1.evil.example',
    'http://evil.example/127.0.0.1',
    'chrome-extension://abcdef',
    'http://[::1]',
    'http://user@127.0.0.1',
    'about:blank',
    'data:text/html,x',
    '*',
    'x',
    'http://',
    'http:// 127.0.0.1',
    '//127.0.0.1',
    'javascript:0',
  ]

  it.each(origins)('is refused where it is %j', async (origin) => {
    for (const [method, path] of [
      ['GET', '/api/documents'],
      ['POST', '/api/ask'],
      ['GET', '/'],
      ['POST', '/mcp'],
    ] as const) {
      const reply = await server.send(method, path, { headers: { origin }, ...(method === 'POST' && { body: {} }) })
      expect([path, reply.status, problemsOf(reply, server, folder)]).toEqual([path, 403, []])
    }
  })

  it('is this server itself, where the page is', async () => {
    const headers = { origin: server.origin, 'sec-fetch-site': 'same-origin' }
    expect((await server.send('GET', '/api/documents', { headers })).status).toBe(200)
  })

  it('cannot use the cookie of a person: no route, no kind of body', async () => {
    const cookie = `quaero_token_${new URL(server.origin).port}=${tokens.alice}`
    const kinds = [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/json',
    ]
    for (const route of servedRoutes()) {
      const [method = ''] = route.split(' ')
      const path = pathOf(route, ids)
      for (const type of method === 'GET' ? [] : kinds) {
        const headers = { cookie, 'content-type': type, origin: 'https://evil.example' }
        const reply = await server.send(method, path, { as: null, body: '{"question":"Who?"}', headers })
        expect([route, type, reply.status]).toEqual([route, type, 403])
      }
      const reply = await server.send(method, path, { as: null, headers: { cookie, 'sec-fetch-site': 'cross-site' } })
      const isOpen = /^GET \/(?:|ok|ready|assets\/\*)$/.test(route)
      expect([route, isOpen || reply.status === 403]).toEqual([route, true])
    }
  })

  it('sends JSON and says so, also without the name of a page', async () => {
    for (const route of servedRoutes().filter((each) => !/^GET|^POST \/api\/documents$/.test(each))) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
        const [method = ''] = route.split(' ')
        const reply = await server.send(method, pathOf(route, ids), { body: '{}', headers: { 'content-type': type } })
        expect([route, type, reply.status, problemsOf(reply, server, folder)]).toEqual([route, type, 415, []])
      }
    }
  })
})

describe('a body', () => {
  const deep = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`
  const bodies: Readonly<Record<string, readonly [string, number]>> = {
    'that is cut': ['{"question":', 400],
    'of another form': ['<xml/>', 400],
    'with characters that are none': ['\u0000\u0001', 400],
    'with two values': ['{}{}', 400],
    'with bare words': ['{question: "Who?"}', 400],
    'of nested lists': [deep('[', ']'), 400],
    'of nested objects': [deep('{"a":', '}'), 400],
    'of two megabytes': [JSON.stringify({ question: 'x'.repeat(2_000_000) }), 413],
  }

  it.each(Object.keys(bodies))('%s is refused on every route', async (name) => {
    const [body, status] = bodies[name] ?? ['', 0]
    for (const route of servedRoutes().filter((each) => !/^GET|^POST \/api\/documents$/.test(each))) {
      const headers = { 'content-type': 'application/json' }
      const reply = await server.send(route.split(' ')[0] ?? '', pathOf(route, ids), { body, headers })
      expect([route, reply.status, problemsOf(reply, server, folder)]).toEqual([route, status, []])
    }
  })

  it.each<unknown>([
    null,
    [],
    'text',
    0,
    true,
    { question: null },
    { __proto__: null, constructor: 1 },
    { toString: 'x' },
  ])('of the wrong shape (%j) is refused, or read as empty', async (body) => {
    for (const route of servedRoutes().filter((each) => !/^GET|^POST \/api\/documents$/.test(each))) {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const sent = { body: JSON.stringify(body), headers }
      const reply = await server.send(route.split(' ')[0] ?? '', pathOf(route, ids), sent)
      expect([route, problemsOf(reply, server, folder)]).toEqual([route, []])
    }
  })

  it('without a length is read, and not beyond what a request may have', async () => {
    const send = (pieces: readonly string[]) => {
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
      return raw(
        `POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${tokens.alice}\r\n` +
          `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`,
      )
    }
    expect(await send(['{"question":', '"How many pages does the Marble corpus hold?"}'])).toMatch(/^HTTP\/1.1 200 /)
    expect(await send(Array.from({ length: 20 }, () => 'x'.repeat(100_000)))).toMatch(/^HTTP\/1.1 413 /)
  })
})

describe('headers', () => {
  it.each([
    ['huge ones', { 'x-large': 'x'.repeat(60_000) }],
    ['thousands of them', Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`x-${index}`, 'xxxxxx']))],
  ])('are refused where there are %s', async (_, headers) => {
    const { status, text } = await server.send('GET', '/api/documents', { headers })
    expect([status, text]).toEqual([431, ''])
  })

  it.each([
    'GET / HTTP/1.1\r\n\r\n',
    'GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'GET \\..\\..\\etc HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    'BREW / HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX: \u0000\r\n\r\n',
    '\u0016\u0003\u0001',
  ])('that are none (%j) get no more than a refusal', async (bytes) => {
    const text = await raw(bytes)
    expect(text).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/)
    expect(text).not.toMatch(/\n\s+at |node:|\/work|\/tmp/)
  })

  it('of an answered request hold no name of the program behind', async () => {
    const { headers } = await server.send('GET', '/api/documents')
    expect(Object.keys(headers).filter((name) => /server|powered/.test(name))).toEqual([])
  })
})
