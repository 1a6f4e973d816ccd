import { describe, expect, it } from 'vitest'
import { citationLabel } from '../../../src/answers/quotes/citation-label.ts'
import { librarySearch } from '../../../src/tools/library-search.ts'
import { formatObservations } from '../../../src/tools/observations.ts'
import { docxParagraph, docxTable, makeDocx } from '../../fixtures/documents/make-docx.ts'
import { makePdf } from '../../fixtures/documents/make-pdf.ts'
import { libraryInFolder } from '../library/in-folder.ts'

/** The labels of what a search finds in one file, each once. */
async function labels(name: string, content: string | Uint8Array, query: string): Promise<string[]> {
  const { index, add, file } = await libraryInFolder()
  file(name, content)
  await add()
  const found = await librarySearch(index)(query, { limit: 10, documents: null })
  return [...new Set(found.map((each) => citationLabel(each)))]
}

describe('what a search finds is cited', () => {
  it('by the page that the file names', async () => {
    const pages = ['Ponds freeze in winter.', 'Newts live in ponds.'].map((text) => [{ x: 72, y: 700, text }])
    const pdf = makePdf(pages, { pageLabelsFrom: 41, info: {} })
    expect(await labels('ponds.pdf', pdf, 'newts')).toEqual(['ponds.pdf, p. 42 (2 of the file)'])
  })

  it('by section in Word, Markdown and HTML, and by name alone in plain text', async () => {
    const docx = makeDocx(
      [docxParagraph('Operations', 1), docxParagraph('Backups', 2), docxParagraph('Tapes rotate weekly.')].join(''),
    )
    const markdown = '# Operations\n\n## Backups\n\nTapes rotate weekly.'
    const html = '<h1>Operations</h1><h2>Backups</h2><p>Tapes rotate weekly.</p>'
    for (const [name, content] of [
      ['a.docx', docx],
      ['a.md', markdown],
      ['a.html', html],
    ] as const) {
      expect(await labels(name, content, 'tapes')).toEqual(['Operations, § Backups'])
    }
    expect(await labels('a.txt', 'Tapes rotate weekly.', 'tapes')).toEqual(['a.txt'])
  })

  it('by a table whose caption is a paragraph of its own', async () => {
    const rows = [
      ['Site', '2020', '2021'],
      ['Orrin', '14', '17'],
      ['Halden', '9', '12'],
    ]
    const docx = makeDocx(
      docxParagraph('Operations', 1) +
        docxParagraph('Costs', 2) +
        docxParagraph('Table 3: Costs of tapes by site and year, in thousands of euros before tax') +
        docxTable(rows),
    )
    expect(await labels('a.docx', docx, 'Orrin')).toEqual(['Operations, Table 3, § Costs'])
  })

  it('by the same table on every part of a long one', async () => {
    const rows = Array.from({ length: 80 }, (_, at) => `| Orrin site ${at} | ${at} | ${at * 2} |`).join('\n')
    const markdown = `# Costs\n\nTable 3: Costs by site.\n\n| Site | 2020 | 2021 |\n|---|---|---|\n${rows}\n`
    expect(await labels('a.md', markdown, 'Orrin')).toEqual(['Costs, Table 3'])
  })
})

describe('a passage of a table', () => {
  const table = (head = '') =>
    `<table><tr><td>${head}</td><td>2019</td><td>2018</td></tr><tr><td>Orrin</td><td>$34</td><td>$12</td></tr>
    <tr><td>Earnings per share</td><td>$3.56</td><td>$2.10</td></tr></table>`
  const introduced = (unit: string) => `<p>We pay monthly.</p><p>Costs by site were as follows (${unit}):</p>`
  const found = async (html: string) => {
    const { index, add, file } = await libraryInFolder()
    file('costs.html', html)
    await add()
    const all = await librarySearch(index)('Orrin', { limit: 10, documents: null })
    const [table] = all.filter(({ kind }) => kind === 'table')
    const [part] = table ? await index.tables(table.documentId, 1) : []
    return { unit: table?.unit ?? null, shown: formatObservations(all), rows: part?.rows.map(({ unit }) => unit) }
  }

  it('says in what its figures count, where only another sentence of its page does', async () => {
    const { unit, shown, rows } = await found(table() + introduced('in thousands, except per share data'))
    expect(unit).toBe('thousands')
    expect(shown).toContain('unit="thousands"')
    expect(rows).toEqual([null, ''])
  })

  it('says nothing that its own text says', async () => {
    const { unit, shown } = await found(table('(in millions)') + introduced('in thousands'))
    expect(unit).toBeNull()
    expect(shown).not.toContain('unit=')
  })

  it('takes no unit of a page that states two, or has two tables', async () => {
    const both = introduced('in thousands') + introduced('in millions')
    for (const html of [table() + both, table() + introduced('in thousands') + table()])
      expect((await found(html)).unit).toBeNull()
  })
})
