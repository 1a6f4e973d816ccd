import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Quaero, RunResult } from '../../../src/index.ts'
import { rightsIn } from '../../../src/server/access/rights.ts'
import { openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { eventsIn, read, type Send, served, type tokens } from './served.ts'
import { commanding, dataOf, eventsUntil } from './thread-stream.ts'

type Name = keyof typeof tokens

const collections = {
  finance: { read: ['alice'], write: [] },
  Lab: { read: [], write: ['bob'] },
  board: { read: ['directors'], write: ['alice'] },
}
const groups = { directors: ['alice', 'bob'] }

/** Each has a mark of its own in its title, text, name and tags, which no request holds. */
const files: Readonly<Record<string, readonly string[]>> = {
  zq1x: [],
  zq2x: ['finance'],
  zq3x: ['lab'],
  zq4x: ['finance', 'lab'],
  zq5x: ['board'],
  zq6x: ['free'],
}

const textOf = (mark: string) =>
  `# Report ${mark}\n\nBy Anna ${mark}\n\nIn 2021 the ${mark} pumps moved 300 litres of water.\n`

async function opened() {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'plans'))
  const quaero = await openQuaero({ model: 'extractive', dataDir: ':memory:' })
  for (const mark of Object.keys(files)) {
    writeFileSync(join(folder, 'plans', `${mark}.md`), textOf(mark))
  }
  await quaero.library.add([folder])
  for (const [mark, tags] of Object.entries(files)) await quaero.library.tag(`${mark}.md`, { add: [...tags, mark] })
  const send = await served(quaero, { rights: rightsIn({ collections, groups }, { '**/*minutes*': ['board'] }) })
  const all = await quaero.library.list()
  const idOf = (mark: string) => all.find(({ source }) => source.includes(mark))?.documentId ?? ''
  return { quaero, send, idOf }
}

/** The marks that a user must not see, said without the server: a plain loop over the documents. */
async function secretsOf(user: Name, quaero: Quaero): Promise<readonly string[]> {
  const readers: Readonly<Record<string, readonly Name[]>> = {
    finance: ['alice'],
    lab: ['bob'],
    board: ['alice', 'bob'],
  }
  const secrets: string[] = []
  for (const { tags, source } of await quaero.library.list())
    for (const tag of tags) if (readers[tag]?.includes(user) === false) secrets.push(source.slice(-7, -3))
  return secrets
}

const question = 'How many litres did the pumps move in 2021?'
const ask = (send: Send, as: Name, more: object = {}) => send('/api/ask', { as, body: { question, ...more } })

