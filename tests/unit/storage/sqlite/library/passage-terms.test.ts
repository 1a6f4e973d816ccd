import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchPassages } from '../../../../../src/library/search.ts'
import { openSqliteStorage } from '../../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../../src/storage/storage.ts'
import { putText } from '../../../library/put-text.ts'

const panda = '大熊猫主要以竹子为食。'

describe('the index of a library that an earlier version made', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    path = join(folder, 'quaero.db')
    const storage = await openSqliteStorage({ path })
    await putText(storage.library, { id: 'panda', title: null, passages: [panda] })
    await putText(storage.library, { id: 'bear', title: null, passages: ['Bears eat berries.'] })
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
    const found = async (query: string) => (await searchPassages(storage.library, query)).map((hit) => hit.documentId)
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

describe('the index of a long document', () => {
  const count = 500
  const texts = Array.from({ length: count }, (_, at) => `Whale number ${at} sings.`)
  let folder: string
  let storage: Storage
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    storage = await openSqliteStorage({ path: join(folder, 'quaero.db') })
    await putText(storage.library, { id: 'whales', title: 'Zoology', passages: texts })
  })
  afterEach(async () => {
    await storage.close()
    await rm(folder, { recursive: true })
  })

  const passagesWith = async (word: string) => (await storage.library.frequencies([word])).of.get(word)

  /** The most passages that one transaction has put into the index. */
  async function mostAtOnce(work: () => Promise<unknown>): Promise<number> {
    const watcher = new Database(join(folder, 'quaero.db'), { readonly: true })
    const changes = watcher.prepare(`SELECT count(*) AS rows FROM passage_terms WHERE passage_terms MATCH 'title: new'`)
    const seen = [0]
    const look = setInterval(() => seen.push((changes.get() as { rows: number }).rows), 0)
    try {
      await work()
    } finally {
      clearInterval(look)
      watcher.close()
    }
    return Math.max(...seen.slice(1).map((rows, at) => rows - (seen[at] ?? 0)))
  }

  it('takes a new title in several transactions, and knows only the last of two', async () => {
    const { library: passages } = storage
    expect(await mostAtOnce(() => passages.override('whales', { title: 'New' }))).toBeLessThan(count)
    expect([await passagesWith('zoology'), await passagesWith('new')]).toEqual([0, count])
    await Promise.all(['Second', 'Third'].map((title) => passages.override('whales', { title })))
    expect([await passagesWith('new'), await passagesWith('second'), await passagesWith('third')]).toEqual([
      0,
      0,
      count,
    ])
  })

  it('is complete again when it was damaged, also where a search interrupts another', async () => {
    await storage.close()
    const connection = new Database(join(folder, 'quaero.db'))
    connection.unsafeMode(true)
    connection.prepare('UPDATE passage_terms_data SET block = zeroblob(length(block)) WHERE id > 10').run()
    connection.close()
    storage = await openSqliteStorage({ path: join(folder, 'quaero.db') })
    const found = await Promise.all([passagesWith('whale'), passagesWith('zoology'), passagesWith('sings')])
    expect(found).toEqual([count, count, count])
  })

  it('is current from its first document on', async () => {
    await storage.close()
    const connection = new Database(join(folder, 'quaero.db'))
    expect(connection.prepare('SELECT * FROM passage_terms_form').all()).toEqual([{ version: 1 }])
    connection.close()
    storage = await openSqliteStorage({ path: join(folder, 'quaero.db') })
  })
})
