import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../../src/errors.ts'
import { libraryInFolder } from '../in-folder.ts'
import { putText } from '../put-text.ts'

const heron = `# On the depth of ponds and what lives there

Ada Heron

https://doi.org/10.5555/ponds.1

Ponds are deep.
`
const entry = (key: string, fields: string) => `@article{${key}, ${fields}}\n`
const title = 'title = {On the Depth of {Ponds} and What Lives There}'
const author = 'author = {Heron, Ada}'
const doi = 'doi = {10.5555/PONDS.1}'

/** Cites from one BibTeX file over these papers; documents by the names of their files. */
async function cited(bibtex: string, papers: Readonly<Record<string, string>> = { 'heron.md': heron }) {
  const { library, file, index, add } = await libraryInFolder()
  for (const [name, text] of Object.entries(papers)) {
    const source = file(name, text)
    await putText(index, { id: name, title: text.split('\n')[0]?.slice(2) ?? null, passages: [text], source })
  }
  const report = await library.cite(file('refs.bib', bibtex))
  const entries = report.entries.map(({ key, state, by }) => [key, state, by].filter(Boolean).join(' '))
  return { entries, report, library, file, add }
}

describe('library.cite', () => {
  it.each([
    ['the attached file', entry('a', 'title = {Other}, file = {Full:heron.md:text/plain}'), ['a matched file']],
    ['the DOI of the first page', entry('a', `${doi}, title = {Other}`), ['a matched doi']],
    ['the title, with its author', entry('a', `${title}, ${author}`), ['a matched title']],
    ['the title alone, where the entry names nobody', entry('a', title), ['a matched title']],
    ['the file before the DOI', entry('a', 'file = {heron.md}') + entry('b', doi), ['a matched file', 'b no document']],
    ['the DOI before the title', entry('a', title) + entry('b', doi), ['a no document', 'b matched doi']],
  ])('knows a document by %s', async (_, bibtex, expected) => {
    expect((await cited(bibtex)).entries).toEqual(expected)
  })

  it.each([
    ['another title', entry('a', 'title = {Ponds}'), ['a no document']],
    ['the title of another author', entry('a', `${title}, author = {Egret, Bo}`), ['a no document']],
    ['the beginning of a DOI', entry('a', 'doi = {10.5555/ponds}'), ['a no document']],
    ['two entries for one document', entry('a', doi) + entry('b', doi), ['a ambiguous doi', 'b ambiguous doi']],
    ['an entry without anything', entry('a', 'note = {x}'), ['a no document']],
    ['a folder in place of a file', entry('a', 'file = {.}'), ['a no document']],
  ])('guesses nothing: %s', async (_, bibtex, expected) => {
    const { entries, library } = await cited(bibtex)
    expect(entries).toEqual(expected)
    expect((await library.list()).flatMap(({ reference }) => reference ?? [])).toEqual([])
  })

  it('gives no key twice, whatever its capitals', async () => {
    const bibtex = entry('Pond', 'file = {a.md}') + entry('pond', 'file = {b.md}')
    const { report } = await cited(bibtex, { 'a.md': heron, 'b.md': `${heron} Two.` })
    expect(report.entries.map(({ key }) => key)).toEqual(['Pond', 'ponda'])
  })

  it('takes no document for another with the same title, or of several with one DOI', async () => {
    const papers = { 'a.md': heron, 'b.md': `${heron}\nA draft.` }
    const { entries, report } = await cited(entry('a', doi) + entry('b', title), papers)
    expect(entries).toEqual(['a ambiguous doi', 'b no document'])
    expect(report.entries[0]?.documentIds).toHaveLength(2)
    expect(report.uncited).toBe(2)
    expect((await cited(entry('a', title), papers)).entries).toEqual(['a ambiguous title'])
  })

  it('takes a title within a sentence, and one of several DOIs, for no sign', async () => {
    const reply =
      '# A reply\n\nAda Heron writes in On the depth of ponds and what lives there that\n\n10.5555/ponds.1 10.5555/reply.2\n'
    expect((await cited(entry('a', `${title}, ${doi}`), { 'reply.md': reply })).entries).toEqual(['a no document'])
  })

  it('states title, authors, year and key, which library set corrects and takes back', async () => {
    const { library, report } = await cited(entry('heron26', `${title}, ${author}, year = 2026, ${doi}, journal = {J}`))
    const [id = ''] = report.entries[0]?.documentIds ?? []
    const [document] = await library.list({ where: 'key=heron26' })
    expect(document).toMatchObject({
      title: 'On the Depth of Ponds and What Lives There',
      authors: ['Heron, Ada'],
      year: 2026,
    })
    expect(document?.reference).toMatchObject({ id: 'heron26', 'container-title': 'J' })
    await library.set(id, { reference: null, year: 2025 })
    expect((await library.document(id)).reference).toBeUndefined()
    expect(await library.document(id)).toMatchObject({ year: 2025 })
    const made = { reference: { id: 'x' } }
    await expect(library.set(id, made)).rejects.toThrow('reference: ')
  })

  it('gives no two documents one key, and each the same again', async () => {
    const papers = { 'a.md': '# Reeds\n\nIn reeds.', 'b.md': '# Sedges\n\nIn sedges.' }
    const bibtex = entry('same', 'title = {Reeds}') + entry('same', 'title = {Sedges}')
    const { entries, library, file } = await cited(bibtex, papers)
    expect(entries).toEqual(['same matched title', 'samea matched title'])
    const again = await library.cite(file('again.bib', entry('same', 'title = {Sedges}')))
    expect(again.entries.map(({ key }) => key)).toEqual(['samea'])
    expect((await library.cite(file('refs.bib', bibtex))).entries.map(({ key }) => key)).toEqual(['same', 'samea'])
  })

  it('keeps a key when the file changes', async () => {
    const { library, file, add } = await libraryInFolder()
    file('heron.md', heron)
    await add()
    await library.cite(file('refs.bib', entry('heron26', `${title}, ${author}`)))
    file('heron.md', `${heron}\nAnd wide.`)
    await add()
    expect((await library.list()).map(({ reference }) => reference?.id)).toEqual(['heron26'])
  })

  it('refuses what is no path', async () => {
    const { library, papers } = await libraryInFolder()
    await expect(library.cite(join(papers, 'none.bib'))).rejects.toThrow(UsageError)
    await expect(library.cite(1 as unknown as string)).rejects.toThrow(UsageError)
  })
})
