import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { docxParagraph, makeDocx, makeZip } from '../../../fixtures/documents/make-docx.ts'
import { drawLines, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { roomy } from './read-options.ts'

type Properties = { readonly title?: string; readonly author?: string }
type Expected = readonly [title: string | null, authors: readonly string[] | null, year: number | null]
/** What stands in the file, its name and bytes, and what is known of it. */
type Form = readonly [what: string, file: string, bytes: Uint8Array, expected: Expected]

const text = ['The ponds of this report freeze in winter, and the fish of each pond live below.', 'A manual pump runs.']

/** A page with a line in large type, if any, above lines of text. */
function pdf(large: string | null, { title, author }: Properties, lines: readonly string[] = text): Uint8Array {
  const head = large === null ? [] : [{ text: large, x: 72, y: 740, size: 20 }]
  const info = { ...(title && { Title: title }), ...(author && { Author: author }) }
  return makePdf(
    [[...head, ...drawLines(lines, { x: 72, y: 700 })], drawLines([...text, ...text], { x: 72, y: 700 })],
    { info },
  )
}

function core({ title = '', author = '' }: Properties): Readonly<Record<string, string>> {
  return { 'docProps/core.xml': `<p><dc:title>${title}</dc:title><dc:creator>${author}</dc:creator></p>` }
}

const docx = (properties: Properties, heading: string, ...rest: readonly string[]) =>
  makeDocx(docxParagraph(heading, 1) + [...rest, ...text].map((each) => docxParagraph(each)).join(''), core(properties))

function pptx(properties: Properties, title: string): Uint8Array {
  const shape = (type: string, words: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p:txBody></p:sp>`
  return makeZip({
    'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels':
      '<Relationships><Relationship Id="r1" Target="slides/slide1.xml"/></Relationships>',
    'ppt/slides/slide1.xml': `<p:sld>${shape('title', title)}${shape('body', 'A PowerPoint presentation on ponds')}</p:sld>`,
    ...core(properties),
  })
}

function xlsx(properties: Properties, sheet: string): Uint8Array {
  return makeZip({
    'xl/workbook.xml': `<workbook><sheets><sheet name="${sheet}" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Depths of ponds</t></is></c></row></sheetData></worksheet>',
    ...core(properties),
  })
}

function epub(metadata: string, lines: readonly string[]): Uint8Array {
  return makeZip({
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf': `<package><metadata>${metadata}</metadata><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>`,
    'a.xhtml': `<html><body>${lines.map((line) => `<p>${line}</p>`).join('')}</body></html>`,
  })
}

const web = (head: string, body: string) =>
  Buffer.from(`<html><head>${head}</head><body>${body}<p>${text[0]}</p></body></html>`)

const gutenberg = [
  'The Project Gutenberg eBook of On ponds',
  'Release date: August 1, 1997 [eBook #1013]',
  'Most recently updated: March 30, 2021',
  'On ponds, by Ada Duck',
]
const book = '<dc:title>On ponds</dc:title><dc:creator>Ada Duck</dc:creator>'

