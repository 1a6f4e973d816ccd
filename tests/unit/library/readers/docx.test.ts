import { describe, expect, it } from 'vitest'
import { readDocx } from '../../../../src/library/readers/office/docx.ts'
import { docxParagraph, docxTable, makeDocx, makeZip } from '../../../fixtures/documents/make-docx.ts'
import { blockTexts, roomy } from './read-options.ts'

describe('a Word file', () => {
  it('is read with its headings, paragraphs and tables', async () => {
    const body =
      docxParagraph('Ponds', 1) +
      docxParagraph('Ponds are small &amp; deep.') +
      docxTable([
        ['Pond', 'Depth'],
        ['North', '3 m'],
      ])
    const core =
      '<cp:coreProperties><dc:title>On ponds</dc:title><dc:creator>Ada Duck;Bo Heron</dc:creator></cp:coreProperties>'
    const document = await readDocx(makeDocx(body, { 'docProps/core.xml': core }), roomy)
    expect(blockTexts(document)).toEqual([
      ['heading', 'Ponds'],
      ['text', 'Ponds are small & deep.'],
      ['table', 'Pond | Depth\nNorth | 3 m'],
    ])
    expect(document).toMatchObject({
      format: 'docx',
      title: { value: 'On ponds', from: 'document properties' },
      authors: { value: ['Ada Duck', 'Bo Heron'] },
    })
  })

  it('keeps the numbers of its lists, and captions with their tables', async () => {
    const item = (text: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const numbering =
      '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0">' +
      '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>' +
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    const relations =
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ' +
      'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>'
    const cells = docxTable([
      ['Pond', 'Depth'],
      ['North', '3 m'],
    ])
    const body = item('Stop.') + item('Look.') + docxParagraph('Table 1: Depths') + cells
    const extra = { 'word/numbering.xml': numbering, 'word/_rels/document.xml.rels': relations }
    expect(blockTexts(await readDocx(makeDocx(body, extra), roomy))).toEqual([
      ['text', '1. Stop.\n2. Look.'],
      ['table', 'Table 1: Depths\nPond | Depth\nNorth | 3 m'],
    ])
  })

  it.each([
    ['that its program noted', '<w:lastRenderedPageBreak/>', '<w:br w:type="page"/>'],
    ['that its author set', '<w:br w:type="page"/>', ''],
  ])('has the pages %s', async (_, pageBreak, ignored) => {
    const run = (text: string) => `<w:r>${pageBreak}<w:t xml:space="preserve">${text}</w:t></w:r>`
    const table = docxTable([
      ['Pond', 'Depth'],
      ['North', '3 m'],
    ]).replace('<w:r><w:t xml:space="preserve">North', `<w:r>${pageBreak}<w:t xml:space="preserve">North`)
    const body =
      `${docxParagraph('Ponds', 1)}<w:p><w:r><w:t>Ponds are small.</w:t>${ignored}</w:r>${run('They freeze.')}</w:p>` +
      `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run('Fish')}</w:p>${docxParagraph('They swim.')}${table}` +
      docxParagraph('The end.')
    const document = await readDocx(makeDocx(body), roomy)
    expect(document.pages.map(({ number, text }) => [number, text])).toEqual([
      [1, 'Ponds\nPonds are small.'],
      [2, 'They freeze.'],
      [3, 'Fish\nThey swim.\nPond | Depth\nNorth | 3 m'],
      [4, 'The end.'],
    ])
  })

  it.each([
    ['is a ZIP archive of something else', makeZip({ 'a.txt': 'text' })],
    ['is cut off', makeDocx(docxParagraph('text')).subarray(0, 300)],
    ['holds broken XML', makeDocx('<w:p><w:r>')],
  ])('is refused with a reason if it %s', { tags: ['F71'] }, async (_, bytes) => {
    await expect(readDocx(bytes, roomy)).rejects.toMatchObject({ code: 'malformed_file' })
  })

  it('expands no entities, neither its own nor from outside', { tags: ['S8'] }, async () => {
    const laughs = `<!DOCTYPE w:document [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(50)}"><!ENTITY f SYSTEM "file:///etc/passwd">]>`
    const document =
      `${laughs}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` +
      `${docxParagraph('Start &b; &f; end')}</w:body></w:document>`
    const read = await readDocx(makeDocx('', { 'word/document.xml': document }), roomy).then(
      (found) => found.pages[0]?.text ?? '',
      (error: { code: string }) => error.code,
    )
    expect(read).not.toMatch(/root:|haha/)
  })
})
