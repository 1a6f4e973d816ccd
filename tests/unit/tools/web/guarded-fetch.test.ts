import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AddressRefused, ToolFailed } from '../../../../src/errors.ts'
import { guardedFetch } from '../../../../src/tools/web/guarded-fetch.ts'

const drips = new Set<NodeJS.Timeout>()
const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/html': (response) => send(response, 'text/html; charset=utf-8', '<p>Grüße</p>'),
  '/latin1': (response) => send(response, 'text/html; charset=ISO-8859-1', Buffer.from('<p>Grüße</p>', 'latin1')),
  '/meta': (response) =>
    send(response, 'text/html', Buffer.from('<meta charset="windows-1252"><p>Grüße</p>', 'latin1')),
  '/odd-charset': (response) => send(response, 'text/plain; charset=x-nonsense', 'plain'),
  '/gzip': (response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(gzipSync('zipped'))
  },
  '/bomb': (response) => {
    response
      .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(50_000_000)))
  },
  '/drip': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    drips.add(setInterval(() => response.write('x'), 5))
  },
  '/silent': () => undefined,
  '/reset': (response) => response.socket?.destroy(),
  '/image': (response) => send(response, 'image/png', 'x'),
  '/no-type': (response) => response.writeHead(200).end('x'),
  '/missing': (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<p>secret detail</p>'),
  '/once': (response) => redirect(response, '/html'),
  '/loop': (response) => redirect(response, '/loop'),
  '/to-metadata': (response) => redirect(response, 'http://169.254.169.254/latest/meta-data/'),
  '/to-decimal': (response) => redirect(response, 'http://2130706433/'),
  '/to-file': (response) => redirect(response, 'file:///etc/passwd'),
  '/to-password': (response) => redirect(response, 'http://a:b@93.184.215.14/'),
  '/to-port': (response) => redirect(response, 'http://93.184.215.14:6379/'),
}

let server: Server
let origin: string

beforeAll(async () => {
  server = createServer((request, response) => pages[request.url ?? '']?.(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  for (const drip of drips) clearInterval(drip)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('a guarded fetch', () => {
  it('reads HTML and text in the encoding that the page names', async () => {
    expect(await read('/html')).toEqual({ url: `${origin}/html`, contentType: 'text/html', text: '<p>Grüße</p>' })
    expect((await read('/latin1')).text).toBe('<p>Grüße</p>')
    expect((await read('/meta')).text).toContain('<p>Grüße</p>')
    expect(await read('/odd-charset')).toMatchObject({ contentType: 'text/plain', text: 'plain' })
    expect((await read('/gzip')).text).toBe('zipped')
  })

  it('follows redirects, and says where it arrived', async () => {
    expect(await read('/once')).toMatchObject({ url: `${origin}/html` })
  })

  it.each(['/to-metadata', '/to-decimal', '/to-file', '/to-password', '/to-port'])(
    'does not follow a redirect inwards (%s)',
    { tags: ['S5'] },
    async (path) => {
      await expect(read(path)).rejects.toThrow(AddressRefused)
    },
  )

  it('tries the other addresses of a name when one does not answer', async () => {
    const port = new URL(origin).port
    const page = await guardedFetch(`http://both.example:${port}/gzip`, {
      ...limits,
      lookup: async () => ['::1', '127.0.0.1'],
      allow: () => true,
    })
    expect(page).toMatchObject({ url: `http://both.example:${port}/gzip`, text: 'zipped' })
  })

  it('gives up after five redirects', { tags: ['S5'] }, async () => {
    await expect(read('/loop')).rejects.toThrow(/redirected more than 5 times/)
  })

  it('stops a gzip bomb at the size limit', { tags: ['S5'] }, async () => {
    await expect(read('/bomb')).rejects.toThrow(/sent more than 1 MB/)
  })

  it('stops a page that drips without end', { tags: ['S5'] }, async () => {
    await expect(read('/drip', { timeoutMs: 150 })).rejects.toThrow(/did not finish answering in 0.15 s/)
  })

  it('stops waiting for a server, or a resolver, that says nothing', { tags: ['S5'] }, async () => {
    await expect(read('/silent', { timeoutMs: 50 })).rejects.toThrow(ToolFailed)
    const unresolved = guardedFetch('http://slow.example/', {
      ...limits,
      timeoutMs: 50,
      lookup: () => new Promise(() => {}),
    })
    await expect(unresolved).rejects.toThrow(/did not finish answering/)
  })

  it('ends with the reason of its abort signal', async () => {
    const controller = new AbortController()
    const attempt = read('/silent', { signal: controller.signal })
    controller.abort(new Error('Stopped by a person'))
    await expect(attempt).rejects.toThrow('Stopped by a person')
    await expect(read('/html', { signal: controller.signal })).rejects.toThrow('Stopped by a person')
  })

  it.each([
    ['/image', /sent image\/png; only HTML and text are read/],
    ['/no-type', /no named type/],
    ['/missing', /answered with status 404/],
    ['/reset', /could not be reached: it closed the connection/],
  ])('says what is wrong with %s', async (path, sentence) => {
    const attempt = read(path)
    await expect(attempt).rejects.toThrow(ToolFailed)
    await expect(attempt).rejects.toThrow(sentence)
    await expect(attempt).rejects.not.toThrow(/secret detail/)
  })

  it('says that a host does not exist', async () => {
    const lookup = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))
    await expect(guardedFetch('https://nowhere.example/', { ...limits, lookup })).rejects.toThrow(
      'nowhere.example could not be reached: no such host.',
    )
  })
})

const limits = { signal: new AbortController().signal, timeoutMs: 10_000, maxBytes: 1_000_000 }

/** The server on this machine plays a public one. */
function read(path: string, options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {}) {
  const port = Number(new URL(origin).port)
  return guardedFetch(`${origin}${path}`, {
    ...limits,
    ...options,
    allow: (address, asked) => address === '127.0.0.1' && asked === port,
  })
}

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': type }).end(body)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end()
}
