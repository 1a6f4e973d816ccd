import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problemsOf } from '../fixtures/reply-problems.ts'
import { openServer, type RunningServer, type Sent } from '../fixtures/running-server.ts'
import { pathOf, servedRoutes } from '../fixtures/served-routes.ts'
import { papers } from '../fixtures/workflow.ts'

/** Words that Alice alone has written. */
const secrets = /Zephyrine|Quetzalite/
const question = 'How many pages does the Marble corpus hold, asks Zephyrine?'
const asked = { question: 'What did the Halden filter remove?' }
const human = { role: 'user', content: asked.question }
const run = { assistant_id: 'quaero', input: { messages: [human] } }

interface Ids {
  readonly runId: string
  readonly threadId: string
  readonly documentId: string
  readonly uploadId: string
}

/** Bodies for the routes that need an id of what belongs to a user: Bob is told that there is nothing. */
const ofOthers: Readonly<Record<string, unknown>> = {
  'GET /api/runs/:runId': null,
  'GET /api/runs/:runId/events': null,
  'POST /api/runs/:runId/resume': { answers: {} },
  'POST /api/runs/:runId/cancel': null,
  'GET /api/runs/:runId/scores': null,
  'POST /api/runs/:runId/scores': { name: 'good', value: 1 },
  'PUT /api/runs/:runId/note': { text: 'Mine' },
  'GET /api/uploads/:uploadId': null,
  'GET /api/threads/:threadId': null,
  'POST /api/threads/:threadId/fork': {},
  'PATCH /api/threads/:threadId': { title: 'Mine' },
  'DELETE /api/threads/:threadId': null,
  'POST /v1/responses': (ids: Ids) => ({ input: 'And then?', previous_response_id: `resp_${ids.runId}` }),
  'DELETE /threads/:thread': null,
  'POST /threads/:thread/copy': null,
  'GET /threads/:thread/state/:checkpoint': null,
  'GET /threads/:thread/runs/:run': null,
  'GET /threads/:thread/runs/:run/stream': null,
  'GET /threads/:thread/runs/:run/join': null,
  'POST /threads/:thread/runs/:run/cancel': null,
}

/** The same for routes where an id names a place that a user may fill: Bob's own, which is empty. */
const ofOneself: Readonly<Record<string, unknown>> = {
  'GET /ok': null,
  'GET /ready': null,
  'GET /metrics': null,
  'GET /': null,
  'GET /assets/*': null,
  'GET /api/openapi.json': null,
  'POST /api/session': null,
  'POST /api/ask': (ids: Ids) => ({ ...asked, threadId: ids.threadId, idempotencyKey: 'once' }),
  'GET /api/runs': null,
  'GET /api/threads': null,
  'GET /api/claims': null,
  'GET /api/claims/check': null,
  'POST /api/tables/plan': { columns: [asked.question] },
  'POST /api/tables': { columns: [asked.question] },
  'POST /api/tables/file': { columns: [asked.question] },
  'POST /api/reports/outline': asked,
  'POST /api/reports': asked,
  'POST /api/reports/file': asked,
  'POST /api/chat': (ids: Ids) => ({
    id: ids.threadId,
    messages: [{ role: 'user', parts: [{ type: 'text', text: asked.question }] }],
  }),
  'GET /api/chat/:id/stream': null,
  'GET /api/uploads': null,
  'GET /v1/models': null,
  'GET /v1/models/quaero': null,
  'POST /v1/chat/completions': { messages: [human] },
  'GET /info': null,
  'POST /assistants/search': {},
  'POST /assistants/count': {},
  'GET /assistants/:id': null,
  'GET /assistants/:id/graph': null,
  'GET /assistants/:id/subgraphs': null,
  'GET /assistants/:id/schemas': null,
  'POST /threads': (ids: Ids) => ({ thread_id: ids.threadId }),
  'POST /threads/search': {},
  'POST /threads/count': {},
  'GET /threads/:thread': null,
  'PATCH /threads/:thread': { metadata: {} },
  'GET /threads/:thread/state': null,
  'POST /threads/:thread/state/checkpoint': {},
  'POST /threads/:thread/state': { values: {} },
  'POST /threads/:thread/history': {},
  'GET /threads/:thread/history': null,
  'GET /threads/:thread/runs': null,
  'POST /threads/:thread/runs/stream': run,
  'POST /runs/stream': run,
  'POST /threads/:thread/runs/wait': run,
  'POST /runs/wait': run,
  'POST /threads/:thread/runs': run,
  'POST /runs': run,
  'POST /api/threads': { title: 'Mine' },
  'POST /assistants/:id/versions': {},
  'POST /threads/prune': (ids: Ids) => ({ thread_ids: [ids.threadId] }),
  'PATCH /threads/:thread/state': { metadata: {} },
  'POST /threads/:thread/commands': { id: 1, method: 'run.start', params: run },
  'DELETE /threads/:thread/runs/:run': null,
  'POST /runs/batch': [run],
  'POST /runs/cancel': (ids: Ids) => ({ thread_id: ids.threadId, run_ids: [ids.runId] }),
  'POST /mcp': (ids: Ids) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ask', arguments: { ...asked, threadId: ids.threadId } },
  }),
}

