import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero } from '../fixtures/command-line.ts'

const cwd = mkdtempSync(join(tmpdir(), 'quaero-'))
const path = (name: string) => join(cwd, 'papers', name)
const run = (...words: string[]) => quaero(words, { cwd })
const add = async (...words: string[]) => {
  const ended = await run('add', 'papers', '--json', ...words)
  return { ...ended, ...jsonOutputs.add.parse(JSON.parse(ended.out)) }
}

beforeAll(() => {
  mkdirSync(join(cwd, 'papers'))
  writeFileSync(
    path('lanterns.md'),
    '# Lantren fish\n\n## Growth\n\nThe lantern fish of Lake Orrin grow to 14 centimetres.\n\n## Food\n\nThey eat copepods.\n',
  )
  writeFileSync(path('broken.pdf'), '%PDF-1.4 broken')
})

afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe('a library that a person looks after', () => {
  let documentId = ''

  it('takes the documents that can be read', async () => {
    const { documents } = await add('--allow-errors')
    const lanterns = documents.find((each) => each.path.endsWith('lanterns.md'))
    expect(lanterns).toMatchObject({ status: 'added', error: null })
    documentId = lanterns?.documentId ?? ''
  })

  it('is set right from the command line, and shows who said what', async () => {
    const set = await run(
      'library',
      'set',
      documentId,
      'year=2021',
      'authors=Wei Zhang; Ada Berg; Jo Lind',
      'title=On lantern fish',
    )
    expect(set).toMatchObject({ code: 0, err: '' })
    const shown = await run('library', 'show', documentId, '--json')
    expect(jsonOutputs['library-show'].parse(JSON.parse(shown.out))).toMatchObject({
      title: {
        value: 'On lantern fish',
        from: 'library set',
        insteadOf: [{ value: 'Lantren fish', from: 'first heading' }],
      },
      year: { value: 2021, insteadOf: [] },
    })
    expect((await run('library', 'set', documentId, 'titel=x')).code).toBe(2)
    expect((await run('library', 'set', documentId, 'nothing')).code).toBe(2)
    expect((await run('library', 'set', 'none', 'year=2021')).code).toBe(1)
  })

  it('cites by what is set, in footnotes and in BibTeX, with a section where there are no pages', async () => {
    const words = ['ask', 'How long do lantern fish grow?', '-t', 'fish', '-q']
    const { out } = await run(...words)
    expect(out).toMatch(/\[1\] Zhang et al\., 2021, § Growth — ".*14 centimetres\..*" \(lanterns\.md\)/)
    const bibtex = (await run('threads', 'export', 'fish', '--format', 'bibtex')).out
    expect(bibtex).toContain('author = {Wei Zhang and Ada Berg and Jo Lind}')
    expect(bibtex).toContain('title = {{On lantern fish}}')
    expect(bibtex).toContain('year = {2021}')
    expect(bibtex).toMatch(/^@misc\{zhang2021/)
  })

  it('follows its folder with --sync', async () => {
    renameSync(path('lanterns.md'), path('fish.md'))
    rmSync(path('broken.pdf'))
    writeFileSync(path('ponds.txt'), 'Ponds are small.')
    const renamed = await add('--sync')
    expect(renamed.code).toBe(0)
    expect(renamed.documents).toMatchObject([
      { path: 'papers/fish.md', documentId, status: 'updated', renamedFrom: 'papers/lanterns.md' },
      { path: 'papers/ponds.txt', status: 'added' },
    ])
    rmSync(path('fish.md'))
    const { removed, totals } = await add('--sync')
    expect(removed).toEqual([{ path: 'papers/fish.md', documentId }])
    expect(totals).toMatchObject({ removed: 1, unchanged: 1 })
    expect((await run('library', 'list')).out).not.toContain('lantern')
  })
})
