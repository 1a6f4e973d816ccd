import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { PageTable, RunResult, StreamEvent } from '../../../src/index.ts'
import { openQuaero } from '../../fixtures/workflow.ts'
import { eventsIn, read, served } from './served.ts'

/** What adding a file returns, as far as these tests look at it. */
interface Added {
  readonly documents: readonly { readonly path: string; readonly documentId: string }[]
}

const marble = 'How many pages does the Marble corpus hold?'

async function sending(options: Parameters<typeof served>[1] = {}) {
  const quaero = await openQuaero()
  return { quaero, send: await served(quaero, options) }
}

describe('the API', () => {
  it('answers a question with the same result as the engine, but without folders', async () => {
    const { quaero, send } = await sending()
    const response = await send('/api/ask', { body: { question: marble } })
    const result = (await response.json()) as RunResult
    expect(response.status).toBe(200)
    expect(result.answer).toContain('81.1 million pages')
    const stored = await quaero.runs.show(result.runId)
    expect(result).toEqual({
      ...stored,
      threadId: stored.threadId.slice('alice_'.length),
      citations: stored.citations.map((each) => ({ ...each, source: 'marble.md' })),
    })
  })

  it('sends a run as events with the position of each, and continues after one', async () => {
    const { send } = await sending()
    const headers = { accept: 'text/event-stream' }
    const response = await send('/api/ask', { body: { question: marble }, headers })
    const place = response.headers.get('content-location') ?? ''
    const events = eventsIn(await response.text())
    expect(events[0]).toMatchObject({ id: '1', event: 'run.created' })
    expect(events.at(-1)?.event).toMatch(/^(run\.completed|status\.changed)$/)
    const ids = events.flatMap(({ id }) => (id === null ? [] : [Number(id)]))
    expect(ids).toEqual(ids.map((_, index) => index + 1))
    const rest = eventsIn(await (await send(`${place}/events`, { headers: { 'last-event-id': '5' } })).text())
    expect(rest.find(({ id }) => id !== null)?.id).toBe('6')
    expect(JSON.stringify(events)).not.toContain('/tmp')
  })

  it.each(['/api/ask', '/api/runs/{runId}/resume'])('describes both forms of the answer of %s', async (path) => {
    const { send } = await sending()
    const { paths } = z
      .object({ paths: z.record(z.string(), z.object({ post: z.unknown() }).partial()) })
      .parse(await (await send('/api/openapi.json')).json())
    expect(paths[path]?.post).toMatchObject({
      responses: { 200: { content: { 'application/json': {}, 'text/event-stream': {} } } },
    })
  })

  it('refuses what is no JSON, and has nothing at unknown addresses', async () => {
    const { send } = await sending()
    const broken = await send('/api/ask', {
      method: 'POST',
      body: '{"question":',
      headers: { 'content-type': 'application/json' },
    })
    expect(broken.status).toBe(400)
    expect((await send('/api/nothing')).status).toBe(404)
  })

  it('refuses more questions at once than are allowed, and says when to ask again', async () => {
    const { send } = await sending({ runs: { perUser: 1, inAll: 2 } })
    const ask = (as: 'alice' | 'bob') =>
      send('/api/ask', { as, body: { question: marble }, headers: { accept: 'text/event-stream' } })
    const first = await ask('alice')
    const second = await ask('alice')
    const other = await ask('bob')
    expect([first.status, second.status, other.status]).toEqual([200, 429, 200])
    expect(second.headers.get('retry-after')).toBe('2')
    await Promise.all([first.text(), other.text()])
    const third = await ask('alice')
    expect(third.status).toBe(200)
    await third.text()
  })

  it('gives the place of a run back when it ends, though its reader has taken nothing', async () => {
    const { quaero, send } = await sending({ runs: { perUser: 1, inAll: 1 } })
    const ask = () => send('/api/ask', { body: { question: marble }, headers: { accept: 'text/event-stream' } })
    const first = await ask()
    const runId = (first.headers.get('content-location') ?? '').split('/').at(-1) ?? ''
    for await (const _ of quaero.follow(runId));
    const second = await vi.waitFor(async () => {
      const response = await ask()
      expect(response.status).toBe(200)
      return response
    })
    await Promise.all([first.text(), second.text()])
  })

  it('holds the limits of the settings, though a question names higher ones', async () => {
    const { quaero, send } = await sending({ bounds: { modelCalls: 5, costUsd: 1 } })
    const limits = { modelCalls: 100, costUsd: 0.5, rounds: 3 }
    const { runId } = await read<RunResult>(
      send('/api/ask', { body: { question: marble, limits: { ...limits, costUsd: 2 } } }),
    )
    for await (const event of quaero.runs.events(runId)) {
      if (event.type === 'run.created')
        expect(event.payload.limits).toMatchObject({ modelCalls: 20, costUsd: null, rounds: 3 })
    }
  })

  it('lets the run go on when its reader leaves', async () => {
    const { quaero, send } = await sending()
    const response = await send('/api/ask', { body: { question: marble }, headers: { accept: 'text/event-stream' } })
    const runId = (response.headers.get('content-location') ?? '').split('/').at(-1) ?? ''
    await response.body?.cancel()
    const last: StreamEvent[] = []
    for await (const event of quaero.follow(runId)) last.push(event)
    expect((await quaero.runs.show(runId)).status).toBe('completed')
  })

  it('repeats no question that has the same idempotency key, and keeps the keys of users apart', async () => {
    const { quaero, send } = await sending()
    const body = { question: marble, idempotencyKey: 'once' }
    const first = await read<RunResult>(send('/api/ask', { body }))
    const again = await read<RunResult>(send('/api/ask', { body: { ...body, threadId: first.threadId } }))
    const bobs = await read<RunResult>(send('/api/ask', { as: 'bob', body }))
    expect(again.runId).toBe(first.runId)
    expect(bobs.runId).not.toBe(first.runId)
    expect(await quaero.runs.list()).toHaveLength(2)
  })
})

