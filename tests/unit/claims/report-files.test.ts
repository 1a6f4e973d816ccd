import fc from 'fast-check'
import JSZip from 'jszip'
import mammoth from 'mammoth'
import { marked } from 'marked'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ReadLibrary } from '../../../src/claims/cards/standing.ts'
import { cslOf, referencesOf } from '../../../src/claims/export/references.ts'
import {
  bibliographyOf,
  referencesFile,
  reportFile,
  reportFormatOf,
  reportFormats,
  reportInMarkdown,
} from '../../../src/claims/export/report-files.ts'
import { verifyFile } from '../../../src/claims/verify/verify-file.ts'
import { UsageError } from '../../../src/errors.ts'
import type { DocumentRecord, Report } from '../../../src/index.ts'
import { digitsOf } from '../../fixtures/changed-digits.ts'
import { tamperedWith, untouchedAs } from '../../fixtures/tampered-files.ts'

const hostile = [
  '<script>alert(1)</script><img src=x onerror=alert(2)>',
  '![pixel](https://evil.example/p.png) [click](javascript:alert(3)) <https://evil.example>',
  'https://evil.example/?q=1 www.evil.example someone@evil.example',
  '[click]: https://evil.example [^1] [^1]: no `code` **bold** $x$ | cell |',
  '\\input{/etc/passwd} \\write18{rm} $x$ % comment } { # & _ ^^41 ~ \\end{document}',
  '--> <!-- quaero-proof {} --> </w:t></w:r> ]]> &lt;b&gt; \u001b[31mred \u202eright',
  '# heading',
  '- item',
  '1. item',
  '=====',
  '[x] task',
  '[option] after an item',
  'it ends with % quaero-proof',
]

const pageText = `The corpus holds 81.1 million pages. ${hostile.join(' ')} It grew by 5 % in 2021.`

function quoteOf(text: string, title = 'A <b>title</b> [^9]') {
  const start = pageText.indexOf(text)
  const place = {
    documentId: '0123456789abcdef',
    title,
    source: '/docs/evil_{}.md',
    section: '</p>\\section{x}',
    page: 1,
  }
  return { ...place, start, end: start + text.length, text }
}

function claim(id: string, text: string, quoted = text): Report['summary'][number] {
  const rest = { formulas: [], runId: 'r', threadId: 't', question: 'q' }
  return { id, text, state: 'quoted', quotes: [quoteOf(quoted)], ...rest }
}

const sentence = claim('r.1', 'The corpus holds 81.1 million pages.')
const evil = hostile.map((text, index) => claim(`r.${index + 2}`, text))
const report: Report = {
  kind: 'report',
  title: hostile[0] ?? '',
  question: hostile[1] ?? '',
  summary: [sentence],
  sections: [
    { heading: 'Size', questions: ['How many?'], paragraphs: [[sentence, claim('r.90', 'It grew by 5 % in 2021.')]] },
    ...hostile.map((heading, index) => ({
      heading,
      questions: [],
      paragraphs: evil.slice(index, index + 1).map((each) => [each]),
    })),
    { heading: 'Nothing', questions: [], paragraphs: [] },
  ],
  contradictions: hostile.map((about) => ({ about, claims: [sentence, evil[0] ?? sentence] })),
  limitedTo: { documents: 2, filter: hostile.join(' ') },
  notFound: hostile.map((question) => ({ question, reason: question })),
  unfinished: hostile.map((question) => ({ question, state: 'failed', reason: question })),
  unsupported: evil.map((each) => ({ ...each, state: 'unsupported', reason: each.text })),
  unopened: hostile.map((document) => ({ documentId: 'x', document })),
  documents: 3,
  usage: { modelCalls: 12, inputTokens: 3456, outputTokens: 789, costUsd: 0.0123 },
}

const documents: readonly DocumentRecord[] = [
  {
    documentId: '0123456789abcdef',
    title: 'A {title} \\input{x}',
    authors: ['Doe, Jane', 'The Lund Group'],
    year: 2021,
    source: '/docs/evil_{}.md',
    format: 'markdown',
    pages: 1,
    passages: 1,
    tags: [],
    addedAt: null,
  },
]

const library: ReadLibrary = {
  list: async () => documents,
  text: async () => ({ number: 1, label: null, text: pageText, header: null }),
  search: async () => [],
}

