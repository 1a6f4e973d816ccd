import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { makeZip } from '../../../fixtures/documents/make-docx.ts'
import { blockTexts, roomy } from './read-options.ts'

const fixtures = join(import.meta.dirname, '../../../fixtures/documents/office')
const examples = join(import.meta.dirname, '../../../../examples/papers')
const read = (name: string, bytes: Uint8Array) => readDocument(name, bytes, roomy)

function odt(
  body: string,
  { automatic = '', extra = {} }: { automatic?: string; extra?: Record<string, string> } = {},
) {
  const content = `<office:document-content><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`
  return makeZip({ 'content.xml': content, ...extra })
}
const style = (name: string, family: string, properties: string, more = '') =>
  `<style:style style:name="${name}" style:family="${family}" ${more}><style:text-properties ${properties}/><style:paragraph-properties ${properties}/></style:style>`
const rtf = (body: string) => Buffer.from(`{\\rtf1\\ansi\\ansicpg1252 ${body}}`, 'latin1')

describe.each(['odt', 'rtf'])('a file of LibreOffice in the format %s', (ending) => {
  it('has word for word the sections, lists and tables of the Word file that it was made of', async () => {
    const name = 'operations-handbook'
    const document = await read(`a.${ending}`, readFileSync(join(fixtures, `${name}.${ending}`)))
    const word = await read('a.docx', readFileSync(join(examples, `${name}.docx`)))
    expect(blockTexts(document)).toEqual(blockTexts(word))
    expect(document.blocks.map(({ section }) => section)).toEqual(word.blocks.map(({ section }) => section))
    expect([document.title, document.authors]).toEqual([word.title, word.authors])
  })

  it('ends with text or a reason wherever it is cut off', { tags: ['F71'] }, async () => {
    const bytes = readFileSync(join(fixtures, `operations-handbook.${ending}`))
    for (let part = 1; part < 50; part += 1) {
      const cut = read(`a.${ending}`, bytes.subarray(0, Math.floor((bytes.length * part) / 50)))
      await cut.catch((error: { code?: string }) => expect(error.code).toMatch(/^(?:malformed|empty)_file$/))
    }
  })
})

describe('an OpenDocument text', () => {
  it('keeps headings, numbers of lists, spans, header rows and notes', async () => {
    const cell = (text: string, spans = '') => `<table:table-cell ${spans}><text:p>${text}</text:p></table:table-cell>`
    const list = (item: string, more = '') =>
      `<text:list text:style-name="L1" ${more}><text:list-item><text:p>${item}</text:p></text:list-item></text:list>`
    const automatic =
      '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>'
    const body =
      `<text:h text:outline-level="1">Ponds</text:h>${list('Stop.')}<text:p>Then:</text:p>${list('Look.', 'text:continue-numbering="true"')}` +
      '<text:p>Deep<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>In spring.</text:p></text:note-body></text:note> water.</text:p>' +
      `<table:table><table:table-header-rows><table:table-row>${cell('Pond')}${cell('Depth', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row></table:table-header-rows>` +
      `<table:table-row>${cell('North')}${cell('3 m')}${cell('4 m')}</table:table-row></table:table>`
    const document = await read('a.odt', odt(body, { automatic }))
    expect(blockTexts(document)).toEqual([
      ['heading', 'Ponds'],
      ['text', '1. Stop.\nThen:\n2. Look.\nDeep[1] water.'],
      ['table', 'Pond | Depth | Depth\nNorth | 3 m | 4 m'],
      ['text', '1. In spring.'],
    ])
  })

  it('has the pages between the page breaks of its author', async () => {
    const automatic = style('P1', 'paragraph', 'fo:break-before="page"')
    const body = '<text:p text:style-name="P1">One.</text:p><text:p text:style-name="P1">Two.</text:p>'
    expect((await read('a.odt', odt(body, { automatic }))).pages.map(({ text }) => text)).toEqual(['One.', 'Two.'])
  })

  it.each([
    '<text:span text:style-name="T1">never </text:span>',
    '<text:span text:style-name="T2">never </text:span>',
    '<text:span text:style-name="T3">never </text:span>',
    '<text:hidden-text text:is-hidden="true">never </text:hidden-text>',
    '<office:annotation><text:p>never </text:p></office:annotation>',
    '</text:p><text:p>never <text:hidden-paragraph text:is-hidden="true"/>ever</text:p><text:p>',
    '</text:p><text:section text:display="none"><text:p>never</text:p></text:section><text:p>',
  ])('leaves out what it hides: %s', { tags: ['S8'] }, async (hidden) => {
    const automatic =
      style('T1', 'text', 'text:display="none"') +
      style('T2', 'text', 'fo:font-size="1pt"') +
      style('T3', 'text', 'fo:color="#FFFFFF"')
    const deleted = '<text:tracked-changes><text:deletion><text:p>never</text:p></text:deletion></text:tracked-changes>'
    const { pages } = await read('a.odt', odt(`${deleted}<text:p>Ponds ${hidden}freeze.</text:p>`, { automatic }))
    expect(pages[0]?.text.replace('\n', ' ')).toBe('Ponds freeze.')
  })

  it('keeps white text within a table, where a cell may be dark', async () => {
    const automatic = style('T3', 'text', 'fo:color="#ffffff"')
    const body =
      '<table:table><table:table-row><table:table-cell><text:p text:style-name="T3">Pond</text:p></table:table-cell></table:table-row></table:table>'
    expect((await read('a.odt', odt(body, { automatic }))).pages[0]?.text).toBe('Pond')
  })

  it.each([
    ['is encrypted', { 'META-INF/manifest.xml': '<manifest:encryption-data/>', 'content.xml': 'x' }, 'encrypted_file'],
    ['has no content', { mimetype: 'x' }, 'malformed_file'],
    ['nests too deep', { 'content.xml': '<text:p>'.repeat(30_000) }, 'malformed_file'],
  ])('is refused with a reason if it %s', { tags: ['F71', 'S8'] }, async (_, files, code) => {
    await expect(read('a.odt', makeZip(files))).rejects.toMatchObject({ code })
  })

  it('expands no entities', { tags: ['S8'] }, async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(50)}"><!ENTITY f SYSTEM "file:///etc/passwd">]>`
    const bytes = makeZip({ 'content.xml': `${laughs}<x><text:p>Start &b; &f; end</text:p></x>` })
    expect((await read('a.odt', bytes)).pages[0]?.text).not.toMatch(/root:|haha/)
  })
})

