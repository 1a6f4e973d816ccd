import { describe, expect, it } from 'vitest'
import { openPostgresStorage } from '../../../../src/storage/postgres/postgres-storage.ts'
import { newDatabase } from '../../../fixtures/storage/new-database.ts'
import { administer, postgresMissing } from '../../../fixtures/storage/postgres-server.ts'
import { putText } from '../../library/put-text.ts'

describe.skipIf(postgresMissing !== null)(
  `the report on a PostgreSQL database (${postgresMissing ?? 'installed'})`,
  () => {
    it('counts rows, and says of an invalid index and of a changed page what is wrong', async () => {
      const { url } = await newDatabase()
      const storage = await openPostgresStorage({ url })
      await putText(storage.library, { id: 'd1', title: null, passages: ['Whales sing.'] })
      expect(await storage.report()).toMatchObject({
        integrity: 'ok',
        rows: { documents: 1, pages: 1, passages: 1, runs: 0 },
        damagedPages: [],
      })
      await administer(url, `UPDATE quaero.page_pieces SET text = 'Whales sink.'`)
      await administer(
        url,
        `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'quaero.passage_terms_by_term'::regclass`,
      )
      const { integrity, damagedPages } = await storage.report()
      expect(damagedPages).toEqual([{ documentId: 'd1', page: 1 }])
      expect(await storage.library.damaged?.()).toEqual(['d1'])
      expect(integrity).toContain('REINDEX INDEX quaero.passage_terms_by_term')
      await storage.close()
    })
  },
)
