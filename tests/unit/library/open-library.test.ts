import { utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DocumentNotFound, UsageError } from '../../../src/errors.ts'
import type { MetadataChange } from '../../../src/library/port/document.ts'
import { makePdf } from '../../fixtures/documents/make-pdf.ts'
import { type LibraryInFolder, libraryInFolder } from './in-folder.ts'

describe('a place in a table', { tags: ['Q13'] }, () => {
  it('is told by its row, column, unit and period, and the table is shown whole', async () => {
    const { library, file, add } = await libraryInFolder()
    const rows = Array.from(
      { length: 20 },
      (_, at) =>
        `${'Amber Birch Cedar Dune'.split(' ')[at % 4]} Market ${at},Town ${at + 1},${1990 + at},${at + 20},${at}.5`,
    )
    file('stores.csv', ['Store,City,Opened,Staff,Revenue (EUR m)', ...rows].join('\n'))
    const id = (await add()).documents[0]!.documentId!
    const { text } = await library.text(id, 1)
    for (const [at, row] of rows.entries()) {
      const [store = '', , , staff = ''] = row.split(',')
      const line = text.indexOf(`\n${store} |`)
      const place = await library.tableAt(id, 1, text.indexOf(` | ${staff} |`, line) + 3)
      expect(place).toMatchObject({
        row: store,
        column: ['Staff'],
        unit: null,
        period: null,
        cell: { text: staff, column: 3 },
      })
      expect(place?.table.rows).toHaveLength(20)
      expect(place?.table.rows[at]?.cells.map((cell) => cell.text)).toEqual(row.split(','))
    }
    const revenue = await library.tableAt(id, 1, text.length - 1)
    expect(revenue).toMatchObject({ row: 'Dune Market 19', column: ['Revenue (EUR m)'], unit: 'EUR m' })
  })

  it('is none outside of tables, and no document is none', async () => {
    const { library, id } = await withPonds()
    expect(await library.tableAt(id, 1, 3)).toBeNull()
    await expect(library.tableAt('none', 1, 3)).rejects.toBeInstanceOf(DocumentNotFound)
  })
})

describe('what a person sets', () => {
  it('holds before what the reader found', async () => {
    const { library, id } = await withPonds()
    const { document, metadata } = await library.set(id, { title: 'On ponds', year: 2020 })
    expect(document).toMatchObject({ title: 'On ponds', year: 2020 })
    expect(metadata.title.map(({ value }) => value)).toEqual(['On ponds', 'Pnods'])
    expect(metadata.title[0]?.from).toBe('library set')
  })

  it('ends with an empty value, and the reader’s value is back', async () => {
    const { library, id } = await withPonds()
    await library.set(id, { title: 'On ponds', year: 2021 })
    expect((await library.set(id, { title: null })).document).toMatchObject({ title: 'Pnods', year: 2021 })
    expect((await library.set(id, { title: '' })).metadata.title).toEqual([{ value: 'Pnods', from: 'first heading' }])
  })

  it('survives that the same file is added again, changed in time or not', async () => {
    const { library, id, add, path } = await withPonds()
    await library.set(id, { title: 'On ponds', authors: ['Ada Berg'] })
    await add()
    utimesSync(path, new Date(0), new Date(0))
    await add()
    expect((await library.show(id)).document).toMatchObject({ title: 'On ponds', authors: ['Ada Berg'] })
  })

  it('goes along to the next version of a file where the reader errs as before', async () => {
    const { library, id, add, file } = await withPonds()
    await library.set(id, { title: 'On ponds', year: 2021 })
    file('ponds.md', '---\nyear: 2022\n---\n# Pnods\n\nPonds are smaller than lakes.')
    const [row] = (await add()).documents
    expect(row?.status).toBe('updated')
    const { document } = await library.show(row!.documentId!)
    expect(document).toMatchObject({ title: 'On ponds', year: 2022 })
  })

  it('is found by its words, and no longer by those that it replaced', async () => {
    const { library, file, add } = await libraryInFolder()
    file('a.md', '---\ntitle: Volcanology\n---\nPonds are small.')
    const [row] = (await add()).documents
    expect(await library.search('volcanology')).toHaveLength(1)
    await library.set(row!.documentId!, { title: 'Limnology' })
    expect(await library.search('limnology')).toHaveLength(1)
    expect(await library.search('volcanology')).toEqual([])
  })

  it('is forgotten with the document', async () => {
    const { library, id, add } = await withPonds()
    await library.set(id, { title: 'On ponds' })
    await library.remove(id)
    await add()
    expect((await library.show(id)).document.title).toBe('Pnods')
  })

  it('is refused with an unknown key, a wrong value, or for an unknown document', async () => {
    const { library, id } = await withPonds()
    // What arrives from the command line has no type.
    await expect(library.set(id, { titel: 'x' } as MetadataChange)).rejects.toThrow(UsageError)
    await expect(library.set(id, { titel: 'x' } as MetadataChange)).rejects.toThrow('"titel"')
    await expect(library.set(id, { year: 20.5 })).rejects.toThrow(UsageError)
    await expect(library.set('none', { year: 2021 })).rejects.toThrow(DocumentNotFound)
    await expect(library.show('none')).rejects.toThrow(DocumentNotFound)
  })
})

describe('what is known of a document', () => {
  it('says how the reader found each value in a PDF', async () => {
    const { library, add, file } = await libraryInFolder()
    const body = Array.from({ length: 20 }, (_, line) => ({
      x: 72,
      y: 560 - 12 * line,
      text: `Ponds are small, ${line}.`,
    }))
    const head = [
      { x: 72, y: 700, size: 20, text: 'Studies of Ponds' },
      { x: 72, y: 660, text: 'Ada Berg, Wei Zhang' },
      { x: 72, y: 640, text: 'June 2021' },
    ]
    const path = file('ponds.pdf', makePdf([[...head, ...body]]))
    const [row] = (await add()).documents
    const { metadata, sources } = await library.show(row!.documentId!)
    expect(metadata).toEqual({
      title: [{ value: 'Studies of Ponds', from: 'largest font on page 1' }],
      authors: [{ value: ['Ada Berg', 'Wei Zhang'], from: 'name-like line below the title' }],
      year: [{ value: 2021, from: 'date on page 1' }],
    })
    expect(sources).toEqual([path])
  })
})

/** A library with one document whose heading is misspelt. */
async function withPonds(): Promise<LibraryInFolder & { readonly id: string; readonly path: string }> {
  const folder = await libraryInFolder()
  const path = folder.file('ponds.md', '# Pnods\n\nPonds are small.')
  const [row] = (await folder.add()).documents
  return { ...folder, path, id: row!.documentId! }
}
