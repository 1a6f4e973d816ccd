import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../../src/errors.ts'
import { readReferences } from '../../../../src/library/references/read-references.ts'
import { temporaryFolder } from '../../../fixtures/workflow.ts'

/** Reads a text as a file of this name. */
async function read(name: string, text: string) {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, name), text)
  const references = await readReferences(join(folder, name))
  return references.map(({ stated, files }) => ({ ...stated, files: files.map((file) => file.replace(folder, '.')) }))
}

const csl = (item: object) => JSON.stringify([{ type: 'book', ...item }])
const keyOf = async (item: object) => (await read('a.json', csl(item)))[0]?.reference.id

describe('references', () => {
  it('are read from BibTeX: names, LaTeX, strings, and attached files as Zotero and JabRef write them', async () => {
    const [article, page] = await read(
      'a.bib',
      String.raw`@string{jp = "Journal of Ponds"} % a comment
@comment{nothing}
@article{DBLP:conf/x/Heron_26, author = {van der Heron, Ada and M{\"u}ller, Bo and {Pond Group}}, title = {{On} \emph{Ponds} \& $x^2$},
  journal = jp, year = 2026, volume = 3, number = {4}, pages = {1--20}, doi = {10.5555/a_b}, abstract = {left out},
  file = {Full Text:/home/ada/a\:b.pdf:application/pdf;:sub/c.pdf:PDF;d.pdf}}
@online{page, title = {A page}, date = {2020-01-02}, url = {javascript:alert(1)}}`,
    )
    expect(article).toEqual({
      title: 'On Ponds & x²',
      authors: ['van der Heron, Ada', 'Müller, Bo', 'Pond Group'],
      year: 2026,
      reference: {
        id: 'DBLP:conf/x/Heron_26',
        type: 'article-journal',
        'container-title': 'Journal of Ponds',
        volume: '3',
        issue: '4',
        page: '1-20',
        DOI: '10.5555/a_b',
      },
      files: ['/home/ada/a:b.pdf', './sub/c.pdf', './d.pdf'],
    })
    expect(page).toEqual({ title: 'A page', year: 2020, reference: { id: 'page', type: 'webpage' }, files: [] })
  })

  it('are read from RIS, with attached files', async () => {
    const ris = [
      'TY  - JOUR',
      'AU  - Heron, Ada',
      'TI  - On ponds',
      'PY  - 2026/01//',
      'DO  - 10.5555/ab',
      'ID  - heron',
    ]
    const [first, second] = await read(
      'a.ris',
      [
        ...ris,
        'L1  - file:///home/ada/a%20b.pdf',
        'ER  - ',
        'TY  - CONF',
        'TI  - Other',
        'L1  - c.pdf',
        'L1  - d.pdf',
        'ER  - ',
      ].join('\r\n'),
    )
    expect(first).toMatchObject({
      title: 'On ponds',
      authors: ['Heron, Ada'],
      year: 2026,
      files: ['/home/ada/a b.pdf'],
    })
    expect(first?.reference).toMatchObject({ id: 'heron', DOI: '10.5555/ab' })
    expect(second).toMatchObject({ title: 'Other', files: ['./c.pdf', './d.pdf'] })
  })

  it('are read from CSL JSON, with the key of Better BibTeX', async () => {
    expect(await keyOf({ id: 'http://zotero.org/users/1/items/ABC', 'citation-key': 'heron26' })).toBe('heron26')
    expect(await keyOf({ id: 1, note: 'tex.x: y\nCitation Key: heron26\nother' })).toBe('heron26')
    expect(await keyOf({ id: 'heron26' })).toBe('heron26')
    const author = [{ family: 'Heron', given: 'Ada' }, null, { literal: 'Pond Group' }]
    expect(await read('a.json', csl({ id: 'x', author, issued: { 'date-parts': [['2026', 1]] } }))).toMatchObject([
      { authors: ['Heron, Ada', 'Pond Group'], year: 2026 },
    ])
  })

  it.each(['a b', 'a}b', 'a\nb', '\\input{x}', 'a"b', '', 'http://zotero.org/users/1/items/ABC', 'x'.repeat(101)])(
    'get a key of author, year and title in place of %j',
    async (id) => {
      const author = [{ family: 'Müller-Heron' }]
      expect(await keyOf({ id, author, issued: { raw: 'May 2026' }, title: 'On <i>the</i> Ponds' })).toBe(
        'mullerheron2026ponds',
      )
      expect(await keyOf({ id })).toBe('document')
    },
  )

  it.each([
    ['a.bib', '@article{a,\n title={x}\n\n@book{b, title={y}}', 'invalid syntax at line 4 col 1'],
    ['a.bib', '@article{a b, title={x}}', 'at line 1 col 12'],
    ['a.bib', `@article{a, title=${'{'.repeat(10_000_000)}`, 'it is damaged, or nests too deep'],
    ['a.bib', 'https://example.com/references.bib', 'it has no entries'],
    ['a.ris', 'AU  - x', 'it is damaged'],
    ['a.json', '[{"type": "book"}', 'position 17'],
    ['a.json', '{"name": "quaero"}', 'a list of items of CSL'],
    ['a.txt', 'x', 'it is no .bib (BibTeX), .ris, or .json'],
  ])('that cannot be read are refused with the place (%#)', async (name, text, problem) => {
    const refused = await read(name, text).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UsageError)
    expect(String(refused)).toContain(problem)
    expect(String(refused).split('\n')).toHaveLength(1)
  })

  it('take no longer for a name of a megabyte', async () => {
    const [entry] = await read('a.bib', `@book{a, title={x}, editor={${'1-'.repeat(500_000)}}}`)
    expect(entry).toMatchObject({ title: 'x' })
  })

  it('that are not there are refused', async () => {
    await expect(readReferences('/nowhere/a.bib')).rejects.toThrow(UsageError)
  })
})