describe('a Rich Text file', () => {
  it.each([
    [
      'headings by style and by level',
      '{\\stylesheet{\\s3 heading 2,Sub;}}\\s3 Ponds\\par\\pard\\outlinelevel0 Fish\\par\\pard They swim.',
      'Ponds\nFish\nThey swim.',
    ],
    [
      'letters of its code pages',
      "{\\fonttbl{\\f1\\fcharset204 A;}{\\f2\\fcharset128 B;}}\\'fc\\'80 {\\f1\\'ef\\'ee} {\\f2\\'83\\'41}",
      'ü€ по ア',
    ],
    [
      'letters of Unicode, without what stands for them',
      '\\u8217?s \\uc2\\u1087pp\\uc0\\u1086 o \\u-10179 \\u-8704 ',
      '’s поo 😀',
    ],
    ['signs by their names', 'A\\~b\\endash c\\{d\\}\\\\\\_e\\tab f', 'A b–c{d}\\‑e f'],
    ['superscripts apart', '10{\\super 6} m', '10^6 m'],
    [
      'numbers of lists, and bullets',
      '{\\listtext 3.\\tab}Stop.\\par{\\listtext\\u61623?\\tab}Look.',
      '3. Stop.\n• Look.',
    ],
    ['notes, last', 'Deep{\\super\\chftn}{\\footnote\\pard\\plain In spring.} water.', 'Deep[1] water.\n1. In spring.'],
    [
      'the text of boxes',
      'A.\\par{\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv y}}{\\shptxt Box.\\par}}{\\shprslt never}}B.',
      'A.\nBox.\nB.',
    ],
    ['braces that do not match', 'A}}} b {{{ c', 'A b c'],
  ])('keeps %s', async (_, body, text) => {
    expect((await read('a.rtf', rtf(body))).pages[0]?.text).toBe(text)
  })

  it('keeps header rows and spans', async () => {
    const body =
      'A.\\par\\trowd\\trhdr\\cellx1000\\cellx3000\\pard\\intbl Pond\\cell Depth\\cell\\row' +
      '\\trowd\\clvmgf\\cellx1000\\cellx2000\\cellx3000 North\\cell 3 m\\cell 4 m\\cell\\row' +
      '\\trowd\\clvmrg\\cellx1000\\cellx2000\\cellx3000\\cell 5 m\\cell 6 m\\cell\\row\\pard B.'
    const document = await read('a.rtf', rtf(body))
    expect(blockTexts(document)[1]).toEqual(['table', 'Pond | Depth | Depth\nNorth | 3 m | 4 m\nNorth | 5 m | 6 m'])
  })

  it('has the pages between its page breaks', async () => {
    const { pages } = await read('a.rtf', rtf('\\pagebb One.\\par Two.\\page Three.\\par\\pard Four.'))
    expect(pages.map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.\nFour.'])
  })

  it('states title and author where its text bears them out', async () => {
    const body =
      '{\\info{\\title On p\\u246?nds}{\\author Ada Duck;Bo Heron}{\\creatim\\yr2020}}On pönds\\par By Ada Duck'
    const from = 'document properties'
    expect(await read('a.rtf', rtf(body))).toMatchObject({
      title: { value: 'On pönds', from },
      authors: { value: ['Ada Duck'], from },
      year: null,
    })
  })

  it.each([
    '{\\v never }',
    '{\\deleted never }',
    '{\\*\\unknown never }',
    '{\\header never }',
    '{\\pict\\bin3 {{{}',
    '{\\object never }',
  ])('leaves out what it hides, and what is no text: %s', { tags: ['S8'] }, async (hidden) => {
    expect((await read('a.rtf', rtf(`Ponds ${hidden}freeze.`))).pages[0]?.text).toBe('Ponds freeze.')
  })

  it('is refused with a reason if it is something else, or holds no text', { tags: ['F71'] }, async () => {
    await expect(read('a.rtf', Buffer.from('text'))).rejects.toMatchObject({ code: 'malformed_file' })
    await expect(read('a.rtf', rtf('{'.repeat(1_000_000)))).rejects.toMatchObject({ code: 'empty_file' })
  })
})
