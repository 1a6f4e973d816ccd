import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type RunningServer, startServer, tokens } from '../fixtures/running-server.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { isOnPostgres } from '../fixtures/storage/chosen-storage.ts'
import { folderOf } from '../fixtures/workflow.ts'

/**
 * How many clients come at once, in proportion: 1 is 200 slow readers, 200 slow writers and 1,000 idle streams. The usual
 * quarter fits the file descriptors and the time of a small machine.
 */
const scale = Number(process.env.QUAERO_SERVER_LOAD ?? 0.25)
const [slowReaders, slowWriters, idleStreams] = [200, 200, 1000].map((each) => Math.round(each * scale)) as [
  number,
  number,
  number,
]

const question = 'How many pages does the Marble corpus hold?'
/** The writer falls silent in the middle of its first reply. */
const stallsOnce = { synthesis: [{ ...usualLines.synthesis, stall: 'middle' }, usualLines.synthesis] } as const

const settings = (server: string) => `server: ${server}\nresearch: thorough\n`

async function serverWith(server: string, env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const cwd = await folderOf()
  const file = join(cwd, 'settings.yaml')
  await writeFile(file, settings(server))
  return startServer({ cwd, env: { QUAERO_CONFIG: file, ...env } })
}

/** A client that sends these bytes and reads nothing of the reply. */
async function silentClient({ port }: RunningServer, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return socket
}

