import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DocumentAmbiguous, DocumentNotFound } from '../../../src/errors.ts'
import { findDocument, findDocumentIds } from '../../../src/library/open-library.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { putText } from './put-text.ts'

describe('a document', () => {
  let storage: Storage
  const idOf = async (named: string) => (await findDocument(storage.library, named)).documentId

  beforeAll(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
    const put = (id: string, title: string | null, source: string) =>
      putText(storage.library, { id, title, source, passages: ['Text.'] })
    await put('3f2a9c01d4e5b678', 'On ponds', 'papers/ponds.pdf')
    await put('3f2b000000000000', null, 'papers/lakes.pdf')
    await put('77aa000000000000', 'On lakes', 'drafts/lakes.pdf')
    await put('77aa', 'A short id', 'short.txt')
  })
  afterAll(() => storage.close())

  it('is named by its id, or by as much of it as no other shares', async () => {
    expect(await idOf('3f2a9c01d4e5b678')).toBe('3f2a9c01d4e5b678')
    expect(await idOf('3f2a')).toBe('3f2a9c01d4e5b678')
    expect(await idOf('3F2A')).toBe('3f2a9c01d4e5b678')
  })

  it('is named by the whole id where that is the beginning of another', async () => {
    expect(await idOf('77aa')).toBe('77aa')
  })

  it('is named by its file', async () => {
    expect(await idOf('ponds.pdf')).toBe('3f2a9c01d4e5b678')
    expect(await idOf('drafts/lakes.pdf')).toBe('77aa000000000000')
  })

  it('is not guessed: what fits several names them', async () => {
    await expect(idOf('3f2')).rejects.toThrow(DocumentAmbiguous)
    await expect(idOf('3f2')).rejects.toMatchObject({
      code: 'document_ambiguous',
      candidates: ['3f2a9c01d4e5b678', '3f2b000000000000'].sort(),
      message: expect.stringContaining('3f2a9c01d4e5b678 (On ponds)'),
    })
    await expect(idOf('lakes.pdf')).rejects.toThrow(/may be 2 documents/)
  })

  it.each(['', 'ffff', 'ponds', '%'])('is not found as "%s"', async (named) => {
    await expect(idOf(named)).rejects.toThrow(DocumentNotFound)
  })

  it('named twice is one', async () => {
    expect(await findDocumentIds(storage.library, ['3f2a', 'ponds.pdf'])).toEqual(['3f2a9c01d4e5b678'])
  })
})