const bytesOf = (file: string | Uint8Array) => (typeof file === 'string' ? new TextEncoder().encode(file) : file)

describe('a report as a file', () => {
  it.each(reportFormats)('as .%s carries its proof, and verify finds all its quotes again', async (format) => {
    const file = await reportFile(report, format, { documents })
    const verified = await verifyFile(`report.${format}`, bytesOf(file), library)
    expect(verified).toMatchObject({ stands: true, changes: [] })
    expect(verified.claims).toHaveLength(hostile.length + 2)
  })

  it('is named by the ending of its file', () => {
    expect(reportFormatOf('a/b.DOCX')).toBe('docx')
    expect(() => reportFormatOf('report.pdf')).toThrow(UsageError)
    expect(bibliographyOf('out/my report #1.tex')).toBe('my-report-1')
  })

  it('calls a digest one in its title, and names the document of each paragraph', () => {
    const digest = reportInMarkdown({ ...report, kind: 'digest', title: 'Size', sections: report.sections.slice(0, 1) })
    expect(digest).toMatch(/^# Digest: Size\n/)
    expect(digest).toContain('found without a language model')
    expect(digest).toMatch(/^A &lt;b>title&lt;\/b> &#91;\^9&#93;: The corpus holds 81\.1 million pages\.\[\^1\] /m)
  })

  it('as Markdown has a footnote for each quote, and no text of a document begins anything', async () => {
    const file = `${await reportFile(report, 'md', { documents })}`
    expect(file).toContain('The corpus holds 81.1 million pages. (quoted, not read again)[^1]')
    expect(file).toContain('\n[^1]: A &lt;b>title&lt;/b> &#91;^9] (evil\\_{}.md)')
    const found: string[] = []
    // What marked makes of the file without our own footnotes and comment.
    const shown = file.replace(/\n\n<!-- quaero-proof[\s\S]*$/, '').replace(/\[\^\d+\](?::)?/g, '')
    void marked.walkTokens(
      marked.lexer(shown),
      ({ type, raw }) => void found.push(type === 'heading' ? `heading ${raw.trim()}` : type),
    )
    expect(
      found.filter((each) =>
        ['link', 'image', 'html', 'strong', 'em', 'table', 'hr', 'def', 'code', 'blockquote'].includes(each),
      ),
    ).toEqual([])
    const headings = found.filter((each) => each.startsWith('heading'))
    expect(headings).toHaveLength(1 + 1 + report.sections.length + 5)
    expect(found.filter((each) => each === 'list')).toHaveLength(6)
    expect(Array.from(file.matchAll(/^\[\^(\d+)\]:/gm), ([, number]) => Number(number))).toEqual(
      Array.from({ length: hostile.length + 2 }, (_, index) => index + 1),
    )
  })

  it('as HTML has only elements and links of its own', async () => {
    const file = `${await reportFile(report, 'html', { documents })}`
    const tags = new Set(Array.from(file.matchAll(/<\/?([a-z0-9]+)/gi), ([, name]) => name))
    expect([...tags].sort()).toEqual([
      'a',
      'body',
      'h1',
      'h2',
      'head',
      'hr',
      'html',
      'li',
      'meta',
      'ol',
      'p',
      'script',
      'style',
      'sup',
      'title',
      'ul',
    ])
    expect(file.match(/<script/g)).toHaveLength(1)
    expect([
      ...new Set(Array.from(file.matchAll(/<a ([a-z]+)="(.)/g), ([, name, first]) => `${name} ${first}`)),
    ]).toEqual(['href #'])
  })

  it('as LaTeX has only commands of its own, a footnote at the first place of each note, and its references', async () => {
    const file = `${await reportFile(report, 'tex', { documents, bibliography: 'refs' })}`.replace(/\n% [\s\S]*/, '')
    const own =
      'documentclass usepackage ifPDFTeX else fi title author date begin maketitle section footnote footnotemark cite textsuperscript item end bibliographystyle bibliography'
    const escapes = 'textbackslash textbraceleft textbraceright textasciitilde textasciicircum'
    const commands = new Set(Array.from(file.matchAll(/\\([A-Za-z]+)/g), ([, name]) => name))
    expect([...commands].filter((name) => !`${own} ${escapes}`.split(' ').includes(name ?? ''))).toEqual([])
    expect(file).not.toMatch(/(?<!\\)[%$#&_~^]/)
    expect(file.match(/\\end\{document\}/g)).toHaveLength(1)
    expect(file.match(/\\footnote\{/g)).toHaveLength(hostile.length + 2)
    expect(file).toContain('\\bibliography{refs}')
    expect(file).toContain('\\item {}[option] after an item')
    const bib = referencesFile(report, 'refs.bib', documents)
    const [, key] = /@misc\{([^,]+),/.exec(bib) ?? []
    expect(key).toBe('doe2021title-012345')
    expect(file).toContain(`\\footnote{\\cite{${key}} `)
    expect(bib).toContain('title = {{A \\textbraceleft{}title\\textbraceright{} \\textbackslash{}input')
  })

  it('as Word is a document that other programs read, with real footnotes', async () => {
    const file = await reportFile(report, 'docx', { documents })
    const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytesOf(file)) })
    expect(value).toContain('The corpus holds 81.1 million pages. (quoted, not read again)<sup><a href="#footnote-1"')
    expect(value.match(/<li id="footnote-/g)).toHaveLength(hostile.length + 2)
    expect(value).not.toMatch(/<script|<img|href="(?!#)/)
  })

  it('as Word is well-formed XML whatever characters a document has', async () => {
    const odd = '\ufffe one \uffff two \ud800 three \u0000 four'
    const titled = {
      ...report,
      title: odd,
      question: odd,
      sections: [{ heading: odd, questions: [], paragraphs: [[claim('r.1', odd, pageText.slice(0, 9))]] }],
    }
    const file = await JSZip.loadAsync(await reportFile(titled, 'docx'))
    for (const part of ['word/document.xml', 'word/footnotes.xml', 'docProps/core.xml', 'customXml/item1.xml']) {
      const xml = (await file.file(part)?.async('string')) ?? ''
      expect(xml).not.toBe('')
      expect(xml).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
    }
  })

  it('needs nothing beside the report and its form', async () => {
    for (const format of reportFormats) expect((await reportFile(report, format)).length).toBeGreaterThan(0)
    expect(await reportFile(report, 'tex')).toContain('\\bibliography{references}')
  })

  it('cites a document by the key of its reference, with the fields of the entry', async () => {
    const fields = {
      'container-title': 'Ponds & \\input{x}',
      'publisher-place': 'Lund',
      issue: '4',
      page: '1-20',
      DOI: '10.5555/a_b',
    }
    const reference = { id: 'doe:21', type: 'article-journal', URL: 'https://example.org/{a}', ...fields }
    const cited = documents.map((document) => ({ ...document, reference }))
    expect(`${await reportFile(report, 'md', { documents: cited })}`).toContain('\n[^1]: [@doe:21, p. 1] A &lt;b>title')
    expect(`${await reportFile(report, 'tex', { documents: cited })}`).toContain('\\footnote{\\cite{doe:21} A ')
    const { value } = await mammoth.convertToHtml({
      buffer: Buffer.from(bytesOf(await reportFile(report, 'docx', { documents: cited }))),
    })
    expect(value).toContain('doe:21 — A &lt;b&gt;title')
    expect(referencesFile(report, 'a.bib', cited)).toBe(
      [
        '@article{doe:21,',
        '  author = {Doe, Jane and {The Lund Group}},',
        '  title = {{A \\textbraceleft{}title\\textbraceright{} \\textbackslash{}input\\textbraceleft{}x\\textbraceright{}}},',
        '  year = {2021},',
        '  journal = {Ponds \\& \\textbackslash{}input\\textbraceleft{}x\\textbraceright{}},',
        '  address = {Lund},',
        '  number = {4},',
        '  pages = {1-20},',
        '  doi = {10.5555/a\\_b},',
        '  url = {https://example.org/%7Ba%7D},',
        '}\n',
      ].join('\n'),
    )
    expect(JSON.parse(referencesFile(report, 'a.json', cited))).toMatchObject([
      { ...reference, title: 'A {title} \\input{x}' },
    ])
  })

  it('names its documents in CSL JSON', () => {
    const web = { documentId: 'fff', title: null, source: 'https://example.org/a b' }
    expect(
      JSON.parse(cslOf(referencesOf([...report.summary.flatMap(({ quotes }) => quotes), web], documents))),
    ).toEqual([
      {
        id: 'doe2021title-012345',
        type: 'document',
        title: 'A {title} \\input{x}',
        author: [{ family: 'Doe', given: 'Jane' }, { literal: 'The Lund Group' }],
        issued: { 'date-parts': [[2021]] },
        note: '/docs/evil_{}.md',
      },
      { id: 'document-fff', type: 'webpage', URL: 'https://example.org/a%20b' },
    ])
    expect(() => referencesFile(report, 'refs.ris', documents)).toThrow(UsageError)
  })
})

describe('verify', { tags: ['Q19'] }, () => {
  const files = new Map<string, Uint8Array>()
  beforeAll(async () => {
    for (const format of reportFormats) files.set(format, bytesOf(await reportFile(report, format, { documents })))
  })

  const fails = (format: string, bytes: Uint8Array) =>
    verifyFile(`report.${format}`, bytes, library).then(
      ({ stands }) => !stands,
      (error: unknown) => error instanceof UsageError,
    )

  it.each(reportFormats.filter((each) => each !== 'docx'))('finds any changed digit of a .%s', async (format) => {
    const { count, changed } = await digitsOf(format, files.get(format) ?? new Uint8Array())
    const change = fc.record({ at: fc.nat({ max: count - 1 }), by: fc.integer({ min: 1, max: 9 }) })
    await fc.assert(
      fc.asyncProperty(change, async ({ at, by }) => {
        expect(await fails(format, await changed(at, by))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('finds any changed digit of a .docx, and says which of its files has it', async () => {
    const { count, changed } = await digitsOf('docx', files.get('docx') ?? new Uint8Array())
    const change = fc.record({ at: fc.nat({ max: count - 1 }), by: fc.integer({ min: 1, max: 9 }) })
    await fc.assert(
      fc.asyncProperty(change, async ({ at, by }) => {
        expect(await fails('docx', await changed(at, by))).toBe(true)
      }),
      { numRuns: 60 },
    )
    const zip = await JSZip.loadAsync(files.get('docx') ?? '')
    const xml = (await zip.file('word/document.xml')?.async('string')) ?? ''
    zip.file('word/document.xml', xml.replaceAll('81.1 million', '81.7 million')).file('word/note.xml', '<note/>')
    const { changes, claims } = await verifyFile(
      'report.docx',
      await zip.generateAsync({ type: 'uint8array' }),
      library,
    )
    expect(changes).toEqual(['Edited, or saved again by another program: word/document.xml.', 'Added: word/note.xml.'])
    expect(claims.every(({ stands }) => stands)).toBe(true)
  })

  it.each(reportFormats)(
    'finds whatever was done to a .%s, and calls it good as other programs save it',
    async (format) => {
      const bytes = files.get(format) ?? new Uint8Array()
      for (const [what, copy] of await untouchedAs(format, bytes)) {
        expect([what, await fails(format, copy)]).toEqual([what, false])
      }
      for (const [what, copy] of await tamperedWith(format, bytes)) {
        expect([what, await fails(format, copy)]).toEqual([what, true])
      }
    },
  )

  it('still finds the claims of a .docx whose part for the proof was numbered anew', async () => {
    const zip = await JSZip.loadAsync(files.get('docx') ?? '')
    zip.file('customXml/item3.xml', (await zip.file('customXml/item1.xml')?.async('string')) ?? '')
    zip.remove('customXml/item1.xml')
    const { stands, claims } = await verifyFile('report.docx', await zip.generateAsync({ type: 'uint8array' }), library)
    expect([stands, claims.length]).toEqual([false, hostile.length + 2])
  })

  it('says of a file without its proof, or that is damaged, that it cannot be verified', async () => {
    const zip = await JSZip.loadAsync(files.get('docx') ?? '')
    zip.remove('customXml/item1.xml')
    const bare = await zip.generateAsync({ type: 'uint8array' })
    await expect(verifyFile('report.docx', bare, library)).rejects.toThrow(/carries no proof/)
    await expect(verifyFile('report.docx', new Uint8Array([1, 2]), library)).rejects.toThrow(
      /cannot be read as a document of Word/,
    )
    await expect(verifyFile('report.tex', new TextEncoder().encode('\\documentclass{a}'), library)).rejects.toThrow(
      UsageError,
    )
  })
})
