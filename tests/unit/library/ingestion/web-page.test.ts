import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeWebPage, webText } from '../../../../src/library/ingestion/web-page.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'

let storage: Storage

beforeAll(async () => {
  storage = await openSqliteStorage({ path: ':memory:' })
})
afterAll(() => storage.close())

describe('a web page that is kept', () => {
  const page = { url: 'https://example.org/a', title: 'A page', text: 'The model is accurate.\nIt is 87.2 % so.' }

  it('can be read again letter by letter, and is a document of format web', { tags: ['R18'] }, async () => {
    const { documentId } = await storeWebPage(storage.library)(page)
    expect(documentId).toMatch(/^[0-9a-f]{16}$/)
    expect(await storage.library.page(documentId, 1)).toMatchObject({ number: 1, text: page.text })
    expect(await storage.library.document(documentId)).toMatchObject({
      title: 'A page',
      source: page.url,
      format: 'web',
      pages: 1,
      passages: 0,
    })
  })

  it("is no document of the person's own, and no search of the library finds it", async () => {
    await storeWebPage(storage.library)(page)
    expect(await storage.library.documents()).toEqual([])
    expect(await storage.library.documents({ includeWeb: true })).toHaveLength(1)
    expect(await storage.library.match({ terms: ['accurate'], limit: 10, documents: null })).toEqual([])
  })

  it('is kept once, and stays when the page has changed since', async () => {
    const store = storeWebPage(storage.library)
    const first = await store(page)
    expect(await store(page)).toEqual(first)
    const second = await store({ ...page, text: 'Everything is new.' })
    expect(second).not.toEqual(first)
    expect((await storage.library.page(first.documentId, 1))?.text).toBe(page.text)
    expect((await storage.library.page(second.documentId, 1))?.text).toBe('Everything is new.')
  })
})

describe('text from the web', () => {
  it('holds no control characters, nothing invisible, and no empty lines', { tags: ['S21'] }, () => {
    const hidden = String.fromCodePoint(0xe0041, 0x202e, 0x200b, 0xad)
    expect(webText(`  one${hidden}\t two \r\n\n\u2028 three\u001b]0;x\u0007\ud800  `)).toBe('one two\nthree ]0;x')
    expect(webText(`Results ${'.'.repeat(50)} 5 !?!?!?`)).toBe('Results ... 5 !?!')
  })
})
