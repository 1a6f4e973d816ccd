import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DocumentNotFound } from '../../src/errors.ts'
import type { DocumentFormat, NewDocument, PageTable, PageText, Passage } from '../../src/library/port/document.ts'
import { type DocumentBatch, piecesOf } from '../../src/library/port/document.ts'
import type { PassageIndex, SourceRecord } from '../../src/library/port/passage-index.ts'
import { copyDocuments } from '../../src/storage/copy/copy-documents.ts'
import { inOwnFolder, storages } from '../fixtures/storage/storages.ts'

describe.each(Object.entries(storages))('a passage index in %s', (_, open) => {
  let index: PassageIndex
  let close: () => Promise<void>

  beforeEach(async () => {
    const opened = await inOwnFolder(open)
    index = opened.storage.library
    close = opened.close
  })
  afterEach(() => close())

  const add = (document: NewDocument) => index.put(document, sourceOf(document))
  const find = async (...terms: string[]) =>
    (await index.match({ terms, limit: 10, documents: null })).map(({ passage }) => passage.passageId)

  it('keeps a document with its pages and passages', { tags: ['R30'] }, async () => {
    const document = paper('d1', ['Whales sing low. Bats call high.', 'Owls are quiet.'])
    await add(document)
    const stored = { ...document.record, pages: 2, passages: 3, tags: [], addedAt: expect.stringMatching(/^20.*Z$/) }
    expect(await index.documents()).toEqual([stored])
    expect(await index.document('d1')).toEqual(stored)
    expect(await index.page('d1', 2)).toEqual(document.pages[1])
    expect(await index.passagesOf('d1')).toEqual(document.passages)
    expect(await index.passagesOf('d1', 2)).toEqual(document.passages.slice(2))
    expect(await index.passages(['d1.2', 'd1.0', 'none'])).toEqual([document.passages[2], document.passages[0]])
    expect(await index.source('/papers/d1.pdf')).toEqual(sourceOf(document))
  })

  it('keeps tags: of a document that is still to come, of its next version, of one that is gone, and in a copy', async () => {
    const tagsOf = async (id: string, from = index) => (await from.document(id))?.tags
    await index.tag(['d1', 'd2'], { add: ['whales', 'field notes'] })
    await add(paper('d1', ['Whales sing low.']))
    expect(await tagsOf('d1')).toEqual(['field notes', 'whales'])
    await index.override('d1', { title: 'On whales' })
    await index.tag(['d1'], { add: ['kind:essay'], remove: ['Field Notes', 'never given'] })
    expect(await index.document('d1')).toMatchObject({ title: 'On whales', tags: ['kind:essay', 'whales'] })
    await index.override('d1', { title: null })
    expect(await tagsOf('d1')).toEqual(['kind:essay', 'whales'])
    const other = await inOwnFolder(open)
    await copyDocuments(index, other.storage.library, () => {})
    const { tags: _, ...copied } = (await index.document('d1')) ?? { tags: [] }
    expect(await other.storage.library.document('d1')).toEqual({ ...copied, tags: ['kind:essay', 'whales'] })
    await other.close()
    // The same file with other bytes.
    await index.tag(['d3'], { add: ['new'] })
    const next = paper('d3', ['Whales sing lower.'])
    await index.put(next, { ...sourceOf(next), source: '/papers/d1.pdf' })
    expect(await tagsOf('d3')).toEqual(['kind:essay', 'new', 'whales'])
    await index.remove('d3')
    expect([...(await index.tagged(['whales']))].sort()).toEqual(['d1', 'd2', 'd3'])
    expect(await index.tagged(['whale'])).toEqual([])
    await add(next)
    expect(await tagsOf('d3')).toEqual(['kind:essay', 'new', 'whales'])
    await index.tag(['d3'], { remove: ['kind:essay', 'new', 'whales'] })
    expect(await tagsOf('d3')).toEqual([])
  })

  it('keeps the reference of a document: in its next version, in a copy, and until it is taken back or the document removed', async () => {
    const reference = { id: 'zhang2021', type: 'article-journal', DOI: '10.5555/x' }
    await add(paper('d1', ['Whales sing low.']))
    expect(await index.document('d1')).not.toHaveProperty('reference')
    await index.override('d1', { title: 'On whales', reference })
    expect(await index.document('d1')).toMatchObject({ title: 'On whales', reference })
    expect((await index.match({ terms: ['sing'], limit: 1, documents: null }))[0]?.document).toMatchObject({
      reference,
    })
    const other = await inOwnFolder(open)
    await copyDocuments(index, other.storage.library, () => {})
    expect(await other.storage.library.document('d1')).toEqual(await index.document('d1'))
    await other.close()
    const next = paper('d2', ['Whales sing lower.'])
    await index.put(next, { ...sourceOf(next), source: '/papers/d1.pdf' })
    expect(await index.documents()).toMatchObject([{ documentId: 'd2', reference }])
    await index.override('d2', { reference: null })
    expect(await index.document('d2')).not.toHaveProperty('reference')
    await index.override('d2', { reference })
    await index.remove('d2')
    await add(next)
    expect(await index.document('d2')).not.toHaveProperty('reference')
  })

  it('keeps where the sections of a passage begin, and a copy does', async () => {
    const document = paper('d1', ['Whales sing low. Owls are quiet.'])
    const [first, ...others] = document.passages as [Passage, ...Passage[]]
    const sections = [
      [0, 'Whales'],
      [6, 'Whales > Songs'],
    ] as const
    await add({ ...document, passages: [{ ...first, sections }, ...others] })
    const kept = [{ ...first, sections }, ...others]
    expect(await index.passagesOf('d1')).toEqual(kept)
    expect((await index.match({ terms: ['whales'], limit: 1, documents: null }))[0]?.passage).toEqual(kept[0])
    const other = await inOwnFolder(open)
    await copyDocuments(index, other.storage.library, () => {})
    expect(await other.storage.library.passagesOf('d1')).toEqual(kept)
    await other.close()
  })

  it('keeps what of a page stands in no passage, and a copy does', { tags: ['Q14'] }, async () => {
    const document = paper('d1', ['Whales sing low.', 'Owls are quiet. 8'])
    const head = { reason: 'running head', text: 'Annals\0', start: null } as const
    const number = { reason: 'page number', text: '8', start: 16 } as const
    const [first, second] = document.pages as [PageText, PageText]
    const pages = [
      { ...first, leftOut: [head] },
      { ...second, leftOut: [head, number] },
    ]
    await add({ ...document, pages })
    const kept = [
      { page: 1, ...head },
      { page: 2, ...head },
      { page: 2, ...number },
    ]
    expect(await index.leftOut('d1')).toEqual(kept)
    const other = await inOwnFolder(open)
    await copyDocuments(index, other.storage.library, () => {})
    expect(await other.storage.library.leftOut('d1')).toEqual(kept)
    await other.close()
  })

  it('keeps how sure it is what was recognised in pictures, and a copy does', async () => {
    const document = paper('d1', ['Whales sing low.', 'Owls are quiet.', 'Bats call high.'])
    const [first, second, third] = document.pages as [PageText, PageText, PageText]
    await add({ ...document, pages: [{ ...first, confidence: 0.91 }, second, { ...third, confidence: 0 }] })
    const kept = [
      { page: 1, confidence: 0.91 },
      { page: 3, confidence: 0 },
    ]
    expect(await index.recognised('d1')).toEqual(kept)
    expect([await index.recognised('d1', 2), await index.recognised('d1', 3)]).toEqual([[], kept.slice(1)])
    const other = await inOwnFolder(open)
    await copyDocuments(index, other.storage.library, () => {})
    expect(await other.storage.library.recognised('d1')).toEqual(kept)
    await other.close()
  })

  it('does not know it of pages that were stored without', async () => {
    await add(paper('d1', ['Whales sing low.']))
    expect(await index.leftOut('d1')).toBeNull()
  })

  it('knows nothing of what is not there', async () => {
    expect(await index.documents()).toEqual([])
    expect(await index.document('d1')).toBeNull()
    expect(await index.page('d1', 1)).toBeNull()
    expect(await index.source('/papers/d1.pdf')).toBeNull()
    expect(await index.passagesOf('d1')).toEqual([])
    expect(await index.remove('d1')).toBe(false)
    expect(await find('whales')).toEqual([])
  })

  it('cuts passages out by UTF-16 offsets, whatever the page holds', async () => {
    const unit = fc.constantFrom('a', 'é', '漢', '😀', '\0', '\n', '"', '\u2028', 'e\u0301')
    const text = fc.array(unit, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), fc.nat(), async (page, a, b) => {
        const [start, end] = [a % page.length, b % page.length].toSorted((x, y) => x - y) as [number, number]
        const whole = passage('d1', 0, { page: 1, start, end, text: page.slice(start, end) })
        const base = paper('d1', [page])
        await add({ ...base, passages: [whole] })
        expect((await index.page('d1', 1))?.text).toBe(page)
        const [kept] = await index.passages(['d1.0'])
        // Half of a surrogate pair at a passage's edge is still the page's text.
        expect(kept?.text).toBe(page.slice(start, end))
      }),
      { numRuns: 100 },
    )
  })

  it('keeps the tables of a page, each where it stands, also in a long text', { tags: ['Q13'] }, async () => {
    const table = (start: number) =>
      ({
        ...{ start, end: start + 40, whole: { start, end: start + 40 }, caption: 'Depths', unit: 'm' },
        columns: [{ path: ['Pond'], unit: null, period: null, isLabel: true }],
        rows: [
          {
            start,
            end: start + 5,
            label: 'North',
            section: [],
            unit: null,
            period: null,
            cells: [[0, start, start + 5]],
          },
        ],
      }) satisfies PageTable
    const tables = [table(10), table(16_380), table(40_000)]
    const base = paper('d1', ['x'.repeat(50_000)])
    await add({ ...base, pages: base.pages.map((page) => ({ ...page, tables })) })
    expect(await index.tables('d1', 1)).toEqual(tables)
    expect(await index.tables('d1', 1, { start: 16_400, end: 16_401 })).toEqual([tables[1]])
    expect(await index.tables('d1', 1, { start: 30, end: 40_001 })).toEqual(tables)
    expect(await index.tables('d1', 1, { start: 60, end: 61 })).toEqual([])
    expect(await index.tables('d1', 2)).toEqual([])
  })

  it('finds passages by their words, best first, and only in the documents asked for', { tags: ['R23'] }, async () => {
    await add(paper('d1', ['Whales sing low. Bats call high.']))
    await add(paper('d2', ['Bats hear whales. Bats and bats.']))
    const all = await index.match({ terms: ['bats'], limit: 10, documents: null })
    expect(all.map(({ passage: { passageId } }) => passageId)).toEqual(['d2.1', 'd1.1', 'd2.0'])
    expect(all.map(({ bm25 }) => bm25)).toEqual(all.map(({ bm25 }) => bm25).toSorted((a, b) => b - a))
    expect(all[0]).toMatchObject({
      passage: { text: 'Bats and bats.' },
      document: { documentId: 'd2', authors: ['Zhang'] },
    })

    const within = (documents: readonly string[]) => index.match({ terms: ['bats'], limit: 10, documents })
    expect((await within(['d1'])).map(({ passage: { passageId } }) => passageId)).toEqual(['d1.1'])
    expect(await within([])).toEqual([])
    expect(await within(['unknown'])).toEqual([])
    expect(await index.match({ terms: ['bats'], limit: 1, documents: null })).toHaveLength(1)
    expect(await index.match({ terms: [], limit: 10, documents: null })).toEqual([])
  })

  it('finds other forms of a word, without regard to case and accents', async () => {
    await add(paper('d1', ['Résumés were measured.']))
    expect(await find('MEASURING')).toEqual(['d1.0'])
    expect(await find('resume')).toEqual(['d1.0'])
  })

  it('finds passages by title, file name, heading and page header too, a title before the rest', async () => {
    const document = paper('d1', ['Nothing here.'], { title: 'Bioacoustics', header: 'Proceedings' })
    await add(document)
    await add(paper('d2', ['Bioacoustics is a word in the text of this one here.']))
    expect(await find('proceedings')).toEqual(['d1.0'])
    expect(await find('results')).toEqual(['d1.0', 'd2.0'])
    expect(await find('d1')).toEqual(['d1.0'])
    expect(await find('bioacoustics')).toEqual(['d1.0', 'd2.0'])
  })

  it('keeps pages from the web without finding passages in them', async () => {
    await add(paper('d1', ['Whales sing.']))
    await add(paper('w1', ['Whales sing louder.'], { format: 'web' }))
    expect(await find('whales')).toEqual(['d1.0'])
    expect((await index.page('w1', 1))?.text).toBe('Whales sing louder.')
    expect((await index.documents()).map(({ documentId }) => documentId)).toEqual(['d1'])
    expect((await index.documents({ includeWeb: true })).map(({ documentId }) => documentId)).toEqual(['d1', 'w1'])
    expect(await index.frequencies(['whales'])).toEqual({ passages: 1, of: new Map([['whales', 1]]) })
  })

  it('counts in how many passages a term stands, as it changes', async () => {
    await add(paper('d1', ['Whales sing. Bats call. Bats sing.']))
    expect(await index.frequencies(['bat', 'singing', 'owl', '—'])).toEqual({
      passages: 3,
      of: new Map(Object.entries({ bat: 2, singing: 2, owl: 0, '—': 0 })),
    })
    await add(paper('d2', ['Owls and bats.']))
    expect(await index.frequencies(['bat', 'owl'])).toEqual({
      passages: 4,
      of: new Map([
        ['bat', 3],
        ['owl', 1],
      ]),
    })
    await index.remove('d1')
    expect(await index.frequencies(['bat', 'owl'])).toEqual({
      passages: 1,
      of: new Map([
        ['bat', 1],
        ['owl', 1],
      ]),
    })
  })

  it('the same document added again changes nothing', { tags: ['R30'] }, async () => {
    const document = paper('d1', ['Whales sing. Bats call.'])
    await add(document)
    await add(document)
    expect(await index.documents()).toHaveLength(1)
    expect(await find('whales')).toEqual(['d1.0'])
    expect((await index.frequencies(['bats'])).of.get('bats')).toBe(1)
  })

  it('a changed file replaces its document', { tags: ['R30'] }, async () => {
    await add(paper('d1', ['Whales sing.']))
    const changed = paper('d2', ['Owls are quiet.'])
    await index.put(changed, { ...sourceOf(changed), source: '/papers/d1.pdf' })
    expect((await index.documents()).map(({ documentId }) => documentId)).toEqual(['d2'])
    expect(await find('whales')).toEqual([])
    expect(await index.passagesOf('d1')).toEqual([])
    expect(await index.page('d1', 1)).toBeNull()
    expect(await index.source('/papers/d1.pdf')).toMatchObject({ documentId: 'd2' })
  })

  it('keeps a document as long as a source points at it', async () => {
    const document = paper('d1', ['Whales sing.'])
    await add(document)
    await index.linkSource({ ...sourceOf(document), source: '/copies/d1.pdf' })
    const other = paper('d2', ['Owls are quiet.'])
    await index.put(other, { ...sourceOf(other), source: '/papers/d1.pdf' })
    expect(await index.document('d1')).toMatchObject({ source: '/copies/d1.pdf' })
    expect(await find('whales')).toEqual(['d1.0'])

    await index.linkSource({ source: '/copies/d1.pdf', documentId: 'd2', size: 1, modifiedMs: 1.5 })
    expect(await index.document('d1')).toBeNull()
    expect(await index.source('/copies/d1.pdf')).toEqual({
      source: '/copies/d1.pdf',
      documentId: 'd2',
      size: 1,
      modifiedMs: 1.5,
    })
  })

  it('refuses a source of a document that is not there', async () => {
    const link = index.linkSource({ source: '/papers/x.pdf', documentId: 'none', size: 1, modifiedMs: 1 })
    await expect(link).rejects.toThrow(DocumentNotFound)
    expect(await index.source('/papers/x.pdf')).toBeNull()
  })

  it('keeps where a file lies', async () => {
    const document = paper('d1', ['Whales sing.'], { title: 'Wales' })
    const source = { ...sourceOf(document), location: '/real/d1.pdf' }
    await index.put(document, source)
    expect(await index.source(source.source)).toEqual(source)
    expect(await index.sources()).toEqual([source])
    await index.linkSource(sourceOf(document))
    expect(await index.source(source.source)).toEqual(sourceOf(document))
  })

  it('lists the files of the person’s documents, not pages from the web', async () => {
    await add(paper('d2', ['Owls are quiet.']))
    await add(paper('d1', ['Whales sing.']))
    await add(paper('w1', ['Whales sing louder.'], { format: 'web' }))
    expect((await index.sources()).map(({ documentId }) => documentId)).toEqual(['d2', 'd1'])
  })

  it('knows who said what of a document, the strongest first', async () => {
    const document = paper('d1', ['Whales sing.'], { title: 'Wales' })
    const from = { title: 'largest font on page 1' }
    await index.put({ ...document, from }, sourceOf(document))
    expect(await index.override('d1', { title: 'On whales', authors: ['Berg'] })).toBe(true)
    expect(await index.metadata('d1')).toEqual({
      title: [
        { value: 'On whales', from: 'library set' },
        { value: 'Wales', from: 'largest font on page 1' },
      ],
      authors: [
        { value: ['Berg'], from: 'library set' },
        { value: ['Zhang'], from: 'the file' },
      ],
      year: [{ value: 2021, from: 'the file' }],
    })
    expect(await index.document('d1')).toMatchObject({ title: 'On whales', authors: ['Berg'], year: 2021 })
    await index.override('d1', { title: null })
    expect(await index.document('d1')).toMatchObject({ title: 'Wales', authors: ['Berg'] })
    expect(await index.override('none', { title: 'x' })).toBe(false)
    expect(await index.metadata('none')).toBeNull()
  })

  it('finds a document by its current title, whatever its source', async () => {
    const document = paper('d1', ['Nothing here.'], { title: 'Zoology' })
    await add(document)
    await index.override('d1', { title: 'Bioacoustics' })
    expect([await find('zoology'), await find('bioacoustics')]).toEqual([[], ['d1.0']])
    // Putting the document once more must not bring the reader's title back.
    await add(document)
    expect([await find('zoology'), await find('bioacoustics')]).toEqual([[], ['d1.0']])
    await index.override('d1', { title: null })
    expect([await find('zoology'), await find('bioacoustics')]).toEqual([['d1.0'], []])
    expect(await index.frequencies(['zoology', 'bioacoustics'])).toMatchObject({
      of: new Map([
        ['zoology', 1],
        ['bioacoustics', 0],
      ]),
    })
  })

  it('forgets a file, and its document with the last', async () => {
    const document = paper('d1', ['Whales sing.'])
    await add(document)
    await index.linkSource({ ...sourceOf(document), source: '/copies/renamed.pdf' })
    expect(await index.unlinkSource('/papers/d1.pdf')).toBe(false)
    expect(await index.document('d1')).toMatchObject({ source: '/copies/renamed.pdf' })
    expect([await find('d1'), await find('renamed')]).toEqual([[], ['d1.0']])
    expect(await index.unlinkSource('/papers/d1.pdf')).toBe(false)
    expect(await index.unlinkSource('/copies/renamed.pdf')).toBe(true)
    expect(await index.documents()).toEqual([])
  })

  it('removes a document with all that belongs to it', async () => {
    await add(paper('d1', ['Whales sing.']))
    await add(paper('d2', ['Whales dive.']))
    expect(await index.remove('d1')).toBe(true)
    expect(await index.document('d1')).toBeNull()
    expect(await index.source('/papers/d1.pdf')).toBeNull()
    expect(await find('whales')).toEqual(['d2.0'])
  })

  it('stores nothing of a document that it cannot store whole', async () => {
    const document = paper('d1', ['Whales sing. Bats call.'])
    const twice = [document.passages[0]!, document.passages[0]!]
    await add(paper('d2', ['Whales dive.']))
    await expect(add({ ...document, passages: twice })).rejects.toThrow()
    expect((await index.documents()).map(({ documentId }) => documentId)).toEqual(['d2'])
    expect(await find('whales')).toEqual(['d2.0'])
  })

  it('shows nothing of a document that arrives in batches until it is complete, and turns the loop between them', async () => {
    const document = paper('d1', ['Whales sing. '.repeat(3_000)])
    const batches = batchesOf(document)
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const seen: unknown[] = []
    const arriving = (async function* () {
      for (const batch of batches) {
        seen.push(
          await index.documents(),
          await index.page('d1', 1),
          await index.passages(['d1.0']),
          await find('whales'),
        )
        yield batch
      }
    })()
    const { record } = document
    expect(await index.putInBatches({ record, batches: arriving }, sourceOf(document))).toBe(true)
    isDone = true
    expect(batches.length).toBeGreaterThan(20)
    expect(turns).toBeGreaterThanOrEqual(batches.length)
    expect(seen.filter((each) => each !== null && !(Array.isArray(each) && each.length === 0))).toEqual([])
    expect(await index.document('d1')).toMatchObject({ ...record, pages: 1, passages: 3_000 })
    expect((await index.page('d1', 1))?.text).toBe(document.pages[0]?.text)
    expect(await index.passagesOf('d1')).toEqual(document.passages)
    expect(await index.passages(['d1.1300'])).toEqual([document.passages[1300]])
    expect(await find('whales')).toHaveLength(10)
    const range = { start: 30_000, end: 30_010 }
    const window = await index.pageWindow('d1', 1, range)
    expect(window?.text.length).toBeLessThan(40_000)
    expect(window?.text.slice(range.start - window.start, range.end - window.start)).toBe(
      document.pages[0]?.text.slice(range.start, range.end),
    )
    expect(await index.remove('d1')).toBe(true)
    expect(await index.documents()).toEqual([])
    expect(await find('whales')).toEqual([])
  })

  it('keeps nothing of a document whose batches end in an error, and what its file held before', async () => {
    const before = paper('d1', ['Whales sing.'])
    await add(before)
    const document = paper('d2', ['Whales dive. '.repeat(1_000)])
    const failing = (async function* () {
      yield* batchesOf(document).slice(0, 5)
      throw new Error('the reader died')
    })()
    const source = { ...sourceOf(document), source: sourceOf(before).source }
    await expect(index.putInBatches({ record: document.record, batches: failing }, source)).rejects.toThrow('died')
    expect(await index.documents()).toHaveLength(1)
    expect(await find('whales')).toEqual(['d1.0'])
    const whole = { record: document.record, batches: arrivingAll(batchesOf(document)) }
    expect(await index.putInBatches(whole, source)).toBe(true)
    expect((await index.documents()).map(({ documentId }) => documentId)).toEqual(['d2'])
  })
})