const forms: readonly Form[] = [
  [
    'the name of a file in the properties of a PDF',
    'a.pdf',
    pdf(null, { title: 'Microsoft Word - report.doc' }),
    [null, null, null],
  ],
  [
    'the same beside a printed title',
    'a.pdf',
    pdf('Care of old ponds', { title: 'Microsoft Word - report.doc' }),
    ['Care of old ponds', null, null],
  ],
  [
    'the file that LaTeX made',
    'a.pdf',
    pdf(null, { title: 'ponds-report.dvi' }, ['ponds-report.dvi', ...text]),
    [null, null, null],
  ],
  ['"untitled"', 'a.pdf', pdf(null, { title: 'untitled' }, ['untitled', ...text]), [null, null, null]],
  [
    '"PowerPoint Presentation"',
    'a.pdf',
    pdf(null, { title: 'PowerPoint Presentation' }, ['A PowerPoint presentation', ...text]),
    [null, null, null],
  ],
  ['the style of a heading, printed largest', 'a.pdf', pdf('A Heading 1', {}), [null, null, null]],
  [
    'the same beside a title that the page has',
    'a.pdf',
    pdf('A Heading 1', { title: 'Freezing ponds' }, ['Freezing ponds', ...text]),
    ['Freezing ponds', null, null],
  ],
  [
    'a publisher, printed largest',
    'a.pdf',
    pdf('Heron University Press', { title: 'Care of ponds' }, ['Care of ponds', ...text]),
    ['Care of ponds', null, null],
  ],
  [
    'a printed title longer than the stated one',
    'a.pdf',
    pdf('Care of ponds: a study', { title: 'Care of ponds' }),
    ['Care of ponds: a study', null, null],
  ],
  ['what LaTeX writes without a title', 'a.pdf', pdf('No title given', {}), [null, null, null]],
  [
    'the kind of a document below its title',
    'a.pdf',
    pdf('GNU Pond Kit', {}, ['Reference Manual', ...text]),
    ['GNU Pond Kit', null, null],
  ],
  [
    'a role in the properties',
    'a.pdf',
    pdf('Care of old ponds', { author: 'Manual' }, ['Pond Manual', ...text]),
    ['Care of old ponds', null, null],
  ],
  [
    'a person in the properties',
    'a.pdf',
    pdf('Care of old ponds', { author: 'Ada Duck' }, ['by Ada Duck', ...text]),
    ['Care of old ponds', ['Ada Duck'], null],
  ],
  [
    'the date of an e-book in a PDF',
    'a.pdf',
    pdf('On ponds and fish', {}, gutenberg),
    ['On ponds and fish', null, null],
  ],
  [
    'the file name in a Word file that prints it',
    'a.docx',
    docx({ title: 'ponds report.docx' }, 'Care of ponds', 'ponds report.docx'),
    ['Care of ponds', null, null],
  ],
  [
    'the name of a new Word file',
    'a.docx',
    docx({ title: 'New Microsoft Word Document' }, 'Care of ponds'),
    ['Care of ponds', null, null],
  ],
  ['a first heading that names its style', 'a.docx', docx({}, 'A Heading 1'), [null, null, null]],
  [
    'the same in German and French',
    'a.docx',
    docx({ title: 'Dokument1' }, 'Überschrift 1', 'Dokument1'),
    [null, null, null],
  ],
  ['an author who is "Manual"', 'a.docx', docx({ author: 'Manual' }, 'Pond Manual'), ['Pond Manual', null, null]],
  [
    'an author who is "Administrator"',
    'a.docx',
    docx({ author: 'Administrator' }, 'Pond care', 'Ask the administrator.'),
    ['Pond care', null, null],
  ],
  [
    'an author whom the text names',
    'a.docx',
    docx({ author: 'Ada Duck' }, 'Pond care', 'By Ada Duck'),
    ['Pond care', ['Ada Duck'], null],
  ],
  [
    'an author whom the text does not name',
    'a.docx',
    docx({ author: 'Ada Duck' }, 'Pond care'),
    ['Pond care', null, null],
  ],
  [
    'a new presentation',
    'a.pptx',
    pptx({ title: 'PowerPoint Presentation' }, 'Care of ponds'),
    ['Care of ponds', null, null],
  ],
  [
    'a presentation whose first slide has no title yet',
    'a.pptx',
    pptx({ title: 'Präsentation1' }, 'Click to edit Master title style'),
    [null, null, null],
  ],
  ['a sheet with a default name', 'a.xlsx', xlsx({ title: 'Sheet1' }, 'Sheet1'), [null, null, null]],
  [
    'a workbook with a title',
    'a.xlsx',
    xlsx({ title: 'Depths of ponds' }, 'Tabelle1'),
    ['Depths of ponds', null, null],
  ],
  ['a new workbook', 'a.xlsx', xlsx({ title: 'Book1' }, 'Book1'), [null, null, null]],
  [
    'the release of an e-book',
    'a.epub',
    epub(
      `${book}<dc:date>1997-08-01</dc:date><meta property="dcterms:modified">2021-03-30T00:00:00Z</meta>`,
      gutenberg,
    ),
    ['On ponds', ['Ada Duck'], null],
  ],
  [
    'the date of an e-book that its text does not have',
    'a.epub',
    epub(`${book}<dc:date>2012</dc:date>`, ['On ponds, by Ada Duck']),
    ['On ponds', ['Ada Duck'], null],
  ],
  [
    'the date of an e-book that its title page has',
    'a.epub',
    epub(`${book}<dc:date>1912</dc:date>`, ['On ponds, by Ada Duck', 'London, 1912']),
    ['On ponds', ['Ada Duck'], 1912],
  ],
  [
    'a book that is called as its publisher',
    'a.epub',
    epub('<dc:title>Heron Press</dc:title><dc:publisher>Heron Press</dc:publisher>', ['Heron Press', 'Ponds']),
    [null, null, null],
  ],
  [
    'an unknown author of an e-book',
    'a.epub',
    epub('<dc:title>On ponds</dc:title><dc:creator>Unknown</dc:creator>', ['On ponds', 'Unknown waters']),
    ['On ponds', null, null],
  ],
  [
    'a page with the name of its site behind its title',
    'a.html',
    web('<title>Care of ponds | Heron News</title><meta property="og:site_name" content="Heron News">', '<p>Ponds'),
    ['Care of ponds', null, null],
  ],
  [
    'a page with that name before it',
    'a.html',
    web(
      '<meta property="og:title" content="Heron News: Care of ponds"><meta property="og:site_name" content="Heron News">',
      '<p>Ponds',
    ),
    ['Care of ponds', null, null],
  ],
  [
    'a page that is called as its site',
    'a.html',
    web(
      '<meta property="og:title" content="Heron News"><title>Care of ponds</title><meta name="dc.publisher" content="Heron News">',
      '<p>Ponds',
    ),
    ['Care of ponds', null, null],
  ],
  [
    'a page that is called as its file',
    'a.html',
    web('<title>index.html</title>', '<h1>Care of ponds</h1>'),
    ['Care of ponds', null, null],
  ],
  [
    'a page that names a role',
    'a.html',
    web('<title>Care of ponds</title><meta name="author" content="admin">', '<p>Posted by admin'),
    ['Care of ponds', null, null],
  ],
  [
    'the release of an e-book as a page',
    'a.html',
    web(
      '<title>On ponds</title><meta name="dc.date" content="1997-08-01">',
      gutenberg.map((line) => `<p>${line}`).join(''),
    ),
    ['On ponds', null, null],
  ],
  [
    'a note that a template begins',
    'a.md',
    Buffer.from('---\ntitle: Untitled\nauthor: Your Name\n---\n\n# Care of ponds\n\nThey freeze.\n'),
    ['Care of ponds', null, null],
  ],
]

describe('what a document is called, by whom, of when', { tags: ['Q12'] }, () => {
  it.each(forms)('%s: %s', async (_, file, bytes, [title, authors, year]) => {
    const found = await readDocument(file, bytes, roomy)
    expect([found.title?.value ?? null, found.authors?.value ?? null, found.year?.value ?? null]).toEqual([
      title,
      authors,
      year,
    ])
  })

  it.each([
    'The Book of Ponds',
    'Word by word',
    'Excel for accountants',
    'A Page from the Past',
    'Documents on ponds',
    'How to read config.txt',
    'Node.js',
    'User Manual',
  ])('a name of its own stays: %s', async (heading) => {
    const { title } = await readDocument('a.docx', docx({}, heading), roomy)
    expect(title?.value).toBe(heading)
  })
})
