import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { DocumentAmbiguous, DocumentNotFound, UsageError } from '../../../src/errors.ts'
import { openLibrary } from '../../../src/library/open-library.ts'
import type { Library } from '../../../src/library/port/library.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { putText } from './put-text.ts'

describe('a library', () => {
  let storage: Storage
  let library: Library

  beforeEach(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
    const index = storage.library
    const settings = loadConfig({ env: {} }).settings.library
    library = openLibrary({ index, vectors: storage.vectors, semantic: null, settings, passages: 10 })
    const ponds = ['Frogs live here.', 'The pond is deep.', 'Ducks swim on it.']
    await putText(index, { id: 'aa11000000000000', title: 'Ponds', source: 'x/ponds.txt', passages: ponds })
    await putText(index, {
      id: 'aa22000000000000',
      title: 'Lakes',
      source: 'x/lakes.txt',
      passages: ['A pond is no lake.'],
    })
  })
  afterEach(() => storage.close())

  it('shows, sets, reads and removes the document that the beginning of an id or a file name means', async () => {
    expect((await library.document('aa2')).title).toBe('Lakes')
    expect((await library.show('ponds.txt')).document.documentId).toBe('aa11000000000000')
    expect((await library.set('aa2', { title: 'On lakes' })).document.title).toBe('On lakes')
    expect((await library.text('lakes.txt', 1)).text).toBe('A pond is no lake.')
    await library.remove('aa2')
    expect((await library.list()).map(({ title }) => title)).toEqual(['Ponds'])
  })

  it('does nothing to documents that a name may mean as well', async () => {
    for (const work of [
      library.show('aa'),
      library.set('aa', { year: 2020 }),
      library.text('aa', 1),
      library.remove('aa'),
    ])
      await expect(work).rejects.toThrow(DocumentAmbiguous)
    expect(await library.list()).toHaveLength(2)
  })

  it('searches only the documents named', { tags: ['R23'] }, async () => {
    const found = async (...documents: string[]) =>
      (await library.search('pond', { documents })).map(({ documentId }) => documentId)
    expect(await found('aa2')).toEqual(['aa22000000000000'])
    expect([...new Set(await found('aa2', 'ponds.txt'))].sort()).toEqual(['aa11000000000000', 'aa22000000000000'])
    expect(await found()).toEqual([])
    await expect(found('aa')).rejects.toThrow(DocumentAmbiguous)
    await expect(found('rivers.txt')).rejects.toThrow(DocumentNotFound)
  })

  it('hands over what stands before and after a passage', async () => {
    const [hit] = await library.search('deep pond', { context: 1, limit: 1 })
    expect(hit?.before?.map(({ text }) => text)).toEqual(['Frogs live here.'])
    expect(hit?.after?.map(({ text }) => text)).toEqual(['Ducks swim on it.'])
    const around = await library.passages('aa11000000000000.0', { after: 2 })
    expect(around.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2])
    await expect(library.passages('aa11000000000000.7')).rejects.toThrow(DocumentNotFound)
    await expect(library.passages('aa11000000000000.0', { before: -1 })).rejects.toThrow(UsageError)
  })
})