/** Streams of a thread that stay open until the client leaves. */
const endless: Readonly<Record<string, unknown>> = {
  'GET /threads/:thread/stream': null,
  'POST /threads/:thread/stream/events': { channels: ['values', 'messages', 'lifecycle'] },
}

/** The library is shared: all read it, and only Alice changes what she has uploaded. */
const ofTheLibrary: Readonly<Record<string, readonly [body: unknown, status: number]>> = {
  'GET /api/documents': [null, 200],
  'POST /api/documents': [null, 400],
  'GET /api/documents/:documentId': [null, 200],
  'PATCH /api/documents/:documentId': [{ title: 'Mine' }, 403],
  'DELETE /api/documents/:documentId': [null, 403],
  'GET /api/documents/:documentId/pages': [null, 200],
  'GET /api/documents/:documentId/pages/:page': [null, 200],
  'GET /api/documents/:documentId/pages/:page/rects': [null, 400],
  'GET /api/documents/:documentId/file': [null, 200],
  'GET /api/documents/:documentId/state': [null, 200],
  'GET /api/search': [null, 400],
  'GET /api/folders': [null, 200],
}

let folder = ''
let server: RunningServer
let ids: Ids

async function askAlice(path: string, body: unknown) {
  const { status, text } = await server.send('POST', path, { body })
  expect([path, status, text]).toMatchObject([path, 200, expect.any(String)])
  return JSON.parse(text)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attacked-'))
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'outside.md'), 'The -secret-of-the-machine- is here.')
  for (const [name, text] of Object.entries(papers)) await writeFile(join(folder, 'data', name), text)
  server = await openServer({ cwd: join(folder, 'data') })
  const { runId, threadId } = await askAlice('/api/ask', { question, threadId: 'cobalt', idempotencyKey: 'once' })
  await askAlice(`/api/runs/${runId}/scores`, { name: 'good', value: 1, comment: 'Quetzalite' })
  await server.send('PUT', `/api/runs/${runId}/note`, { body: { text: 'Quetzalite too' } })
  const upload = await server.send('POST', '/api/documents?name=zebras.md', { body: 'The zebra is 14 years old.' })
  const { documents, uploadId } = JSON.parse(upload.text)
  ids = { runId, threadId, documentId: documents[0].documentId, uploadId }
}, 60_000)

afterAll(async () => {
  const { err } = await server.close()
  expect(err.slice(0, 4000)).not.toMatch(/\n\s+at /)
  await rm(folder, { recursive: true, force: true })
})

/** Sends a route of the tables as Bob, with Alice's ids or others in its path. */
function attack(route: string, given: unknown, values: Partial<Record<string, string>> = {}) {
  const { runId, threadId, documentId, uploadId } = ids
  const body = typeof given === 'function' ? given(ids) : given
  const path = pathOf(route, {
    ...{
      runId,
      run: runId,
      checkpoint: runId,
      threadId,
      thread: threadId,
      id: threadId,
      documentId,
      uploadId,
      page: '1',
      '*': 'x',
    },
    ...values,
  })
  const headers = { accept: 'application/json, text/event-stream' }
  const sent: Sent = { as: 'bob', headers, ...(body !== null && { body }) }
  return server[route in endless ? 'peek' : 'send'](route.split(' ')[0] ?? '', path, sent)
}

