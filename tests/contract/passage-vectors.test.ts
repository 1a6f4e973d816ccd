import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PassageVectors, VectorSpace } from '../../src/library/port/passage-vectors.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { inOwnFolder, storages } from '../fixtures/storage/storages.ts'
import { putText } from '../unit/library/put-text.ts'

describe.each(Object.entries(storages))('vectors of passages in %s', (_, open) => {
  const recipe = { model: 'm', dimensions: null, prefix: '' }
  let folder: string
  let storage: Storage
  let close: () => Promise<void>
  let vectors: PassageVectors
  let space: VectorSpace

  beforeEach(async () => {
    ;({ folder, storage, close } = await inOwnFolder(open))
    vectors = storage.vectors
    await putText(storage.library, { id: 'd1', title: null, passages: ['one', 'two'] })
    await putText(storage.library, { id: 'd2', title: null, passages: ['three'] })
    space = await vectors.openSpace(recipe, 2)
  })
  afterEach(() => close())

  const missing = (documents: readonly string[] | null = null, of: VectorSpace | null = space) =>
    vectors.missing(of, { after: 0, limit: 10, documents })
  const ids = async (documents: readonly string[] | null = null) =>
    (await missing(documents)).map(({ passageId }) => passageId)
  /** Gives a passage a vector, under the hash given or one of its own. */
  async function put(passageId: string, hash = passageId, vector = Float32Array.from([0.6, 0.8]), into = space) {
    await vectors.put(into, [{ hash, passages: [passageId], vector }])
  }

  it('are missing until they are put, in the order of the passages and by document', async () => {
    expect(await ids()).toEqual(['d1.0', 'd1.1', 'd2.0'])
    expect(await missing(null, null)).toEqual(await missing())
    await put('d1.0')
    expect(await ids()).toEqual(['d1.1', 'd2.0'])
    expect(await ids(['d1'])).toEqual(['d1.1'])
    const [first] = await missing()
    expect(await vectors.missing(space, { after: first!.number, limit: 1, documents: null })).toMatchObject([
      { passageId: 'd2.0' },
    ])
    expect(await vectors.coverage(space)).toEqual({ passages: 3, embedded: 1 })
    expect(await vectors.coverage(space, ['d2'])).toEqual({ passages: 1, embedded: 0 })
    expect(await vectors.coverage(null)).toEqual({ passages: 3, embedded: 0 })
  })

  it('come back as they were put, in the order of their numbers', async () => {
    await put('d1.0', 'a', Float32Array.from([1, 0]))
    await put('d1.1', 'b', Float32Array.from([0.6, 0.8]))
    const read = await vectors.read(space, { after: 0, limit: 10 })
    const floats = read.map(({ components }) => [...new Float32Array(Uint8Array.from(components).buffer)])
    expect(floats).toEqual([
      [1, 0],
      [Math.fround(0.6), Math.fround(0.8)],
    ])
    expect(await vectors.read(space, { after: read[0]!.id, limit: 10 })).toEqual(read.slice(1))
    expect(await vectors.extent(space)).toEqual({ count: 2, last: read[1]!.id })
  })

  it('are one for all passages of the same text', async () => {
    await put('d1.0', 'same')
    const text = { hash: 'same', passages: ['d2.0'] }
    expect(await vectors.link(space, [text, { hash: 'other', passages: ['d2.0'] }])).toEqual([text])
    const [{ id } = { id: 0 }] = await vectors.read(space, { after: 0, limit: 10 })
    const holders = [
      { vector: id, passageId: 'd1.0' },
      { vector: id, passageId: 'd2.0' },
    ]
    expect(await vectors.passagesOf([id], null)).toEqual(holders)
    expect(await vectors.passagesOf([id], ['d2'])).toEqual(holders.slice(1))
    expect(await vectors.vectorsOf(space, ['d1', 'd2'])).toEqual([id])
    expect((await vectors.extent(space)).count).toBe(1)
  })

  it('go with the last passage that holds their text, and their numbers are not used again', async () => {
    await put('d1.0', 'same')
    await vectors.link(space, [{ hash: 'same', passages: ['d2.0'] }])
    const { last } = await vectors.extent(space)
    await storage.library.remove('d2')
    expect([await vectors.prune(), (await vectors.extent(space)).count]).toEqual([0, 1])
    await storage.library.remove('d1')
    expect([await vectors.prune(), (await vectors.extent(space)).count]).toEqual([1, 0])
    await putText(storage.library, { id: 'd3', title: null, passages: ['four'] })
    await put('d3.0')
    expect((await vectors.extent(space)).last).toBeGreaterThan(last)
  })

  it('are kept for a document that is stored anew', async () => {
    await put('d2.0', 'hash of three')
    await putText(storage.library, { id: 'd2', title: 'Named', passages: ['three'] })
    expect(await ids()).toEqual(['d1.0', 'd1.1', 'd2.0'])
    const text = { hash: 'hash of three', passages: ['d2.0'] }
    expect(await vectors.link(space, [text])).toEqual([text])
  })

  it('may arrive after their passage is gone', async () => {
    await storage.library.remove('d1')
    await put('d1.0')
    expect(await vectors.prune()).toBe(1)
  })

  it('of another model, dimension or prefix are never mixed, and go when they are dropped', async () => {
    await put('d1.0')
    const others = [
      { ...recipe, model: 'n' },
      { ...recipe, dimensions: 2 },
      { ...recipe, prefix: 'passage: ' },
    ]
    for (const other of others) expect(await vectors.space(other)).toBeNull()
    expect(await vectors.space(recipe)).toEqual(space)
    const newer = await vectors.openSpace(recipe, 3)
    // An empty one is not used yet, so that whoever opens one and then fails hides nothing.
    expect(await vectors.space(recipe)).toEqual(space)
    expect(await missing(null, newer)).toHaveLength(3)
    await put('d1.0', 'd1.0', Float32Array.from([1, 0, 0]), newer)
    expect(await vectors.space(recipe)).toEqual(newer)
    expect((await vectors.extent(space)).count).toBe(1)
    await vectors.dropOtherSpaces(newer)
    expect([(await vectors.extent(space)).count, (await vectors.extent(newer)).count]).toEqual([0, 1])
    expect(await vectors.coverage(newer)).toEqual({ passages: 3, embedded: 1 })
  })

  it('leave out pages of the web', async () => {
    const page = { number: 1, label: null, text: 'web', header: null }
    const record = {
      documentId: 'w',
      title: null,
      authors: [],
      year: null,
      source: 'https://a.example',
      format: 'web',
    } as const
    const passage = {
      passageId: 'w.0',
      documentId: 'w',
      ordinal: 0,
      page: 1,
      section: null,
      kind: 'text',
      start: 0,
      end: 3,
      text: 'web',
    } as const
    await storage.library.put(
      { record, pages: [page], passages: [passage] },
      { source: 'https://a.example', documentId: 'w', size: 3, modifiedMs: 0 },
    )
    expect((await ids()).includes('w.0')).toBe(false)
    expect((await vectors.coverage(space)).passages).toBe(3)
  })

  it('show that something has changed, here or in another process', async () => {
    const other = await open(folder)
    const versions = [await other.vectors.version()]
    expect(await other.vectors.version()).toBe(versions[0])
    await put('d1.0')
    versions.push(await other.vectors.version())
    await other.vectors.prune()
    versions.push(await other.vectors.version())
    await other.close()
    expect(new Set(versions).size).toBe(3)
  })
})