describe('threads without a question', () => {
  it('are as many of each user as the server allows, however many are made at once', async () => {
    const { send } = await sending({ unaskedThreads: 3 })
    const make = (as: 'alice' | 'bob') => send('/api/threads', { as, method: 'POST', body: {} })
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => make('alice')))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409])
    expect(await (await make('alice')).json()).toMatchObject({ error: { code: 'too_many_threads' } })
    expect((await make('bob')).status).toBe(200)
  })
})

describe('the library over the API', () => {
  it('takes a file, answers from it, and removes it', async () => {
    const { send } = await sending()
    const file = '# Zebras\n\nThe zebra of Harrow Farm is 14 years old and lives on hay.\n'
    const added = await read<Added>(send('/api/documents?name=zebras.md', { method: 'POST', body: file }))
    expect(added).toMatchObject({ documents: [{ path: 'zebras.md', status: 'added' }] })
    const documentId = added.documents[0]?.documentId
    const page = await read<{ text: string }>(send(`/api/documents/${documentId}/pages/1`))
    expect(page.text).toContain('14 years old')
    const text = 'The zebra of Harrow Farm is 14 years old and lives on hay.'
    expect(await (await send(`/api/documents/${documentId}`)).json()).toMatchObject({
      title: 'Zebras',
      removable: true,
      summary: [{ page: 1, text, start: page.text.indexOf(text), end: page.text.indexOf(text) + text.length }],
      questions: ['What is “Zebras” about?'],
      recognised: [],
    })
    const { hits } = await read<{ hits: readonly object[] }>(send('/api/search?q=zebra+hay'))
    expect(hits[0]).toMatchObject({ documentId, source: 'zebras.md' })
    expect(await (await send(`/api/documents/${documentId}/file`)).text()).toBe(file)
    expect(await (await send(`/api/documents/${documentId}/pages`)).json()).toEqual({
      documentId,
      pages: 1,
      printed: [],
    })
    expect((await send(`/api/documents/${documentId}`, { as: 'bob', method: 'DELETE' })).status).toBe(403)
    expect((await send(`/api/documents/${documentId}`, { method: 'DELETE' })).status).toBe(200)
    expect((await send(`/api/documents/${documentId}`)).status).toBe(404)
  })

  it('gives a page with its tables, or with those of a stretch of it', { tags: ['Q13'] }, async () => {
    const { send } = await sending()
    const body = 'Store,Staff\nAmber Market,20\nBirch Hall,35\n'
    const { documents } = await read<Added>(send('/api/documents?name=stores.csv', { method: 'POST', body }))
    const path = `/api/documents/${documents[0]?.documentId}/pages/1`
    const page = await read<{ text: string; tables: readonly PageTable[] }>(send(path))
    const cells = page.tables.flatMap(({ rows }) =>
      rows.map((row) => row.cells.map(([, start, end]) => page.text.slice(start, end))),
    )
    expect(cells).toEqual([
      ['Amber Market', '20'],
      ['Birch Hall', '35'],
    ])
    expect(page.tables[0]?.columns.map((column) => column.path)).toEqual([['Store'], ['Staff']])
    const beyond = await read<{ tables: readonly PageTable[] }>(send(`${path}?start=5000&end=6000`))
    expect(beyond.tables).toEqual([])
  })

  it('keeps a document that two users uploaded until both have removed it; the first of them corrects it', async () => {
    const { send } = await sending()
    const add = async (as: 'alice' | 'bob', name: string) => {
      const body = 'The zebra of Harrow Farm is 14 years old.'
      const added = await read<Added>(send(`/api/documents?name=${name}`, { as, method: 'POST', body }))
      return added.documents[0]?.documentId
    }
    const documentId = await add('alice', 'zebras.md')
    expect(await add('bob', 'striped.md')).toBe(documentId)
    const path = `/api/documents/${documentId}`
    const ask = (as: 'alice' | 'bob', method: string, body?: object) =>
      send(path, { as, method, ...(body && { body }) }).then(({ status }) => status)
    const shown = async (as: 'alice' | 'bob') => read<object>(send(path, { as }))
    expect(await shown('alice')).toMatchObject({ editable: true, removable: true })
    expect(await shown('bob')).toMatchObject({ editable: false, removable: true })
    expect(await ask('bob', 'PATCH', { title: 'Mine' })).toBe(403)
    expect(await ask('alice', 'DELETE')).toBe(200)
    expect(await shown('bob')).toMatchObject({ source: 'striped.md', editable: true, removable: true })
    expect(await shown('alice')).toMatchObject({ editable: false, removable: false })
    expect(await ask('alice', 'DELETE')).toBe(403)
    const { hits } = await read<{ hits: readonly object[] }>(send('/api/search?q=zebra'))
    expect(hits).toHaveLength(1)
    expect(await ask('bob', 'DELETE')).toBe(200)
    expect((await send(path)).status).toBe(404)
  })

  it('is removed once, however often at once, and never while it is uploaded', async () => {
    const { send } = await sending()
    const body = 'The zebra of Harrow Farm is 14 years old.'
    const add = (as: 'alice' | 'bob') => send('/api/documents?name=zebras.md', { as, method: 'POST', body })
    const added = await read<Added>(add('alice'))
    const path = `/api/documents/${added.documents[0]?.documentId}`
    await add('bob')
    const remove = (as: 'alice' | 'bob') => send(path, { as, method: 'DELETE' }).then(({ status }) => status)
    const statuses = await Promise.all(['alice', 'alice', 'alice', 'bob', 'bob'].map((as) => remove(as as 'alice')))
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
    expect(statuses.filter((status) => status >= 500)).toEqual([])
    const [again] = await Promise.all([add('alice'), remove('alice'), remove('bob')])
    expect(again.status).toBe(200)
    const [left, file] = [await send(path), await send(`${path}/file`)]
    expect(left.status).toBe(file.status)
  })

  it('sends a file to save under its name, never as a page', { tags: ['S2', 'S20'] }, async () => {
    const { send } = await sending()
    const body = '<html><body><script>alert(1)</script>The zebra is 14 years old.</body></html>'
    const name = encodeURIComponent('Zebras "of" 2024 – Größe; a=b.html')
    const added = await read<Added>(send(`/api/documents?name=${name}`, { method: 'POST', body }))
    const path = `/api/documents/${added.documents[0]?.documentId}/file`
    const reply = await send(path)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(body.length),
      'content-disposition': `attachment; filename="Zebras of 2024 _ Gr__e_ a_b.html"; filename*=UTF-8''Zebras%20of%202024%20%E2%80%93%20Gr%C3%B6%C3%9Fe%3B%20a%3Db.html`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    expect(await reply.text()).toBe(body)
    expect((await send('/api/documents')).headers.get('content-security-policy')).toContain("script-src 'self'")
  })

  it('takes a file whose name is longer than a file system allows', async () => {
    const { send } = await sending()
    const name = encodeURIComponent(`${'馬'.repeat(110)}.md`)
    const { documents } = await read<Added>(send(`/api/documents?name=${name}`, { method: 'POST', body: 'Of horses.' }))
    expect(documents).toMatchObject([{ status: 'added', path: expect.stringMatching(/^馬+\.md$/u) }])
  })

  it('gives up an upload that stalls, so that the next one of its user is taken', async () => {
    const uploads = { filesPerUser: 3, bytesPerFile: 10_000, bytesPerUser: 20_000, silenceMs: 50 }
    const { send } = await sending({ uploads })
    const half = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('Half a note on')) })
    const [stalled, next] = await Promise.all([
      send('/api/documents?name=half.md', { body: half }),
      send('/api/documents?name=whole.md', { method: 'POST', body: 'A note on pears.' }),
    ])
    expect([stalled.status, await stalled.json()]).toMatchObject([413, { error: { code: 'upload_refused' } }])
    expect(next.status).toBe(200)
  })

  it('refuses a file that is too large, one too many, and one that cannot be read', async () => {
    const { send } = await sending()
    const add = (name: string, body: string) => send(`/api/documents?name=${name}`, { method: 'POST', body })
    expect((await add('large.md', 'x'.repeat(10_001))).status).toBe(413)
    const broken = await (await add('broken.pdf', 'no PDF at all')).json()
    expect(broken).toMatchObject({ documents: [{ status: 'failed', error: { code: expect.any(String) } }] })
    for (const name of ['a.md', 'b.md', 'c.md']) expect((await add(name, `Note ${name} on pears.`)).status).toBe(200)
    const fourth = await add('d.md', 'Note d on pears.')
    expect([fourth.status, await fourth.json()]).toMatchObject([413, { error: { code: 'upload_refused' } }])
  })
})
