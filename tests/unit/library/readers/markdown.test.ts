import { describe, expect, it } from 'vitest'
import { readMarkdown } from '../../../../src/library/readers/markdown.ts'
import { blockTexts, bytesOf, roomy } from './read-options.ts'

const source = `---
title: A study of ponds
author: [Ada Duck, Bo Heron]
date: 2021-03-04
---
# Ponds

Ponds are *small* and [well-known](https://example.org), see \`depth.md\`
and ![a picture](x.png).

## Methods

1. Measure.
2. Repeat *often*.
   - inner item

| Pond | Depth |
|------|------:|
| North | 3 m |
| **South** | 5 m |

> Quoted words.

\`\`\`js
const a = 1
\`\`\`

<script>alert(1)</script>
`

describe('a Markdown file', () => {
  it('is read as the text that people see', async () => {
    const document = await readMarkdown(bytesOf(source), roomy)
    expect(blockTexts(document)).toEqual([
      ['heading', 'Ponds'],
      ['text', 'Ponds are small and well-known, see depth.md and a picture.'],
      ['heading', 'Methods'],
      ['text', '1. Measure.\n2. Repeat often.\n• inner item'],
      ['table', 'Pond | Depth\nNorth | 3 m\nSouth | 5 m'],
      ['text', 'Quoted words.\nconst a = 1'],
    ])
    expect(document.blocks.at(-1)?.section).toEqual(['Ponds', 'Methods'])
  })

  it('takes title, authors and year from its front matter', async () => {
    expect(await readMarkdown(bytesOf(source), roomy)).toMatchObject({
      title: { value: 'A study of ponds', from: 'front matter' },
      authors: { value: ['Ada Duck', 'Bo Heron'] },
      year: { value: 2021 },
    })
  })

  it.each([
    ['author: Ada Duck and Bo Heron', ['Ada Duck', 'Bo Heron']],
    ['authors: [{ name: Ada Duck, affiliation: Pond Institute }, { name: Bo Heron }]', ['Ada Duck', 'Bo Heron']],
  ])('finds the authors in "%s"', async (line, names) => {
    const { authors } = await readMarkdown(bytesOf(`---\n${line}\n---\nText.\n`), roomy)
    expect(authors?.value).toEqual(names)
  })

  it('keeps a caption with its table', async () => {
    const table = '| Pond | Depth |\n|---|---|\n| North | 3 m |'
    const document = await readMarkdown(bytesOf(`Text.\n\n**Table 1:** Depths\n\n${table}\n`), roomy)
    expect(blockTexts(document)).toEqual([
      ['text', 'Text.'],
      ['table', 'Table 1: Depths\nPond | Depth\nNorth | 3 m'],
    ])
  })

  it('reads the tables and texts that are written as HTML', async () => {
    const html = '<table><tr><th>Pond<th>Depth</tr>\n<tr><td>North<td>3 m</tr></table>\n\n<p align="center">Deep.</p>'
    expect(blockTexts(await readMarkdown(bytesOf(html), roomy))).toEqual([
      ['table', 'Pond | Depth\nNorth | 3 m'],
      ['text', 'Deep.'],
    ])
  })

  it.each([
    ['quotes within quotes', '> '.repeat(50_000)],
    ['lists within lists', '- '.repeat(50_000)],
    ['links that are not closed', '[a]('.repeat(75_000)],
    ['emphasis that is not closed', '*a_ '.repeat(75_000)],
    ['comments that are not closed', '<!--a '.repeat(12_000)],
    ['instructions that are not closed', '<?'.repeat(25_000)],
    ['quotes that go on without their mark', `> a\n${'b\n'.repeat(60_000)}`],
    ['brackets that are opened in quotes', '> [a\n>\n'.repeat(60_000)],
    ['items of a list', '- a\n'.repeat(31_000)],
  ])('reads %s, of which no parser finds an end, as text', { tags: ['S7', 'S19'] }, async (_, markup) => {
    const document = await readMarkdown(bytesOf(`Begin.\n\n${markup}end\n`), roomy)
    const words = (text = '') => text.split(/\s+/)
    expect(words(document.pages[0]?.text)).toEqual(words(`Begin.\n${markup}end`))
  })

  it('keeps the headings around a paragraph that is read as text', { tags: ['S7'] }, async () => {
    const text = `# Ponds\n\nDeep.\n\n${'[a]('.repeat(6000)}\n\n## Fish\n\n- They swim.\n`
    const blocks = blockTexts(await readMarkdown(bytesOf(text), roomy))
    expect(blocks.filter(([kind]) => kind === 'heading').map(([, words]) => words)).toEqual(['Ponds', 'Fish'])
    expect(blocks.at(-1)).toEqual(['text', '• They swim.'])
  })

  it('takes a line in bold for a heading, and a sentence in bold for none', async () => {
    const document = await readMarkdown(bytesOf('# Ponds\n\n**Depths**\n\nDeep.\n\n**They are wet.**\n'), roomy)
    expect(document.blocks.map(({ kind, section }) => [kind, section.join(' > ')])).toEqual([
      ['heading', 'Ponds'],
      ['heading', 'Ponds > Depths'],
      ['text', 'Ponds > Depths'],
    ])
  })

  it('keeps rules that are no front matter, and lines with bars that are no table', async () => {
    const document = await readMarkdown(bytesOf('---\nnot: [yaml\n---\nText with a | bar.\n'), roomy)
    expect(document.title).toBeNull()
    expect(document.pages[0]?.text).toContain('Text with a | bar.')
  })
})