function requestFor({ port }: RunningServer, method: string, path: string, body = '', as: 'alice' | 'bob' = 'alice') {
  return (
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${tokens[as]}\r\n` +
    'Accept: text/event-stream\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

const many = '{ runsPerUser: 2000, runs: 2000, requestsPerUser: 4000, requests: 4000 }'

describe('a server', { timeout: 180_000, tags: ['slow'] }, () => {
  it(`answers beside ${slowReaders} readers that take nothing`, async () => {
    const server = await serverWith('{ runsPerUser: 2, runs: 2, requestsPerUser: 4000, requests: 4000 }')
    const { runId } = JSON.parse((await server.send('POST', '/api/ask', { body: { question } })).text)
    const [ask, follow] = [
      requestFor(server, 'POST', '/api/ask', JSON.stringify({ question })),
      requestFor(server, 'GET', `/api/runs/${runId}/events`),
    ]
    // Some ask themselves: their runs end, and keep no place for the reader.
    const asking = [await silentClient(server, ask), await silentClient(server, ask)]
    const following = await Promise.all(Array.from({ length: slowReaders }, () => silentClient(server, follow)))
    await vi.waitFor(
      async () => {
        const { status, text } = await server.send('POST', '/api/ask', { as: 'bob', body: { question } })
        expect([status, text]).toEqual([200, expect.stringContaining('81.1 million')])
      },
      { timeout: 30_000 },
    )
    for (const socket of [...asking, ...following]) socket.destroy()
  })

  it(`answers beside ${slowWriters} clients that never finish what they send`, async () => {
    const server = await serverWith(many)
    const beginnings = [
      'POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1',
      requestFor(server, 'POST', '/api/ask', 'x'.repeat(1000)).slice(0, -900),
      requestFor(server, 'POST', '/api/documents?name=a.md', 'x'.repeat(1000), 'bob').slice(0, -900),
      requestFor(server, 'POST', '/mcp', 'x'.repeat(1000)).slice(0, -900),
    ]
    const clients = Array.from({ length: slowWriters }, (_, at) => silentClient(server, beginnings[at % 4] ?? ''))
    const sockets = await Promise.all(clients)
    const { status, text } = await server.send('POST', '/api/ask', { body: { question } })
    expect([status, text]).toEqual([200, expect.stringContaining('81.1 million')])
    expect((await server.send('POST', '/api/documents?name=pears.md', { body: 'A note on pears.' })).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  it(`keeps ${idleStreams} idle streams, and answers beside them`, async () => {
    const endpoint = await speakingEndpoint(stallsOnce)
    const server = await serverWith(many, endpoint.env)
    const { response } = await server.open('POST', '/api/ask', {
      body: { question },
      headers: { accept: 'text/event-stream' },
    })
    const runId = String(response.headers['content-location']).split('/').at(-1)
    await endpoint.asked('synthesis')
    const follow = requestFor(server, 'GET', `/api/runs/${runId}/events`)
    const sockets = await Promise.all(Array.from({ length: idleStreams }, () => silentClient(server, follow)))
    const heard = sockets.map(async (socket) => {
      let text = ''
      socket.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      socket.resume()
      await vi.waitFor(() => expect(text).toContain('event: run.interrupted'), { timeout: 60_000 })
    })
    const answer = await server.send('POST', '/api/ask', { as: 'bob', body: { question } })
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('81.1 million')])
    expect((await server.send('POST', `/api/runs/${runId}/cancel`)).status).toBe(200)
    await Promise.all(heard)
    for (const socket of sockets) socket.destroy()
    response.destroy()
  })

  // Behind the queue of a database, more questions than workers take wait.
  it.skipIf(isOnPostgres())('stopped by SIGTERM with twenty streams ends each resumable, and exits', async () => {
    const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, stall: 'middle' } })
    const server = await serverWith('{ runsPerUser: 20, runs: 20 }', endpoint.env)
    const streams = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const headers = { accept: 'text/event-stream' }
        const { response } = await server.open('POST', '/api/ask', { body: { question }, headers })
        let text = ''
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece
        })
        return { text: () => text, ended: once(response, 'close') }
      }),
    )
    await endpoint.asked('synthesis', 20)
    server.child.kill('SIGTERM')
    const { code } = await server.ended
    await Promise.all(streams.map(({ ended }) => ended))
    expect(code).toBe(0)
    expect(streams.filter(({ text }) => !text().includes('event: run.interrupted'))).toEqual([])
  })
})

describe('a limit', { timeout: 60_000 }, () => {
  // Behind the queue of a database, a question more waits in place of being refused.
  it.skipIf(isOnPostgres())(
    'of runs of a user and of all is said by every protocol with status 429 and when to ask again',
    async () => {
      const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, stall: 'middle' } })
      const server = await serverWith('{ runsPerUser: 1, runs: 2 }', endpoint.env)
      const headers = { accept: 'text/event-stream' }
      const ask = (as: 'alice' | 'bob') => server.open('POST', '/api/ask', { as, body: { question }, headers })
      const human = { role: 'user', content: question }
      const run = { assistant_id: 'quaero', input: { messages: [human] } }
      const bodies: Readonly<Record<string, object>> = {
        '/api/ask': { question },
        '/api/chat': { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] },
        '/v1/chat/completions': { messages: [human] },
        '/v1/chat/completions?': { messages: [human], stream: true },
        '/v1/responses': { input: question },
        '/runs/wait': run,
        '/runs/stream': run,
      }
      const first = await ask('alice')
      await ask('bob')
      for (const as of ['alice', 'bob'] as const) {
        for (const [path, body] of Object.entries(bodies)) {
          const { status, headers: replied } = await server.send('POST', path, { as, body })
          expect([path, status, replied['retry-after']]).toEqual([path, 429, '2'])
        }
      }
      const { runId } = JSON.parse((await server.send('GET', '/api/runs')).text).runs[0]
      first.response.destroy()
      await server.send('POST', `/api/runs/${runId}/cancel`)
      const again = await vi.waitFor(async () => {
        const opened = await ask('alice')
        expect(opened.response.statusCode).toBe(200)
        return opened
      })
      again.response.destroy()
    },
  )

  it('of open requests counts the streams of a user, and is lifted when one ends', async () => {
    const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, stall: 'middle' } })
    const server = await serverWith('{ requestsPerUser: 3, requests: 4 }', endpoint.env)
    const headers = { accept: 'text/event-stream' }
    const { response } = await server.open('POST', '/api/ask', { body: { question }, headers })
    const events = `${response.headers['content-location']}/events`
    const followers = await Promise.all([1, 2].map(() => server.open('GET', events, { headers })))
    const refused = await server.send('GET', '/api/runs')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2'])
    expect(JSON.parse(refused.text).error.code).toBe('too_many_requests')
    expect((await server.send('GET', '/api/runs', { as: 'bob' })).status).toBe(200)
    followers[0]?.response.destroy()
    await vi.waitFor(async () => expect((await server.send('GET', '/api/runs')).status).toBe(200), { timeout: 10_000 })
    response.destroy()
  })
})
