import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Passage } from '../../../../src/library/port/document.ts'
import { searchPassages } from '../../../../src/library/search.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { putText } from '../put-text.ts'

const final =
  'The committee met in the spring to decide on the price of water for the lower valley. It found that farmers pay 40 ' +
  'cents for each cubic metre, which covers the cost of pumping and of the canals, and that households pay more. Its ' +
  'members agreed to keep the price as it is until the new reservoir above the village has been filled for the first time.'

describe('a text that stands in two places', () => {
  let storage: Storage

  beforeEach(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
  })
  afterEach(() => storage.close())

  async function found(texts: readonly string[], kind: Passage['kind'] = 'text') {
    for (const [i, text] of texts.entries()) {
      await putText(storage.library, { id: `d${i}`, title: i === 0 ? 'Final' : 'Draft', kind, passages: [text] })
    }
    const hits = await searchPassages(storage.library, 'What price do farmers pay for the water of the valley?')
    return hits.map(({ documentId, also }) => [documentId, ...also.map((other) => other.documentId)].sort())
  }

  it('takes one place among the results, and names the other', async () => {
    expect(await found([final, final])).toEqual([['d0', 'd1']])
    const [hit] = await searchPassages(storage.library, 'price of water')
    const place = { page: 1, pageLabel: null, format: 'text' }
    expect(hit?.also).toEqual([{ passageId: 'd1.0', documentId: 'd1', title: 'Draft', source: 'd1.txt', ...place }])
  })

  it('may differ in case and in layout', async () => {
    const draft = final.replace('households pay', 'Households\npay')
    expect(await found([final, draft])).toEqual([['d0', 'd1']])
  })

  it('leaves its place to the next text', async () => {
    await found([final, final])
    await putText(storage.library, { id: 'other', title: null, passages: ['Farmers pay no price for rain.'] })
    const hits = await searchPassages(storage.library, 'price farmers pay', { limit: 2 })
    expect(hits.map(({ documentId }) => documentId)).toContain('other')
  })

  it.each([
    ['a figure', final.replace('40 cents', '45 cents')],
    ['a sign', final.replace('40 cents', '-40 cents')],
    ['a negation', final.replace('which covers', 'which no longer covers')],
  ])('is another one if it differs in %s', async (_, other) => {
    expect(await found([final, other])).toHaveLength(2)
  })

  it('takes one place too if it stands twice in one document', async () => {
    await putText(storage.library, { id: 'one', title: null, passages: [final, final] })
    const hits = await searchPassages(storage.library, 'price of water')
    expect(hits.map(({ passageId, also }) => [passageId, ...also.map((other) => other.passageId)])).toEqual([
      ['one.0', 'one.1'],
    ])
  })
})
