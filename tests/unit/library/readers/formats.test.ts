import JSZip from 'jszip'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { blockTexts, roomy } from './read-options.ts'

function zip(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const archive = new JSZip()
  for (const [name, content] of Object.entries(files)) archive.file(name, content)
  return archive.generateAsync({ type: 'uint8array' })
}

const read = (name: string, bytes: string | Uint8Array) => readDocument(name, Buffer.from(bytes as string), roomy)

function relations(targets: Readonly<Record<string, string>>): string {
  const each = Object.entries(targets).map(([id, target]) => `<Relationship Id="${id}" Target="${target}"/>`)
  return `<Relationships>${each.join('')}</Relationships>`
}

describe('comma-separated values', () => {
  it.each([
    ['a.csv', 'Pond,Depth\r\n"North, old","3 ""m"""\r\nSouth,5 m\r\n'],
    ['a.csv', '\ufeffPond;Depth\n"North, old";"3 ""m"""\nSouth;5 m'],
    ['a.tsv', 'Pond\tDepth\n"North, old"\t"3 ""m"""\nSouth\t5 m\n'],
  ])('are a table: %s %j', async (name, text) => {
    expect(blockTexts(await read(name, text))).toEqual([['table', 'Pond | Depth\nNorth, old | 3 "m"\nSouth | 5 m']])
  })

  it('keep the places of empty cells, and a quote that is never closed', async () => {
    expect(blockTexts(await read('a.csv', 'Pond,Depth,Fish\nNorth,,7\n5" pipe,1,2\n'))).toEqual([
      ['table', 'Pond | Depth | Fish\nNorth |  | 7\n5" pipe | 1 | 2'],
    ])
  })
})

describe('a workbook', () => {
  const cell = (place: string, value: string, rest = '') => `<c r="${place}" ${rest}><v>${value}</v></c>`
  const files = {
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Ponds" r:id="r1"/><sheet name="Notes" state="hidden" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations({ r1: 'worksheets/sheet1.xml', r2: '/xl/worksheets/sheet2.xml' }),
    'xl/sharedStrings.xml':
      '<sst><si><t>Pond</t></si><si><r><t>No</t></r><r><t>rth</t></r><rPh><t>x</t></rPh></si><si><t>Ponds in metres</t></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm"/></numFmts><cellXfs><xf numFmtId="0"/>' +
      '<xf numFmtId="170"/><xf numFmtId="10"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml':
      `<worksheet><sheetData><row r="1">${cell('A1', '2', 't="s"')}</row>` +
      `<row r="3">${cell('A3', '0', 't="s"')}<c r="C3" t="inlineStr"><is><t>Date</t></is></c><c r="D3" t="str"><v>Share</v></c></row>` +
      `<row r="4">${cell('A4', '1', 't="s"')}${cell('C4', '44197', 's="1"')}${cell('D4', '0.07', 's="2"')}</row>` +
      `<row r="5" hidden="1">${cell('A5', '9')}</row></sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData><row r="1">${cell('A1', '666')}</row></sheetData></worksheet>`,
  }

  it('is read by its visible sheets, with dates and shares as they are shown', async () => {
    const document = await read('a.xlsx', await zip(files))
    expect(blockTexts(document)).toEqual([
      ['heading', 'Ponds'],
      ['text', 'Ponds in metres'],
      ['table', 'Pond | Date | Share\nNorth | 2021-01-01 | 7%'],
    ])
    expect(document.blocks.at(-1)?.section).toEqual(['Ponds'])
    expect(document.title).toBeNull()
  })

  it.each(['a.xlsx', 'a.pptx', 'a.epub'])('that is something else is refused: %s', { tags: ['F71'] }, async (name) => {
    const bytes = await zip({ 'a.txt': 'x' })
    await expect(read(name, bytes)).rejects.toMatchObject({ code: 'malformed_file' })
    await expect(read(name, 'text')).rejects.toMatchObject({ code: 'malformed_file' })
  })
})

