import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { RunResult } from '../../../src/index.ts'
import { openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { read, type Send, served } from './served.ts'

interface List {
  readonly documents: readonly { readonly title: string }[]
  readonly next: number | null
}

/** A server over a library of so many documents, of which only the rows of a list are there. */
async function withDocuments(count: number): Promise<Send> {
  const dataDir = await temporaryFolder()
  const quaero = await openQuaero({ dataDir, settings: { storage: null } })
  const database = new Database(join(dataDir, 'quaero.db'))
  const add = database.prepare(
    `INSERT INTO documents (document_id, title, authors, year, source, format, pages, passages)
     VALUES (?, ?, '[]', NULL, ?, 'markdown', 1, 1)`,
  )
  database.transaction(() => {
    for (let n = 0; n < count; n += 1) {
      const id = n.toString(16).padStart(16, '0')
      add.run(id, `Report ${String(n).padStart(5, '0')}`, `/reports/${id}.md`)
    }
  })()
  database.close()
  return served(quaero, {}, dataDir)
}

/** The median of some requests. Milliseconds. */
async function msOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 15; n += 1) {
    const from = performance.now()
    await work()
    times.push(performance.now() - from)
  }
  return times.toSorted((a, b) => a - b)[7] ?? 0
}

describe('lists of a server', () => {
  it('read what they return, however much there is', { timeout: 60_000 }, async () => {
    const [few, many] = [await withDocuments(50), await withDocuments(5000)]
    const one = (send: Send) => read<List>(send('/api/documents?limit=1'))
    expect((await one(many)).documents).toHaveLength(1)
    const [msOfFew, msOfMany] = [await msOf(() => one(few)), await msOf(() => one(many))]
    expect(msOfMany / msOfFew).toBeLessThan(15)
  })

  it('name documents by the keys of their references', async () => {
    const [dataDir, quaero] = [await temporaryFolder(), await openQuaero({ dataDir: ':memory:' })]
    writeFileSync(join(dataDir, 'ponds.md'), '# Ponds\n\nPonds are deep.')
    writeFileSync(join(dataDir, 'refs.bib'), '@book{heron26, title = {Ponds}, publisher = {Reed}}')
    await quaero.library.add([join(dataDir, 'ponds.md')])
    await quaero.library.cite(join(dataDir, 'refs.bib'))
    const { documents } = await read<List>((await served(quaero))('/api/documents?where=key%3Dheron26'))
    expect(documents).toMatchObject([{ reference: { id: 'heron26', type: 'book', publisher: 'Reed' } }])
  })

  it('go on page by page to their end, with a search and without', async () => {
    const send = await withDocuments(5)
    for (const search of ['', '&search=report']) {
      const titles: string[] = []
      for (let cursor: number | null = 0; cursor !== null; ) {
        const page: List = await read<List>(send(`/api/documents?limit=2&cursor=${cursor}${search}`))
        titles.push(...page.documents.map(({ title }) => title))
        cursor = page.next
      }
      expect(titles).toEqual(['00000', '00001', '00002', '00003', '00004'].map((number) => `Report ${number}`))
    }
  })

  it('hold the newest of a user, whatever others have asked since', async () => {
    const send = await served(await openQuaero())
    const asked: RunResult[] = []
    for (const as of ['alice', 'alice', 'bob', 'bob', 'bob'] as const) {
      const question = `How many pages does the Marble corpus hold? ${asked.length}`
      asked.push(await read<RunResult>(send('/api/ask', { as, body: { question } })))
    }
    const runs = await read<{ runs: readonly RunResult[]; next: number | null }>(send('/api/runs?limit=1'))
    expect([runs.runs.map(({ runId }) => runId), runs.next]).toEqual([[asked[1]?.runId], 1])
    const threads = await read<{ threads: readonly RunResult[]; next: number | null }>(
      send('/api/threads?limit=1&cursor=1'),
    )
    expect([threads.threads.map(({ threadId }) => threadId), threads.next]).toEqual([[asked[0]?.threadId], null])
  })
})