describe('a collection that a user may not read', () => {
  it('is not there: not in lists, searches, pages and files, and not by any name', async () => {
    const { send, idOf } = await opened()
    const { documents } = await read<{ documents: { source: string }[] }>(
      send('/api/documents?limit=2&cursor=1', { as: 'bob' }),
    )
    expect(documents.map(({ source }) => source)).toEqual(['zq3x.md', 'zq5x.md'])
    const hidden = idOf('zq2x')
    for (const id of [hidden, hidden.slice(0, 8)])
      for (const part of ['', '/pages', '/pages/1', '/pages/1/rects?start=0&end=9', '/state', '/file'])
        expect([part, (await send(`/api/documents/${id}${part}`, { as: 'bob' })).status]).toEqual([part, 404])
    for (const path of ['/api/claims', '/api/claims/check'])
      expect((await send(`${path}?documentId=${hidden.slice(0, 8)}`, { as: 'bob' })).status).toBe(404)
    const unknown = await (await ask(send, 'bob', { documentIds: ['0123456789abcdef'] })).text()
    const refused = await (await ask(send, 'bob', { documentIds: [hidden] })).text()
    expect(refused.replace(hidden, '0123456789abcdef')).toBe(unknown)
    expect((await send(`/api/documents/${hidden}`)).status).toBe(200)
    const empty = { as: 'bob', body: { question, tags: ['finance'] } } as const
    expect(await read(send('/api/ask', empty))).toMatchObject({ error: { code: 'nothing_matches' } })
  })

  it('limits a question without a word, and what the question is limited to is told', async () => {
    const { send, quaero } = await opened()
    const whole = await read<RunResult>(ask(send, 'bob'))
    expect(whole.limitedTo).toBeNull()
    const limited = await read<RunResult>(ask(send, 'bob', { where: 'not tag=board' }))
    expect(limited.limitedTo).toEqual({ documents: 3, filter: 'not tag=board' })
    const { threadId } = whole
    await quaero.library.tag('zq2x.md', { remove: ['finance'] })
    const following = await read<RunResult>(ask(send, 'bob', { threadId, tags: ['zq2x'] }))
    expect(following.citations.map(({ source }) => source)).toEqual(['zq2x.md'])
  })

  it('withholds what was said of it once it may not be read any more', async () => {
    const { send, quaero } = await opened()
    const said = await read<RunResult>(ask(send, 'bob', { threadId: 'kept', tags: ['zq6x'] }))
    expect(said.answer).toContain('zq6x')
    await quaero.library.tag('zq6x.md', { add: ['finance'] })
    await quaero.library.remove('zq6x.md')
    expect(await read(send(`/api/runs/${said.runId}`, { as: 'bob' }))).toMatchObject({
      answer: 'This answer rests on documents that you may not read.',
      citations: [],
    })
    expect(await (await send('/api/threads/kept', { as: 'bob' })).text()).not.toContain('zq6x')
    for (const path of [`/api/runs/${said.runId}/events`, '/api/claims', '/api/claims/check'])
      expect(await (await send(path, { as: 'bob' })).text()).not.toContain('zq6x')
    expect((await ask(send, 'bob', { threadId: 'kept' })).status).toBe(403)
  })

  it('is written by who may: tags, titles and uploads', async () => {
    const { send, idOf } = await opened()
    const patch = (as: Name, mark: string, body: object) =>
      send(`/api/documents/${idOf(mark)}`, { as, method: 'PATCH', body })
    expect(await read(patch('bob', 'zq3x', { tags: ['Lab', 'pumps'], year: 2021 }))).toMatchObject({
      tags: ['lab', 'pumps'],
      year: 2021,
      editable: true,
      removable: false,
    })
    expect((await patch('bob', 'zq1x', { tags: ['lab'] })).status).toBe(403)
    expect((await patch('bob', 'zq5x', { year: 1 })).status).toBe(403)
    expect((await patch('alice', 'zq3x', { year: 1 })).status).toBe(404)
    expect((await patch('alice', 'zq5x', { tags: ['board', 'finance'] })).status).toBe(403)
    expect((await patch('alice', 'zq5x', { tags: ['!'] })).status).toBe(400)
    const upload = (as: Name, name: string, query: string) =>
      send(`/api/documents?name=${name}&${query}`, {
        as,
        body: new TextEncoder().encode(`# ${name}\n\nA text of ${name}.`),
      })
    const added = await read<{ documents: { documentId: string }[] }>(upload('bob', 'new.md', 'tag=lab&tag=fresh'))
    const path = `/api/documents/${added.documents[0]?.documentId}`
    expect(await read(send(path, { as: 'bob' }))).toMatchObject({ tags: ['fresh', 'lab'] })
    expect((await send(path)).status).toBe(404)
    expect((await upload('bob', 'other.md', 'tag=board')).status).toBe(403)
    expect((await upload('bob', 'minutes.md', '')).status).toBe(403)
    // She may not read it, so that it is not there for her; and its tags are not hers to give.
    expect((await upload('alice', 'new.md', 'tag=board')).status).toBe(200)
    expect(await read(send(path, { as: 'bob' }))).toMatchObject({ tags: ['fresh', 'lab'] })
  })
})