describe('a presentation', () => {
  const shape = (text: string, type = 'body', hidden = '') =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x" ${hidden}/><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>` +
    `<a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
  const cells = (row: readonly string[]) =>
    `<a:tr>${row.map((text) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`).join('')}</a:tr>`
  const table = `<a:tbl>${cells(['Pond', 'Depth'])}${cells(['North', '3 m'])}</a:tbl>`

  it('is read slide by slide, each below its title', async () => {
    const document = await read(
      'a.pptx',
      await zip({
        'ppt/presentation.xml':
          '<p:presentation><p:sldIdLst><p:sldId r:id="r2"/><p:sldId r:id="r1"/><p:sldId r:id="r3"/></p:sldIdLst></p:presentation>',
        'ppt/_rels/presentation.xml.rels': relations({
          r1: 'slides/slide1.xml',
          r2: 'slides/slide2.xml',
          r3: 'slides/slide3.xml',
        }),
        'ppt/slides/slide1.xml': `<p:sld>${shape('Fish')}${shape('never', 'body', 'hidden="1"')}${shape('Life', 'title')}${table}</p:sld>`,
        'ppt/slides/slide2.xml': `<p:sld>${shape('Care of ponds', 'ctrTitle')}</p:sld>`,
        'ppt/slides/slide3.xml': `<p:sld xmlns:p="p" show="0">${shape('never')}</p:sld>`,
      }),
    )
    expect(blockTexts(document)).toEqual([
      ['heading', 'Care of ponds'],
      ['heading', 'Life'],
      ['text', 'Fish'],
      ['table', 'Pond | Depth\nNorth | 3 m'],
    ])
    expect(document.blocks.map((block) => block.page)).toEqual([1, 2, 2, 2])
    expect(document.title?.value).toBe('Care of ponds')
  })
})

describe('an e-book', () => {
  it('is read chapter by chapter', async () => {
    const document = await read(
      'a.epub',
      await zip({
        'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        'OPS/book.opf':
          '<package><metadata><dc:title>On ponds</dc:title><dc:creator>Ada Duck</dc:creator><dc:creator>Pirate</dc:creator></metadata>' +
          '<manifest><item id="b" href="text/two.xhtml"/><item id="a" href="text/one%20.xhtml"/></manifest>' +
          '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        'OPS/text/one .xhtml':
          '<html><head><title>x</title></head><body><h1>On ponds</h1><p>By Ada Duck</p></body></html>',
        'OPS/text/two.xhtml':
          '<html><body><h1>Fish</h1><p>They <span style="display:none">never </span>swim.</p></body></html>',
      }),
    )
    expect(blockTexts(document)).toEqual([
      ['heading', 'On ponds'],
      ['text', 'By Ada Duck'],
      ['heading', 'Fish'],
      ['text', 'They swim.'],
    ])
    expect([document.title?.value, document.authors?.value]).toEqual(['On ponds', ['Ada Duck']])
  })
})

describe('a message', () => {
  it('is read with who wrote it, and its text', async () => {
    const message = [
      'From: =?UTF-8?Q?Ada_D=C3=BCck?= <ada@example.org>',
      'To: Bo Heron <bo@example.org>',
      'Subject: =?utf-8?B?UG9uZHMg4oCT?= and',
      ' fish',
      'Date: Mon, 3 May 2021 10:00:00 +0000',
      'Content-Type: multipart/mixed; boundary="xx"',
      '',
      '--xx',
      'Content-Type: multipart/alternative; boundary=yy',
      '',
      '--yy',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'The pond is t=FCrkis, and =',
      'deep.',
      '--yy',
      'Content-Type: text/html',
      '',
      '<p>never</p>',
      '--yy--',
      '--xx',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename=a.txt',
      '',
      'never',
      '--xx--',
    ]
    const document = await read('a.eml', message.join('\r\n'))
    expect(blockTexts(document)).toEqual([
      ['heading', 'Ponds – and fish'],
      [
        'text',
        'From: Ada Dück <ada@example.org>\nTo: Bo Heron <bo@example.org>\nDate: Mon, 3 May 2021 10:00:00 +0000\nThe pond is türkis, and deep.',
      ],
    ])
    expect(document).toMatchObject({ authors: { value: ['Ada Dück'] }, year: { value: 2021 } })
  })

  it('is read from its HTML if it has no other text', async () => {
    const body = Buffer.from('<h2>Fish</h2><p>They swim.').toString('base64')
    const message = `Subject: Ponds\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${body}`
    expect(blockTexts(await read('a.eml', message))).toEqual([
      ['heading', 'Ponds'],
      ['heading', 'Fish'],
      ['text', 'They swim.'],
    ])
  })
})
