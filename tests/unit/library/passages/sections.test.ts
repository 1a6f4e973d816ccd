import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitPassages } from '../../../../src/library/passages/split.ts'
import type { ReadDocument } from '../../../../src/library/port/document.ts'
import { documentWriter } from '../../../../src/library/readers/common/document-writer.ts'
import { sectionAt } from '../../../../src/library/search.ts'
import { cited, folderOf, libraryFolder, openWorkflow, search } from '../../../fixtures/workflow.ts'

const terms = [
  ['Lease', 'The right to work on a thread for a limited time.'],
  ['Fencing token', 'A number that grows each time a lease is given out, so that a storage can refuse a late writer.'],
  ['Heartbeat', 'A sign of life that is sent at fixed times.'],
] as const

const texts = {
  'terms.md': `# Glossary\n\n${terms.map(([name, text]) => `## ${name}\n\n${text}\n`).join('\n')}`,
  'terms.html': `<h1>Glossary</h1>${terms.map(([name, text]) => `<h2>${name}</h2><p>${text}</p>`).join('')}`,
}

const innermost = (section: string | null) => section?.split(' > ').at(-1)

describe('the section of a place', () => {
  it.each(Object.entries(texts))('is for a citation the heading nearest above its quote: %s', async (file, text) => {
    const dataDir = await libraryFolder({ [file]: text })
    const answer = terms.map(([name, said]) => cited(`${name}: so it is.`, 'P1', said.slice(0, 24))).join(' ')
    const { quaero } = await openWorkflow({ research: [search('lease'), 'Found.'], synthesis: [answer] }, { dataDir })
    const { citations } = await quaero.ask('What are a lease, a fencing token and a heartbeat?')
    expect(citations.map(({ section }) => innermost(section))).toEqual(terms.map(([name]) => name))
    expect(citations.map(({ label }) => label)).toEqual(terms.map(([name]) => `Glossary, § ${name}`))
  })

  it('is for a search the heading nearest above the words that were asked for', async () => {
    const { quaero } = await openWorkflow({}, { documents: [await folderOf(texts)] })
    const sectionOf = async (query: string) => innermost((await quaero.library.search(query))[0]?.section ?? null)
    expect(await sectionOf('sign of life at fixed times')).toBe('Heartbeat')
    expect(await sectionOf('refuse a late writer')).toBe('Fencing token')
    expect(await sectionOf('right to work on a thread')).toBe('Lease')
    const { quaero: other } = await openWorkflow(
      {},
      { documents: [await folderOf({ 'one.md': '# Tea\n\nIt is served at four.' })] },
    )
    expect(await other.library.search('When is it served?')).toMatchObject([{ section: 'Tea' }])
  })

  it('is that of its block, however short sections are put together', () => {
    const piece = fc.record({ level: fc.constantFrom(0, 1, 2, 3), words: fc.integer({ min: 1, max: 70 }) })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const document = documentOf(pieces)
        const passages = splitPassages('0', document)
        for (const { start, section } of document.blocks.filter(({ kind }) => kind === 'text')) {
          const holding = passages.find((each) => each.start <= start && start < each.end)
          expect(holding && sectionAt(holding, start)).toBe(section.join(' > ') || null)
        }
      }),
    )
  })
})

/** Paragraphs of so many words, under a heading of their own unless the level is 0. */
function documentOf(pieces: readonly { readonly level: number; readonly words: number }[]): ReadDocument {
  const writer = documentWriter({ pages: 100, characters: 1_000_000 })
  writer.page(1)
  pieces.forEach(({ level, words }, at) => {
    if (level > 0) writer.heading(level, `Heading ${at}`)
    writer.paragraph(`${Array.from({ length: words }, (_, word) => `word${at}x${word}`).join(' ')}.`)
  })
  return { format: 'text', title: null, authors: null, year: null, ...writer.finish() }
}