describe('two users of one server', { timeout: 120_000, tags: ['S13'] }, () => {
  it('are tried on every route that is served', () => {
    const known = [ofOthers, ofOneself, ofTheLibrary, endless].flatMap((table) => Object.keys(table))
    expect(known.toSorted()).toEqual(servedRoutes().toSorted())
  })

  it('do not find what belongs to the other, by any id', async () => {
    for (const [route, body] of Object.entries(ofOthers)) {
      for (const threadId of ['cobalt', 'alice_cobalt']) {
        const reply = await attack(route, body, { threadId, thread: threadId })
        expect([route, reply.status, problemsOf(reply, server, folder)]).toEqual([route, 404, []])
        expect(`${route} ${reply.text}`).not.toMatch(secrets)
      }
    }
  })

  it('may use the same names, and see their own alone', async () => {
    for (const [route, body] of Object.entries({ ...ofOneself, ...endless })) {
      const reply = await attack(route, body)
      expect([route, problemsOf(reply, server, folder)]).toEqual([route, []])
      expect(`${route} ${reply.text} ${JSON.stringify(reply.headers)}`).not.toMatch(secrets)
    }
  })

  it('read one library, and change nothing that the other has added', async () => {
    for (const [route, [body, status]] of Object.entries(ofTheLibrary)) {
      const reply = await attack(route, body)
      expect([route, reply.status, problemsOf(reply, server, folder)]).toEqual([route, status, []])
    }
  })

  it('leave what belongs to the other as it was', async () => {
    const { messages } = JSON.parse((await server.send('GET', '/api/threads/cobalt')).text)
    expect(messages.map(({ role, runId }: { role: string; runId: string }) => [role, runId])).toEqual([
      ['user', ids.runId],
      ['assistant', ids.runId],
    ])
    const { scores } = JSON.parse((await server.send('GET', `/api/runs/${ids.runId}/scores`)).text)
    expect(scores).toMatchObject([{ name: 'good', value: 1, comment: 'Quetzalite' }])
    expect(messages[1].note).toMatchObject({ text: 'Quetzalite too', userId: 'alice' })
    expect((await server.send('GET', `/api/documents/${ids.documentId}`)).text).toContain('zebras.md')
  })
})

const climbs = [
  '../',
  '..%2f',
  '%2e%2e/',
  '%2e%2e%2f',
  '%252e%252e%252f',
  '..%5c',
  '....//',
  '..;/',
  '%c0%ae%c0%ae/',
  '.%00./',
]
const targets = ['outside.md', 'etc/passwd', 'quaero.db', 'tokens', 'server-token', 'proc%2fself%2fenviron']
/** Sixty ways to name a file outside. */
const traversals = climbs.flatMap((climb) => targets.map((target) => `${climb.repeat(6)}${target}`))

describe('a path to a file outside', { timeout: 180_000, tags: ['S6'] }, () => {
  const withParameter = Object.entries({ ...ofOthers, ...ofOneself, ...endless, ...ofTheLibrary }).filter(([route]) =>
    /[:*]/.test(route),
  )

  it('finds nothing, in the place of any parameter', async () => {
    expect(traversals).toHaveLength(60)
    const everywhere = (text: string) =>
      Object.fromEntries(
        ['runId', 'run', 'checkpoint', 'threadId', 'thread', 'id', 'documentId', 'page', '*'].map((name) => [
          name,
          text,
        ]),
      )
    for (const [route, given] of withParameter) {
      const body = Array.isArray(given) ? given[0] : given
      const replies = await Promise.all(traversals.map((text) => attack(route, body, everywhere(text))))
      const failed = replies.flatMap((reply, index) => {
        const problems = problemsOf(reply, server, folder)
        return problems.length > 0 ? [[traversals[index], reply.status, problems, reply.text]] : []
      })
      expect([route, failed.slice(0, 2)]).toEqual([route, []])
    }
  })

  it.each(['/api/search?q=zebra&documentId=', '/api/runs?threadId=', '/api/threads?search=', '/api/claims?runId='])(
    'finds nothing in the query %s',
    async (path) => {
      for (const text of traversals) {
        const reply = await server.send('GET', `${path}${text}`)
        expect([text, problemsOf(reply, server, folder)]).toEqual([text, []])
      }
    },
  )

  it('as the name of an upload writes nothing outside the folder of its user', async () => {
    for (const text of traversals) {
      const reply = await server.send('POST', `/api/documents?name=${text}`, { body: 'A note.' })
      expect([text, problemsOf(reply, server, folder)]).toEqual([text, []])
    }
    const files = await readdir(folder, { recursive: true })
    const written = files.filter((name) => /passwd|environ|outside/.test(name) && name !== 'outside.md')
    expect(written.filter((name) => !name.startsWith('data/uploads/alice/'))).toEqual([])
  })
})