describe('an upload of what a hidden document holds', () => {
  const bytes = (mark: string) => new TextEncoder().encode(textOf(mark))
  const sendTo = (send: Send, query = '') =>
    send(`/api/documents?name=own.md${query}`, { as: 'bob', body: bytes('zq2x') })

  it('is answered as where there is no such document, and changes nothing of it', async () => {
    const { send, quaero, idOf } = await opened()
    const before = await quaero.library.show(idOf('zq2x'))
    const { send: sendElsewhere, quaero: elsewhere } = await opened()
    await elsewhere.library.remove('zq2x.md')
    await elsewhere.library.tag(idOf('zq2x'), { remove: ['finance', 'zq2x'], ahead: true })
    for (const query of ['&tag=finance', '&tag=lab&tag=fresh', '', '&tag=fresh']) {
      const [one, other] = [await sendTo(send, query), await sendTo(sendElsewhere, query)]
      expect(one.status).toBe(other.status)
      expect(await one.json()).toEqual(await other.json())
    }
    const uploads = await read(send('/api/uploads', { as: 'bob' }))
    expect(uploads).toEqual(await read(sendElsewhere('/api/uploads', { as: 'bob' })))
    const { document } = await quaero.library.show(idOf('zq2x'))
    expect(document).toEqual(before.document)
    expect(await read(send(`/api/documents/${idOf('zq2x')}`))).toMatchObject({ tags: ['finance', 'zq2x'] })
  })
})

describe('a filter over HTTP', () => {
  it('limits lists, searches and tables, and knows names of files, but no folders', async () => {
    const { send } = await opened()
    const where = encodeURIComponent('file~zq5x or tag=free')
    const { documents } = await read<{ documents: { source: string; tags: string[] }[] }>(
      send(`/api/documents?where=${where}&limit=1&cursor=1`),
    )
    expect(documents).toMatchObject([{ source: 'zq6x.md', tags: ['free', 'zq6x'] }])
    const { hits } = await read<{ hits: { source: string }[] }>(send('/api/search?q=pumps&tag=zq6x&tag=free'))
    expect(hits.map(({ source }) => source)).toEqual(['zq6x.md'])
    const body = { columns: [question], where: 'tag=free' }
    expect(await read(send('/api/tables/plan', { body }))).toMatchObject({ documents: [{}] })
    const folder = { body: { columns: [question], where: 'path~plans' } }
    expect(await read(send('/api/tables/plan', folder))).toMatchObject({ error: { code: 'usage' } })
    expect(await read(ask(send, 'alice', { where: 'path~plans' }))).toMatchObject({ error: { code: 'usage' } })
    expect(await read(ask(send, 'alice', { where: 'year>' }))).toMatchObject({ error: { code: 'filter_invalid' } })
  })

  const limit = { tags: ['zq6x'] }
  const messages = [{ role: 'user', content: question }]
  const human = { messages: [{ type: 'human', content: question }] }
  it.each([
    ['/v1/chat/completions', { messages, quaero: limit }],
    ['/v1/responses', { input: question, quaero: limit }],
    ['/api/chat', { id: 'x', quaero: limit, messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] }],
    ['/runs/wait', { input: human, config: { configurable: { quaero: limit } } }],
    ['/mcp', call('ask', { question, ...limit })],
    ['/mcp', call('search', { query: question, ...limit })],
  ])('limits a question in the extension of its protocol: %s', async (path, body) => {
    const { send } = await opened()
    const said = await (await send(path, { body, headers: both })).text()
    expect(said).toContain('zq6x')
    expect(said).not.toMatch(/zq[1-5]x/)
  })
})

