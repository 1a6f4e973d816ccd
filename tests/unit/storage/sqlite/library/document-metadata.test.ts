import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../../../src/storage/sqlite/database/database.ts'
import { migrations } from '../../../../../src/storage/sqlite/database/schema.ts'
import { openSqliteStorage } from '../../../../../src/storage/sqlite/sqlite-storage.ts'

it('a library from before people could correct it keeps what its readers found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'quaero.db')
  const old = await openDatabase({ path, migrations: migrations.slice(0, 2) })
  const insert = `INSERT INTO documents (document_id, title, authors, year, source, format, pages, passages)
                  VALUES (?, ?, ?, ?, ?, 'pdf', 1, 0)`
  await old.write(() => {
    old.connection.prepare(insert).run('d1', 'On "ponds"', '["Ada Berg","Wei Zhang"]', 2021, 'a.pdf')
    old.connection.prepare(insert).run('d2', null, '[]', null, 'b.pdf')
    old.connection
      .prepare(`INSERT INTO sources (source, document_id, size, modified_ms) VALUES ('a.pdf', 'd1', 1, 2)`)
      .run()
  })
  await old.close()

  const storage = await openSqliteStorage({ path })
  onTestFinished(() => storage.close())
  expect(await storage.passages.metadata('d1')).toEqual({
    title: [{ value: 'On "ponds"', from: 'the file' }],
    authors: [{ value: ['Ada Berg', 'Wei Zhang'], from: 'the file' }],
    year: [{ value: 2021, from: 'the file' }],
  })
  expect(await storage.passages.metadata('d2')).toEqual({ title: [], authors: [], year: [] })
  expect(await storage.passages.source('a.pdf')).toEqual({ source: 'a.pdf', documentId: 'd1', size: 1, modifiedMs: 2 })
  await storage.passages.override('d1', { title: 'On lakes' })
  await storage.passages.override('d1', { title: null })
  expect(await storage.passages.document('d1')).toMatchObject({
    title: 'On "ponds"',
    authors: ['Ada Berg', 'Wei Zhang'],
  })
})