describe.each(Object.entries(storages))('the queries of a passage index in %s', (name, open) => {
  let index: PassageIndex
  let close: () => Promise<void>

  beforeAll(async () => {
    const opened = await inOwnFolder(open)
    index = opened.storage.library
    close = opened.close
    const document = paper('d1', ['Whales sing low. Bats call high.'])
    await index.put(document, sourceOf(document))
  })
  afterAll(() => close())

  it('thousands of arbitrary words never make an error', {
    tags: ['slow', 'S9', 'F74'],
    timeout: 600_000,
  }, async () => {
    const syntax = fc.constantFrom(
      '"',
      '""',
      '*',
      '^',
      ':',
      '(',
      ')',
      'NEAR(',
      'AND',
      'OR',
      'NOT',
      '{a}',
      '-',
      '+',
      '\0',
      '\ud800',
    )
    const word = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), syntax)
    const terms = fc.array(
      fc.array(word, { maxLength: 3 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 4 },
    )
    // Only SQLite reads words in a language of its own.
    const queries = name === 'SQLite' ? 8_500 : 1_000
    let asked = 0
    await fc.assert(
      fc.asyncProperty(terms, async (words) => {
        await index.match({ terms: words, limit: 5, documents: asked % 2 ? ['d1'] : null })
        await index.frequencies(words)
        asked += words.length
      }),
      { numRuns: queries },
    )
    expect(asked).toBeGreaterThan(2 * queries)
  })

  it('takes document ids as values, never as part of a statement', { tags: ['S9'] }, async () => {
    const hostile = [`d1') OR 1=1 --`, `"]}`, `d1", "d2`]
    expect(await index.match({ terms: ['whales'], limit: 5, documents: hostile })).toEqual([])
  })

  it('takes very many terms', async () => {
    const terms = Array.from({ length: 5_000 }, (_, count) => `word${count}`)
    expect(await index.match({ terms: ['whales', ...terms], limit: 5, documents: null })).toHaveLength(1)
  })
})

