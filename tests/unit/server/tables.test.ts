import { describe, expect, it, vi } from 'vitest'
import type { Claim, ClaimStanding, FilledCell, Quaero, RunResult, Table, TablePlan } from '../../../src/index.ts'
import { verifyFile } from '../../../src/index.ts'
import { openQuaero } from '../../fixtures/workflow.ts'
import { eventsIn, read, type Send, served } from './served.ts'

const columns = ['How many pages does the Marble corpus hold?', 'How many pages did the Halden filter remove?']
const events = { accept: 'text/event-stream' }

type Asked = Parameters<Send>[1]

function tablesOver(send: Send) {
  return {
    plan: (more: Asked = {}) => read<TablePlan>(send('/api/tables/plan', { body: { columns }, ...more })),
    whole: (more: Asked = {}) => read<Table>(send('/api/tables', { body: { columns }, ...more })),
    stream: (more: Asked = {}) => send('/api/tables', { body: { columns }, headers: events, ...more }),
  }
}

async function opened(options: Parameters<typeof served>[1] = {}) {
  const quaero = await openQuaero()
  const send = await served(quaero, options)
  return { quaero, send, ...tablesOver(send) }
}

const countRuns = async (quaero: Quaero) => (await quaero.runs.list()).length

describe('a table over the API', () => {
  it('is planned, filled cell by cell, and found again by its questions and documents', async () => {
    const { quaero, plan, stream, whole } = await opened()
    expect(await plan()).toMatchObject({
      columns: [{ id: '1', form: 'text' }, { id: '2' }],
      documents: [{ document: expect.any(String) }, {}],
      known: 0,
      open: 4,
    })
    expect(await countRuns(quaero)).toBe(0)
    const sent = eventsIn(await (await stream()).text())
    expect(sent.map(({ event }) => event)).toEqual(['plan', 'cell', 'cell', 'cell', 'cell', 'end'])
    const cells = sent.flatMap(({ event, data }) => (event === 'cell' ? [data as FilledCell] : []))
    expect(cells.every(({ isKnown }) => !isKnown)).toBe(true)
    expect(await plan()).toMatchObject({ known: 4, open: 0 })
    const table = await whole()
    for (const { row, column, cell } of cells) expect(table.rows[row]?.cells[column]).toEqual(cell)
    const quotes = table.rows.flatMap((row) => row.cells.flatMap((cell) => cell.quotes))
    expect(quotes.map(({ text }) => text).join(' ')).toContain('81.1 million pages')
    expect(await countRuns(quaero)).toBe(4)
  })

  it('reads its questions as a person writes them, and asks chosen documents', async () => {
    const { quaero, whole } = await opened()
    const [{ documentId = '' } = {}] = await quaero.library.list()
    const written = '# of the corpus\nHow many pages does the Marble corpus hold? [number]\n'
    const { columns: read, rows } = await whole({ body: { columns: written, documentIds: [documentId] } })
    expect(read).toEqual([{ id: '1', question: columns[0], form: 'number' }])
    expect(rows).toMatchObject([{ documentId, cells: [{}] }])
  })

  it('refuses what is no table, before anything is asked', async () => {
    const { quaero, send } = await opened()
    const refused = async (body: object) => {
      const response = await send('/api/tables', { body, headers: events })
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message]
    }
    expect(await refused({})).toMatchObject([400, expect.stringContaining('columns')])
    expect(await refused({ columns: 'Who? [colour]' })).toMatchObject([400, expect.stringContaining('[colour]')])
    expect(await refused({ columns: '# nothing' })).toMatchObject([400, expect.stringContaining('no questions')])
    expect(await refused({ columns, documents: ['/etc/passwd'] })).toMatchObject([400, expect.any(String)])
    expect(await refused({ columns, documentIds: ['abcdef'] })).toMatchObject([400, expect.stringContaining('abcdef')])
    const many = Array.from({ length: 201 }, (_, index) => `What is ${index}?`)
    for (const columns of [many, many.join('\n')]) {
      expect(await refused({ columns })).toMatchObject([400, expect.stringContaining('at most 200 questions')])
    }
    expect(await countRuns(quaero)).toBe(0)
  })

  it('begins no more cells once its reader has left, and goes on when it is asked for again', async () => {
    const { quaero, plan, whole, send } = await opened()
    const many = { columns: [...columns, ...columns.map((each) => `${each} And why?`)], atOnce: 1 }
    const reader = (await send('/api/tables', { body: many, headers: events })).body?.getReader()
    await reader?.read()
    await reader?.read()
    await reader?.cancel()
    // The cell under way may not be stored yet.
    const isStored = async () => {
      expect((await quaero.runs.list({ unfinished: true })).length).toBe(0)
      const { known, open } = await plan({ body: many })
      expect(open).toBeGreaterThan(0)
      expect(await countRuns(quaero)).toBe(known)
    }
    await vi.waitFor(isStored, { timeout: 30_000 })
    const { rows } = await whole({ body: many })
    expect(rows.flatMap(({ cells }) => cells.filter(({ state }) => state === 'open'))).toEqual([])
    expect(await countRuns(quaero)).toBe(8)
  })

  it('leaves a place for a question, and waits where there is none', async () => {
    const { send, whole, stream } = await opened({ runs: { perUser: 2, inAll: 2 } })
    const more = { columns: columns.map((each) => `${each} And when?`) }
    const [one, other, response] = await Promise.all([whole(), stream({ body: more }), stream({ as: 'bob' })])
    await Promise.all([other.text(), response.text()])
    expect(one.rows.flatMap(({ cells }) => cells).every(({ state }) => state !== 'open')).toBe(true)
    const asked = await read<RunResult>(send('/api/ask', { body: { question: columns[0] } }))
    expect(asked.status).toBe('completed')
  })

  it.each(['xlsx', 'csv', 'md', 'html', 'json'] as const)('is saved as %s with its proof, unasked', async (format) => {
    const { quaero, send, whole } = await opened()
    const save = (wanted: string) => send(`/api/tables/file?format=${wanted}`, { body: { columns } })
    expect(await (await save('csv')).text()).toContain('open')
    expect(await countRuns(quaero)).toBe(0)
    await whole()
    const response = await save(format)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="table.${format}"`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (format !== 'xlsx') expect(new TextDecoder().decode(bytes)).toContain('81.1 million pages')
    expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/alice_|\/tmp|file:\/\//)
    if (format === 'csv') return
    expect(await verifyFile(`table.${format}`, bytes, quaero.library)).toMatchObject({ stands: true, changes: [] })
  })
})

describe('what two users claim', () => {
  it('is each one’s own: cells, threads, claims', { tags: ['S13'] }, async () => {
    const { quaero, send, plan, whole } = await opened()
    await whole()
    expect(await plan({ as: 'bob' })).toMatchObject({ known: 0, open: 4 })
    const list = async (as: 'alice' | 'bob', query = '') =>
      (await read<{ claims: readonly Claim[] }>(send(`/api/claims${query}`, { as }))).claims
    const hers = await list('alice')
    expect(hers.length).toBeGreaterThan(0)
    expect(await list('bob')).toEqual([])
    const [{ runId, threadId } = { runId: '', threadId: '' }] = hers
    expect((await send(`/api/claims?runId=${runId}`, { as: 'bob' })).status).toBe(404)
    expect(await list('bob', `?threadId=${threadId}`)).toEqual([])
    expect(await list('bob', `?threadId=alice_${threadId}`)).toEqual([])
    await whole({ as: 'bob' })
    const runs = await quaero.runs.list()
    expect(runs.length).toBe(8)
    expect(runs.every((run) => /^(alice|bob)_quaero-cell-/.test(run.threadId))).toBe(true)
    for (const as of ['alice', 'bob'] as const) {
      expect(await read(send('/api/threads', { as }))).toMatchObject({ threads: [] })
      const said = JSON.stringify([await list(as), await whole({ as }), await plan({ as })])
      expect(said).not.toMatch(/alice_|bob_|\/tmp/)
    }
  })

  it('refuses what it does not know of a query, in a sentence with one full stop', async () => {
    const { send } = await opened()
    const refused = async (query: string) => {
      const response = await send(`/api/claims${query}`)
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message]
    }
    for (const path of ['', '/check']) {
      expect(await refused(`${path}?foo=1`)).toEqual([400, 'The request cannot be read: "foo" is not known.'])
      expect(await refused(`${path}?after=zzz`)).toEqual([400, 'The request cannot be read: "after" is not known.'])
    }
    expect(await refused('?threadId=a%20b')).toEqual([400, expect.stringMatching(/[^.]\.$/)])
    expect(await refused('?documentId=abcdef')).toEqual([404, expect.stringContaining('no document "abcdef"')])
  })

  it('is listed by thread, run and document, and looked up again', async () => {
    const { quaero, send } = await opened()
    const ask = (question: string, threadId: string) =>
      read<RunResult>(send('/api/ask', { body: { question, threadId } }))
    const marble = await ask(columns[0] ?? '', 'marble')
    const halden = await ask(columns[1] ?? '', 'halden')
    const list = async (query: string) =>
      (await read<{ claims: readonly Claim[]; next: number | null }>(send(`/api/claims${query}`))).claims
    const all = await list('')
    expect(await list('?threadId=marble')).toEqual(all.filter(({ threadId }) => threadId === 'marble'))
    expect(await list(`?runId=${halden.runId}`)).toEqual(all.filter(({ runId }) => runId === halden.runId))
    const { documentId = '' } = marble.citations[0] ?? {}
    const resting = await list(`?documentId=${documentId}`)
    expect(resting.length).toBeGreaterThan(0)
    expect(await list(`?documentId=${documentId.slice(0, 5)}`)).toEqual(resting)
    // A page ends with an answer; the newest comes first.
    const page = (query: string) => read(send(`/api/claims?limit=1${query}`))
    expect(await page('')).toEqual({ claims: all.filter(({ runId }) => runId === halden.runId), next: 1 })
    expect(await page('&cursor=1')).toEqual({ claims: all.filter(({ runId }) => runId === marble.runId), next: null })
    const check = async () =>
      (await read<{ claims: readonly ClaimStanding[] }>(send('/api/claims/check?threadId=marble'))).claims
    const [before] = await check()
    expect(before).toMatchObject({ stands: true, quotes: [{ change: null, now: { source: 'marble.md' } }] })
    await quaero.library.remove(documentId)
    const [after] = await check()
    expect(after).toMatchObject({ stands: false, quotes: [{ change: 'document gone', now: null }] })
  })
})
