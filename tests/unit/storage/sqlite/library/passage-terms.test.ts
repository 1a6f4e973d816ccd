import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchPassages } from '../../../../../src/library/search.ts'
import { openSqliteStorage } from '../../../../../src/storage/sqlite/sqlite-storage.ts'
import { putText } from '../../../library/put-text.ts'

const panda = '大熊猫主要以竹子为食。'

describe('the index of a library that an earlier version made', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    path = join(folder, 'quaero.db')
    const storage = await openSqliteStorage({ path })
    await putText(storage.passages, { id: 'panda', title: null, passages: [panda] })
    await putText(storage.passages, { id: 'bear', title: null, passages: ['Bears eat berries.'] })
    await storage.close()
    withConnection((connection) => {
      connection.prepare('DELETE FROM passage_terms').run()
      const add = connection.prepare(`INSERT INTO passage_terms (rowid, title, section, text)
                                      SELECT number, '', '', ? FROM passages WHERE document_id = ?`)
      add.run(panda, 'panda')
      add.run('Bears eat berries.', 'bear')
      connection.prepare('UPDATE passage_terms_form SET version = 0').run()
    })
  })
  afterEach(() => rm(folder, { recursive: true }))

  function withConnection<T>(work: (connection: Database.Database) => T): T {
    const connection = new Database(path)
    try {
      return work(connection)
    } finally {
      connection.close()
    }
  }

  it('is made anew where it must be, once, when it is first searched', async () => {
    const storage = await openSqliteStorage({ path })
    const found = async (query: string) => (await searchPassages(storage.passages, query)).map((hit) => hit.documentId)
    expect(await found('竹子')).toEqual(['panda'])
    expect(await found('berries')).toEqual(['bear'])
    await storage.close()
    const count = 'SELECT count(*) AS rows FROM passage_terms'
    expect(withConnection((connection) => connection.prepare(count).get())).toEqual({ rows: 2 })
    expect(withConnection((connection) => connection.prepare('SELECT * FROM passage_terms_form').all())).toEqual([
      { version: 1 },
    ])
  })
})
