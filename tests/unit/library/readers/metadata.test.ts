import { describe, expect, it } from 'vitest'
import { statedYear } from '../../../../src/library/readers/common/stated.ts'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { docxParagraph, makeDocx } from '../../../fixtures/documents/make-docx.ts'
import { drawLines, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { roomy } from './read-options.ts'

const running = ['The weeks that ended in a new year were counted by weeks, and ended early.', 'A new count follows.']
const text = (from: number) => drawLines(running, { x: 72, y: from })

describe('the metadata of a document', () => {
  it('names no author whose words the document uses as common words', { tags: ['Q12'] }, async () => {
    const page = [
      { text: 'Consolidated Statements of Ponds', x: 72, y: 740, size: 18 },
      { text: 'Weeks Ended', x: 72, y: 700, size: 12 },
      ...text(600),
    ]
    const { title, authors } = await readDocument('a.pdf', makePdf([page, text(700)]), roomy)
    expect(title?.value).toBe('Consolidated Statements of Ponds')
    expect(authors).toBeNull()
  })

  it('of a filing is its company, kind and period', async () => {
    const page = [
      { text: 'UNITED STATES', x: 200, y: 760, size: 18 },
      { text: 'SECURITIES AND EXCHANGE COMMISSION', x: 150, y: 740, size: 18 },
      { text: 'FORM 10-K', x: 250, y: 700, size: 18 },
      { text: 'For the fiscal year ended August 29, 2021', x: 200, y: 670, size: 9 },
      { text: 'Pond Wholesale Corporation', x: 200, y: 640, size: 14 },
      { text: '(Exact name of registrant as specified in its charter)', x: 200, y: 625, size: 9 },
      { text: 'New York', x: 200, y: 600, size: 9 },
      ...text(500),
    ]
    const filing = await readDocument('a.pdf', makePdf([page], { info: { Author: 'EDGAR Online' } }), roomy)
    expect(filing.title?.value).toBe('Pond Wholesale Corporation, 10-K 2021')
    expect([filing.authors, filing.year?.value]).toEqual([null, 2021])
  })

  it('takes from a Word file only what its text bears out', async () => {
    const core = '<p><dc:title>Quarterly brochure template</dc:title><dc:creator>G635890</dc:creator></p>'
    const body = docxParagraph('Care of ponds', 1) + docxParagraph('Ponds freeze.')
    const { title, authors } = await readDocument('a.docx', makeDocx(body, { 'docProps/core.xml': core }), roomy)
    expect([title?.value, authors]).toEqual(['Care of ponds', null])
  })

  it('is the heading of a web page without the name of its site', async () => {
    const html =
      '<title>Care of ponds — Ponds 1.0 documentation</title><h1>Care of ponds<a href="#x">¶</a></h1><p>They freeze.'
    const { title } = await readDocument('a.html', Buffer.from(html), roomy)
    expect(title?.value).toBe('Care of ponds')
  })

  it('has a title without its version and its note marks, and names without theirs', async () => {
    const page = [
      { text: 'Guide to Ponds*', x: 72, y: 740, size: 18 },
      { text: 'Version 4.0.2', x: 72, y: 715, size: 18 },
      { text: 'Ada Duck', x: 72, y: 680, size: 12 },
      { text: 'a', x: 122, y: 685, size: 7 },
      { text: ' and Bo Heron', x: 126, y: 680, size: 12 },
      ...text(600),
    ]
    const { title, authors } = await readDocument('a.pdf', makePdf([page, text(700)]), roomy)
    expect([title?.value, authors?.value]).toEqual(['Guide to Ponds', ['Ada Duck', 'Bo Heron']])
  })

  it('has no title from a mark that is drawn again and again', async () => {
    const marks = Array.from({ length: 4 }, (_, at) => ({ text: 'The Pond Group', x: 72, y: 740 - at * 20, size: 18 }))
    const { title } = await readDocument('a.pdf', makePdf([[...marks, ...text(600)]]), roomy)
    expect(title).toBeNull()
  })

  it('names no author from properties that hold a notice', async () => {
    const info = { Author: '(c) 2003, 2004 Ada Duck' }
    const page = [
      { text: 'Care of ponds', x: 72, y: 740, size: 18 },
      { text: '(c) Ada Duck', x: 72, y: 700 },
      ...text(600),
    ]
    const { authors } = await readDocument('a.pdf', makePdf([page], { info }), roomy)
    expect(authors).toBeNull()
  })

  it('is the heading of a web page whose title is the beginning of that', async () => {
    const html = '<title>pond</title><h1>Pond - a program that counts ducks</h1><p>It counts.'
    const { title } = await readDocument('a.html', Buffer.from(html), roomy)
    expect(title?.value).toBe('Pond - a program that counts ducks')
  })

  it.each([
    [['User Manual (ver.2, Apr-2011)'], 2011],
    [['Fecha de publicación: 31/01/2024'], 2024],
    [['Stand: 3. März 2020'], 2020],
    [['Copyright 1998-2007, 2011 Pond Group'], 2011],
    [['It was agreed on May 4, 2019 that ponds are to be measured every year.'], null],
    [['Revised May 4, 2019', 'Revised June 1, 2021'], null],
    [['Sales 2020 2021'], null],
  ])('has a year only from a line that states a date: %j', (lines, year) => {
    expect(statedYear(lines)?.value ?? null).toBe(year)
  })
})
