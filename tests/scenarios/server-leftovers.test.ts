import { mkdtemp, readdir, readFile, readlink, rm, truncate, unlink, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServer, type RunningServer, tokens } from '../fixtures/running-server.ts'
import { papers } from '../fixtures/workflow.ts'

const within = { timeout: 20_000 }

let folder = ''
let server: RunningServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'left-over-'))
  for (const [name, text] of Object.entries(papers)) await writeFile(join(folder, name), text)
  server = await openServer({ cwd: folder })
}, 60_000)
afterAll(async () => {
  const { err } = await server.close()
  expect(err).not.toMatch(/\n\s+at |aborted/)
  await rm(folder, { recursive: true, force: true })
})

/** What the server has open: the path of each file. */
async function filesOpen(): Promise<readonly string[]> {
  const fds = `/proc/${server.child.pid}/fd`
  const paths = await Promise.all((await readdir(fds)).map((fd) => readlink(join(fds, fd)).catch(() => '')))
  return paths.filter((path) => path.startsWith('/') && !path.startsWith('/dev/'))
}

/** Bytes that the server has read, from files and connections. */
async function bytesRead(): Promise<number> {
  return Number(/rchar: (\d+)/.exec(await readFile(`/proc/${server.child.pid}/io`, 'utf8'))?.[1])
}

/** Megabytes of memory that the server has. */
async function megabytes(): Promise<number> {
  const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function documents(): Promise<readonly { documentId: string; source: string }[]> {
  return JSON.parse((await server.send('GET', '/api/documents')).text).documents
}

/** A connection on which a request begins, and whose body does not come to its end. */
function beginBody(path: string, { token = '', bytes }: { readonly token?: string; readonly bytes: number }): Socket {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  const sign = token && `Authorization: Bearer ${token}\r\n`
  const length = `Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${sign}${length}{"question":"`)
  socket.write('x'.repeat(bytes))
  return socket
}

describe('HEAD', () => {
  it('is answered as GET is, and leaves no file open', async () => {
    // Longer than what is read before anybody asks for it.
    const book = 'The Granite corpus holds 12 pages of text. '.repeat(20_000)
    await server.send('POST', '/api/documents?name=book.txt', { body: book })
    const found = (await documents()).find(({ source }) => source.endsWith('book.txt'))
    const page = (await server.send('GET', '/')).text
    const script = /\/assets\/[\w.-]+\.js/.exec(page)?.[0]
    const before = (await filesOpen()).length
    for (const path of [script ?? '', `/api/documents/${found?.documentId}/file`]) {
      const all = await Promise.all(Array.from({ length: 50 }, () => server.send('HEAD', path)))
      expect([path, new Set(all.map(({ status, text }) => `${status}${text}`))]).toEqual([path, new Set(['200'])])
    }
    await expect.poll(async () => (await filesOpen()).length, within).toBeLessThan(before + 10)
  })
})

describe('a body that does not come to its end', () => {
  it.each(['/', '/ok', '/ready', '/assets/none.js', '/none'])(
    'is not kept where no token is asked for: %s',
    async (path) => {
      const before = await megabytes()
      const sockets = Array.from({ length: 150 }, () => beginBody(path, { bytes: 900_000 }))
      const ended = sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve).resume()))
      await Promise.all(ended)
      expect((await megabytes()) - before).toBeLessThan(60)
    },
    60_000,
  )

  it('takes a place among the open requests of its user before it is read', async () => {
    const sockets = Array.from({ length: 64 }, () => beginBody('/api/ask', { token: tokens.bob, bytes: 1000 }))
    await expect.poll(async () => (await server.send('GET', '/api/documents', { as: 'bob' })).status, within).toBe(429)
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await server.send('GET', '/api/documents', { as: 'bob' })).status, within).toBe(200)
  }, 60_000)
})

describe('a file that is sent', () => {
  it('is no longer read once its readers have left', async () => {
    const large = join(folder, 'large.md')
    await writeFile(large, 'The Granite corpus holds 12 pages.')
    expect((await server.send('POST', '/api/documents?name=large.md', { body: await readFile(large) })).status).toBe(
      200,
    )
    const found = (await documents()).find(({ source }) => source.endsWith('large.md'))
    const kept = (await readdir(folder, { recursive: true })).find((name) => /uploads.*large\.md$/.test(name)) ?? ''
    const path = join(folder, kept)
    // It has changed, which is known once all of it is read.
    const size = 1_000_000_000
    await truncate(path, size)
    const asked = Array.from({ length: 4 }, () => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {})
      socket.write(
        `GET /api/documents/${found?.documentId}/file HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${tokens.alice}\r\n\r\n`,
      )
      return socket
    })
    const readers = async () => (await filesOpen()).filter((each) => each === path).length
    await expect.poll(readers, within).toBe(4)
    const before = await bytesRead()
    for (const socket of asked) socket.destroy()
    await expect.poll(readers, within).toBe(0)
    // A part of what the four would have read to its end.
    expect((await bytesRead()) - before).toBeLessThan(size)
    await unlink(path)
  }, 60_000)
})