describe('what an answer was limited to', () => {
  it('is told in the values of a LangGraph thread, and in both of its streams', async () => {
    const { send } = await opened()
    const input = { messages: [{ type: 'human', content: question }] }
    const limited = { input, config: { configurable: { quaero: { tags: ['zq6x'] } } } }
    const limitedTo = { documents: 1, filter: 'tag=zq6x' }
    const streamed = await send('/threads/v1/runs/stream', { body: { ...limited, stream_mode: ['values'] } })
    const values = eventsIn(await streamed.text()).findLast(({ event }) => event === 'values')
    expect(values?.data).toMatchObject({ limitedTo })
    expect(await read(send('/threads/v1/state'))).toMatchObject({ values: { limitedTo } })
    await commanding(send).command('run.start', limited)
    expect(dataOf(await eventsUntil(send, 'completed'), 'values').at(-1)).toMatchObject({ limitedTo })
  })
})

const both = { accept: 'application/json, text/event-stream' }

function call(name: string, args: object) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
}

/** What a request is made of. */
interface Chosen {
  readonly id: string
  readonly thread: string
  readonly run: string
  readonly question: string
  readonly limit: object
}

type Request = readonly [path: string, body?: object, method?: string]

const routes: readonly ((chosen: Chosen) => Request)[] = [
  () => ['/api/documents'],
  () => ['/api/documents?search=report'],
  () => ['/api/documents?tag=finance'],
  () => [`/api/documents?where=${encodeURIComponent('tag~l or not year=2020')}`],
  ({ id }) => [`/api/documents/${id}`],
  ({ id }) => [`/api/documents/${id}/pages`],
  ({ id }) => [`/api/documents/${id}/pages/1`],
  ({ id }) => [`/api/documents/${id}/pages/1/rects?start=0&end=9`],
  ({ id }) => [`/api/documents/${id}/state`],
  ({ id }) => [`/api/documents/${id}/file`],
  ({ id }) => [`/api/documents/${id}`, { year: 2020 }, 'PATCH'],
  ({ id }) => [`/api/documents/${id}`, {}, 'DELETE'],
  () => ['/api/search?q=pumps%20moved%20litres'],
  ({ id }) => [`/api/search?q=report%20pumps&documentId=${id}`],
  () => ['/api/uploads'],
  ({ thread, question, limit }) => ['/api/ask', { question, threadId: thread, ...limit }],
  ({ question, limit }) => ['/api/ask', { question, ...limit }],
  ({ id, question }) => ['/api/ask', { question, documentIds: [id] }],
  () => ['/api/runs'],
  ({ run }) => [`/api/runs/${run}`],
  ({ run }) => [`/api/runs/${run}/events`],
  ({ run }) => [`/api/runs/${run}/scores`],
  ({ run, question }) => [`/api/runs/${run}/note`, { text: question }, 'PUT'],
  ({ run }) => [`/api/runs/${run}/resume`, { answers: {} }],
  () => ['/api/threads'],
  ({ thread }) => [`/api/threads/${thread}`],
  ({ thread }) => [`/api/threads/${thread}/fork`, {}],
  () => ['/api/claims'],
  ({ run }) => [`/api/claims?runId=${run}`],
  () => ['/api/claims/check'],
  ({ question, limit }) => ['/api/tables/plan', { columns: [question], ...limit }],
  ({ question, limit }) => ['/api/tables', { columns: [question], ...limit }],
  ({ question, limit }) => ['/api/reports/outline', { question, ...limit }],
  ({ question, limit }) => ['/api/reports', { question, ...limit }],
  ({ question }) => ['/api/reports/file?format=md', { question }],
  ({ question }) => ['/api/tables/file?format=html', { columns: [question] }],
  ({ question, limit }) => ['/v1/chat/completions', { messages: [{ role: 'user', content: question }], quaero: limit }],
  ({ question, run }) => ['/v1/responses', { input: question, previous_response_id: `resp_${run}` }],
  ({ thread, question, limit }) => [
    '/api/chat',
    { id: thread, messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }], quaero: limit },
  ],
  ({ thread }) => [`/api/chat/${thread}/stream`],
  ({ question, limit }) => ['/mcp', call('ask', { question, ...limit })],
  () => ['/mcp', call('search', { query: 'report on pumps' })],
  () => ['/mcp', call('list_documents', {})],
  ({ id }) => ['/mcp', call('fetch', { id: `${id}.0` })],
  ({ id }) => ['/mcp', call('read_passages', { id: `${id}.0`, after: 5 })],
  ({ id }) => [
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `quaero://documents/${id}/pages/1` } },
  ],
  ({ thread, question }) => [
    `/threads/${thread}/runs/wait`,
    { input: { messages: [{ type: 'human', content: question }] } },
  ],
  ({ thread, question }) => [
    `/threads/${thread}/runs/stream`,
    {
      input: { messages: [{ type: 'human', content: question }] },
      stream_mode: ['values', 'messages-tuple', 'updates'],
    },
  ],
  () => ['/threads/search', { limit: 50 }],
  ({ thread }) => [`/threads/${thread}`],
  ({ thread }) => [`/threads/${thread}/state`],
  ({ thread }) => [`/threads/${thread}/history`],
  ({ thread }) => [`/threads/${thread}/copy`, {}],
  ({ thread }) => [`/threads/${thread}/runs`],
  ({ thread, run }) => [`/threads/${thread}/runs/${run}/join`],
  ({ thread, run }) => [`/threads/${thread}/runs/${run}/stream`],
  () => ['/metrics'],
  () => ['/info'],
]

