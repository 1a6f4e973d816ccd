import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NewDocument } from '../../../../../src/library/port/document.ts'
import { openSqliteStorage } from '../../../../../src/storage/sqlite/sqlite-storage.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quaero-incoming-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('a document that arrives in batches', () => {
  it('is removed when its process was killed before the end, and can be added again', async () => {
    const path = join(folder, 'quaero.db')
    const { parts, document, source } = longDocument('d1')
    await leaveUnfinished(path)

    const storage = await openSqliteStorage({ path })
    expect(await storage.library.documents()).toEqual([])
    expect(await storage.library.match({ terms: ['whales'], limit: 5, documents: null })).toEqual([])
    const other = longDocument('d2')
    await storage.library.put({ ...other.document, pages: [], passages: [] }, other.source)
    expect(rowsIn(path)).toEqual({ documents: 1, passages: 0, pages: 0, unfinished: 0 })
    const batches = (async function* () {
      for (const passages of parts) yield { pages: [], passages }
    })()
    expect(await storage.library.putInBatches({ record: document.record, batches }, source)).toBe(true)
    expect(await storage.library.document('d1')).toMatchObject({ passages: 300 })
    await storage.close()
  })
})

/** Stops in the middle of a document, as if the process had been killed there: what it had committed stays. */
async function leaveUnfinished(path: string): Promise<void> {
  const storage = await openSqliteStorage({ path })
  const { parts, document, source } = longDocument('d1')
  await new Promise<void>((resolve) => {
    const batches = (async function* () {
      yield { pages: document.pages.map((page) => ({ ...page, start: 0 })), passages: parts[0] ?? [] }
      yield { pages: [], passages: parts[1] ?? [] }
      resolve()
      await new Promise(() => {})
    })()
    void storage.library.putInBatches({ record: document.record, batches }, source)
  })
  await storage.close()
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  const database = new Database(path)
  database.prepare('UPDATE unfinished_documents SET pid = ?').run(child.pid)
  database.close()
  expect(rowsIn(path)).toEqual({ documents: 1, passages: 200, pages: 1, unfinished: 1 })
}

function rowsIn(path: string): Record<string, number> {
  const database = new Database(path, { readonly: true })
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).pluck().get())
  const rows = {
    documents: count('documents'),
    passages: count('passages'),
    pages: count('pages'),
    unfinished: count('unfinished_documents'),
  }
  database.close()
  return rows
}

function longDocument(documentId: string) {
  const text = 'Whales sing.'
  const passages = Array.from({ length: 300 }, (_, ordinal) => ({
    passageId: `${documentId}.${ordinal}`,
    documentId,
    ordinal,
    page: 1,
    section: null,
    kind: 'text' as const,
    start: 0,
    end: text.length,
    text,
  }))
  const record = {
    documentId,
    title: null,
    authors: [],
    year: null,
    source: `/${documentId}.txt`,
    format: 'text',
  } as const
  const document: NewDocument = { record, pages: [{ number: 1, label: null, text, header: null }], passages }
  const parts = [passages.slice(0, 100), passages.slice(100, 200), passages.slice(200)]
  return { document, parts, source: { source: record.source, documentId, size: 1, modifiedMs: 1 } }
}
