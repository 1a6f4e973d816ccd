import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.ts'
import { searchPassages } from '../../../src/library/search.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { putText } from './put-text.ts'

const lemon = 'Lemon juice is sour because it holds citric acid. Citric acid has a pH of about two.'
const lime = 'Lime juice is green. The acid in it is citric too, and limes grow in warm countries.'
const ships = 'Sailors drank the juice of limes against scurvy on long voyages of sailing ships.'

describe('a search', () => {
  let storage: Storage

  beforeAll(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
    await putText(storage.library, { id: 'lemon', title: 'On lemons', passages: [lemon, 'Lemons are yellow.'] })
    await putText(storage.library, { id: 'lime', title: 'On limes', passages: [lime, ships] })
    await putText(storage.library, {
      id: 'cited',
      title: 'Works on fruit',
      passages: ['References. A. Smith. Citric acid in lemon juice. 2001.'],
      kind: 'references',
    })
  })
  afterAll(() => storage.close())

  it('finds the passage that holds most of the question, with its place in the document', async () => {
    const hits = await searchPassages(storage.library, 'How sour is the citric acid of lemon juice?')
    expect(hits[0]).toMatchObject({ rank: 1, documentId: 'lemon', title: 'On lemons', page: 1, text: lemon, start: 0 })
    expect(hits[0]?.end).toBe(lemon.length)
    expect(hits.map(({ rank }) => rank)).toEqual(hits.map((_, i) => i + 1))
  })

  it('scores a passage by the share of the question that it holds, from 0 to 1', async () => {
    const [whole] = await searchPassages(storage.library, 'citric acid lemon juice')
    const [part] = await searchPassages(storage.library, 'citric acid of the planet Jupiter, measured from orbit')
    expect(whole?.score).toBeGreaterThan(0.5)
    expect(whole?.score).toBeLessThanOrEqual(1)
    expect(part?.score).toBeLessThan(0.3)
  })

  it('puts a passage about a subject before the title of a work that is merely cited', async () => {
    const hits = await searchPassages(storage.library, 'citric acid in lemon juice')
    expect(hits[0]?.documentId).toBe('lemon')
    const asked = await searchPassages(storage.library, 'references on citric acid in lemon juice')
    expect(asked[0]?.documentId).toBe('cited')
  })

  it('counts a synonym where the word itself is missing, but for less', async () => {
    const passages = [
      'The contract of the harbour may be annulled in June.',
      'The contract of the harbour may be painted in June.',
      'The contract of the harbour may be cancelled in June.',
    ]
    await putText(storage.library, { id: 'contract', title: null, passages })
    const hits = await searchPassages(storage.library, 'cancel contract', { documents: ['contract'] })
    expect(hits.map(({ text }) => /may be (\w+)/.exec(text)?.[1])).toEqual(['cancelled', 'annulled', 'painted'])
  })

  it('prefers words that stand together', async () => {
    await putText(storage.library, {
      id: 'near',
      title: null,
      passages: [
        'The write latency of the store is high while the read load of it stays low at all hours of a day.',
        'The read latency of the store is high while the write load of it stays low at all hours of a day.',
      ],
    })
    const hits = await searchPassages(storage.library, 'read latency', { documents: ['near'] })
    expect(hits[0]?.text).toMatch(/^The read latency/)
  })

  it('counts a relative of a word in part where the word itself is missing', async () => {
    await putText(storage.library, {
      id: 'related',
      title: null,
      passages: ['Settlers of the valley grow wheat.', 'The valley naturalises settlers who grow wheat.'],
    })
    const hits = await searchPassages(storage.library, 'naturalized settlers valley', { documents: ['related'] })
    expect(hits[0]?.text).toMatch(/naturalises/)
  })

  it('looks only in the documents it is limited to', { tags: ['R23'] }, async () => {
    const hits = await searchPassages(storage.library, 'citric acid', { documents: ['lime'] })
    expect(hits.map(({ documentId }) => documentId)).toEqual(['lime'])
  })

  it('returns as many as asked for', async () => {
    expect(await searchPassages(storage.library, 'juice', { limit: 1 })).toHaveLength(1)
    expect(await searchPassages(storage.library, 'zirconium')).toEqual([])
  })

  it.each(['', '   ', '?!', '—'])(
    'of "%s" is refused, since there is nothing to look for',
    { tags: ['R20'] },
    async (query) => {
      await expect(searchPassages(storage.library, query)).rejects.toThrow(UsageError)
    },
  )
})
