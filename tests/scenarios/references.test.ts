import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero } from '../fixtures/command-line.ts'

const cwd = mkdtempSync(join(tmpdir(), 'quaero-'))
const papers = resolve('examples/papers')
const run = (...words: string[]) => quaero(words, { cwd })

const references = `@article{lindqvist-growth,
  author = {Lindqvist, A. and Okafor, M.}, year = 2026, journal = {Notes on Storage}, volume = 3,
  title = {How Much a Conversation Remembers: {Checkpoint} Growth in Graph Workflows}
}
@techreport{varga-lease, title = {Leases}, year = 2025, file = {PDF:${papers}/lost-updates.pdf:application/pdf}}
@book{elsewhere, title = {Another Book}}
`

beforeAll(async () => {
  writeFileSync(join(cwd, 'refs.bib'), references)
  await run('add', papers, '--quiet')
})

afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe('references on the command line', () => {
  it('give documents their keys and metadata', async () => {
    const { code, out } = await run('library', 'cite', 'refs.bib', '--json')
    expect(code).toBe(0)
    const { entries, uncited } = jsonOutputs['library-cite'].parse(JSON.parse(out))
    expect(entries.map(({ key, state, by }) => [key, state, by])).toEqual([
      ['lindqvist-growth', 'matched', 'title'],
      ['varga-lease', 'matched', 'file'],
      ['elsewhere', 'no document', null],
    ])
    expect(uncited).toBe(5)
    const { documents } = jsonOutputs['library-list'].parse(JSON.parse((await run('library', 'list', '--json')).out))
    expect(documents.find(({ reference }) => reference?.id === 'varga-lease')).toMatchObject({
      title: 'Leases',
      year: 2025,
    })
    expect((await run('library', 'list')).out).toContain('lindqvist-growth — How Much a Conversation')
    const shown = await run('library', 'show', 'lost-updates.pdf', '--json')
    expect(jsonOutputs['library-show'].parse(JSON.parse(shown.out)).reference).toEqual({
      id: 'varga-lease',
      type: 'report',
    })
    const told = await run('library', 'cite', 'refs.bib')
    expect(told.out).toMatch(/^elsewhere +no document +- +-$/m)
    expect(told.err).toContain('5 documents of the library without a reference')
  })

  it('are printed as BibTeX, all or those that a filter means', async () => {
    const { code, out } = await run('export', '--bibtex')
    expect(code).toBe(0)
    expect(out.match(/^@/gm)).toHaveLength(7)
    expect(out).toContain('@article{lindqvist-growth,\n  author = {Lindqvist, A. and Okafor, M.},')
    expect(out).toContain('  journal = {Notes on Storage},\n  volume = {3},\n}')
    const some = await run('export', '--bibtex', '--where', 'key~varga')
    expect(some.out).toBe(
      '@techreport{varga-lease,\n  author = {S. Varga and N. Osei},\n  title = {{Leases}},\n  year = {2025},\n}\n',
    )
    expect((await run('export')).code).toBe(2)
  })

  it('are what an answer and a report cite by', async () => {
    const answer = await run(
      'ask',
      'How many messages does the window arm keep in the state?',
      '-d',
      join(papers, 'checkpoint-growth.pdf'),
    )
    expect(answer.out).toContain('[1] lindqvist-growth — Lindqvist and Okafor, 2026, ')
    await run(
      'report',
      'How do checkpoints grow?',
      '-d',
      join(papers, 'checkpoint-growth.pdf'),
      '-o',
      'report.md',
      '--references',
      'out.bib',
    )
    expect(readFileSync(join(cwd, 'report.md'), 'utf8')).toMatch(/^\[\^1\]: \[@lindqvist-growth, p\. \d\] How Much/m)
    expect(readFileSync(join(cwd, 'out.bib'), 'utf8')).toContain('@article{lindqvist-growth,')
  })

  it('that cannot be read are refused', async () => {
    writeFileSync(join(cwd, 'bad.bib'), '@article{a,\n title={x}')
    const { code, err } = await run('library', 'cite', 'bad.bib')
    expect(code).toBe(2)
    expect(err).toContain('at line 2 col 11')
    expect((await run('library', 'cite', 'none.bib')).code).toBe(2)
    expect((await run('library', 'cite', 'http://example.org:23119')).err).toContain('on this machine alone')
  })
})