function batchesOf({ pages, passages }: NewDocument): DocumentBatch[] {
  const pieces = pages.flatMap((page) => [...piecesOf(page)])
  const parts = Array.from({ length: Math.ceil(passages.length / 100) }, (_, at) =>
    passages.slice(at * 100, at * 100 + 100),
  )
  return [{ pages: pieces, passages: [] }, ...parts.map((part) => ({ pages: [], passages: part }))]
}

async function* arrivingAll(batches: readonly DocumentBatch[]): AsyncGenerator<DocumentBatch> {
  yield* batches
}

/** One passage a sentence. */
function paper(
  documentId: string,
  texts: readonly string[],
  {
    title = null,
    header = null,
    format = 'pdf',
  }: { title?: string | null; header?: string | null; format?: DocumentFormat } = {},
): NewDocument {
  const pages = texts.map((text, at) => ({ number: at + 1, label: null, text, header }))
  const sentences = pages.flatMap(({ number, text }) =>
    [...text.matchAll(/[^.]+\./g)].map((found) => ({ page: number, text: found[0].trim(), at: found.index })),
  )
  const passages = sentences.map(({ page, text, at }, ordinal) => {
    const start = at + (texts[page - 1]!.slice(at).length - texts[page - 1]!.slice(at).trimStart().length)
    return passage(documentId, ordinal, { page, start, end: start + text.length, text })
  })
  const record = { documentId, title, authors: ['Zhang'], year: 2021, source: `/papers/${documentId}.pdf`, format }
  return { record, pages, passages }
}

function passage(
  documentId: string,
  ordinal: number,
  place: Pick<Passage, 'page' | 'start' | 'end' | 'text'>,
): Passage {
  return { passageId: `${documentId}.${ordinal}`, documentId, ordinal, section: '4 Results', kind: 'text', ...place }
}

function sourceOf({ record }: NewDocument): SourceRecord {
  return { source: record.source, documentId: record.documentId, size: 10, modifiedMs: 1234.5 }
}
