import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AddReport } from '../../../../src/library/port/library.ts'
import { libraryInFolder, statuses } from '../in-folder.ts'

const ponds = '# Pnods\n\nPonds are small.'

describe('a file beside a document', () => {
  it('says title, authors and year better than the reader, which keeps its own', async () => {
    const { library, add, file } = await libraryInFolder()
    file('ponds.md', ponds)
    file('ponds.md.yaml', 'title: On ponds\nauthors: [Ada Berg, Wei Zhang]\nyear: 2021\n')
    const report = await add()
    expect(report.skipped).toEqual([])
    const { document, metadata } = await library.show(idIn(report))
    expect(document).toMatchObject({ title: 'On ponds', authors: ['Ada Berg', 'Wei Zhang'], year: 2021 })
    expect(metadata.title).toEqual([
      { value: 'On ponds', from: expect.stringMatching(/papers\/ponds\.md\.yaml$/) },
      { value: 'Pnods', from: 'first heading' },
    ])
    expect(metadata.year).toHaveLength(1)
  })

  it('is noticed when it comes, changes and goes, and the document is not read again for it', async () => {
    const { library, add, file, papers } = await libraryInFolder()
    file('ponds.md', ponds)
    const id = idIn(await add())
    const steps = [
      { content: 'authors: Ada Berg; Wei Zhang', status: 'updated', authors: ['Ada Berg', 'Wei Zhang'] },
      { content: 'authors: Ada Berg; Wei Zhang # the same', status: 'unchanged', authors: ['Ada Berg', 'Wei Zhang'] },
      { content: 'authors: Jo Lind', status: 'updated', authors: ['Jo Lind'] },
      { content: null, status: 'updated', authors: [] },
      { content: null, status: 'unchanged', authors: [] },
    ]
    for (const { content, status, authors } of steps) {
      const path = join(papers, 'ponds.md.yaml')
      if (content) writeFileSync(path, content)
      else rmSync(path, { force: true })
      const report = await add({ onProgress: () => {} })
      expect(statuses(report, papers)).toEqual([`ponds.md ${status}`])
      expect(idIn(report)).toBe(id)
      expect((await library.show(id)).document.authors).toEqual(authors)
    }
  })

  it('leads to its document when its title is searched for', async () => {
    const { library, add, file } = await libraryInFolder()
    file('ponds.md', ponds)
    await add()
    expect(await library.search('limnology')).toEqual([])
    file('ponds.md.yaml', 'title: Limnology')
    await add()
    expect(await library.search('limnology')).toMatchObject([{ title: 'Limnology' }])
  })

  it.each([
    ['an unknown key', 'titel: On ponds', /ponds\.md\.yaml .+ unknown key "titel"/],
    ['no YAML', 'title: "On', /ponds\.md\.yaml .+ not valid YAML/],
    ['a value twice', 'year: 1\nyear: 2', /not valid YAML \(Map keys must be unique/],
    ['too much', `title: ${'x'.repeat(70_000)}`, /at most 64 kB/],
  ])('with %s fails in its document’s row, and keeps the document', async (_, content, message) => {
    const { library, add, file } = await libraryInFolder()
    file('lakes.txt', 'Lakes are large.')
    file('ponds.md', ponds)
    file('ponds.md.yaml', content)
    const { documents, totals } = await add()
    expect(documents.map(({ status }) => status)).toEqual(['added', 'failed'])
    expect(documents[1]?.error).toEqual({ code: 'sidecar_invalid', message: expect.stringMatching(message) })
    expect(totals).toMatchObject({ added: 1, failed: 1 })
    expect((await library.show(documents[1]!.documentId!)).document.title).toBe('Pnods')
  })

  it('that was right before keeps what it said while it is wrong', async () => {
    const { library, add, file } = await libraryInFolder()
    file('ponds.md', ponds)
    file('ponds.md.yaml', 'title: On ponds')
    const id = idIn(await add())
    file('ponds.md.yaml', 'titel: Something else')
    await add()
    expect((await library.show(id)).document.title).toBe('On ponds')
  })

  it('is not read through a link', { tags: ['S6'] }, async () => {
    const { add, file, papers } = await libraryInFolder()
    file('ponds.md', ponds)
    symlinkSync('/etc/passwd', join(papers, 'ponds.md.yaml'))
    const [row] = (await add()).documents
    expect(row?.error).toMatchObject({ code: 'sidecar_invalid', message: expect.not.stringContaining('root') })
  })

  it('without a document is skipped like any other file', async () => {
    const { add, file, papers } = await libraryInFolder()
    file('ponds.md.yaml', 'title: On ponds')
    file('settings.yaml', 'a: b')
    expect((await add()).skipped).toEqual([join(papers, 'ponds.md.yaml'), join(papers, 'settings.yaml')])
  })
})

function idIn({ documents }: AddReport): string {
  return documents[0]!.documentId!
}
