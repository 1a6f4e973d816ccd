import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { administer, databaseNamed, postgresMissing } from '../../../fixtures/storage/postgres-server.ts'
import { inOwnFolder, storages } from '../../../fixtures/storage/storages.ts'
import { putText } from '../../library/put-text.ts'

const open = storages.PostgreSQL

describe.skipIf(!open)(`the report on a PostgreSQL database (${postgresMissing ?? 'installed'})`, () => {
  it('counts rows, and says of an invalid index and of a changed page what is wrong', async () => {
    if (!open) return
    const { folder, storage, close } = await inOwnFolder(open)
    await putText(storage.library, { id: 'd1', title: null, passages: ['Whales sing.'] })
    expect(await storage.report()).toMatchObject({
      integrity: 'ok',
      rows: { documents: 1, pages: 1, passages: 1, runs: 0 },
      damagedPages: [],
    })
    const url = await databaseNamed(basename(folder))
    await administer(url, `UPDATE quaero.page_pieces SET text = 'Whales sink.'`)
    await administer(
      url,
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'quaero.passage_terms_by_term'::regclass`,
    )
    const { integrity, damagedPages } = await storage.report()
    expect(damagedPages).toEqual([{ documentId: 'd1', page: 1 }])
    expect(await storage.library.damaged?.()).toEqual(['d1'])
    expect(integrity).toContain('REINDEX INDEX quaero.passage_terms_by_term')
    await close()
  })
})