const questions = [
  question,
  'What documents do I have?',
  'Who wrote the report?',
  'What is the report about?',
  'And in which year?',
  'Which report is it?',
]
const limits = [{}, {}, { where: '' }, { tags: ['finance'] }, { where: 'not tag=free' }, { where: 'year!=2020' }]

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
const step = fc.record({
  route: fc.nat(routes.length - 1),
  user: fc.constantFrom<Name>('alice', 'bob'),
  document: fc.nat(5),
  length: fc.constantFrom(16, 16, 8),
  thread: fc.constantFrom('one', 'two', 'three'),
  run: fc.nat(1000),
  question: fc.constantFrom(...questions),
  limit: fc.constantFrom(...limits),
})

function requestOf(route: number, chosen: Chosen) {
  const [path, body, method] = routes[route]?.(chosen) ?? ['/']
  return { path, options: { ...(body && { body }), ...(method && { method }) } }
}

/** Sends the requests; returns what was seen that must not be, or failed, and how many were answered. */
async function sendAll(requests: readonly Step[]) {
  const { quaero, send } = await opened()
  const ids = (await quaero.library.list()).map(({ documentId }) => documentId)
  const wrong: string[] = []
  let answered = 0
  for (const [index, { route, user, document, length, run, ...chosen }] of requests.entries()) {
    // What was read before may not be read any more.
    if (index === 250) await quaero.library.tag('zq6x.md', { add: ['finance'] })
    if (index === 350) await quaero.library.tag('zq1x.md', { add: ['lab'] })
    const runs = await quaero.runs.list()
    const runId = runs[run % Math.max(runs.length, 1)]?.runId ?? 'none'
    const request = requestOf(route, { id: ids[document]?.slice(0, length) ?? '', run: runId, ...chosen })
    const response = await send(request.path, { as: user, headers: both, ...request.options })
    const text = (await response.text()).toLowerCase()
    answered += Number(response.ok)
    const found = (await secretsOf(user, quaero)).filter((secret) => text.includes(secret))
    if (found.length > 0 || response.status >= 500) wrong.push([user, JSON.stringify(request), ...found].join(' '))
  }
  return { wrong, answered }
}

describe('two users with collections that the other may not read', () => {
  it('see in 500 random requests over all routes nothing that they must not', { timeout: 300_000 }, async () => {
    const steps = fc.array(step, { minLength: 500, maxLength: 500 })
    const property = fc.asyncProperty(steps, async (requests) => {
      const { wrong, answered } = await sendAll(requests)
      expect(wrong).toEqual([])
      expect(answered).toBeGreaterThan(200)
    })
    await fc.assert(property, { numRuns: 1, endOnFailure: true })
  })
})
