import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { docxParagraph, docxTable, makeDocx, makeZip } from '../../../tests/fixtures/documents/make-docx.ts'
import { drawLines, makePdf } from '../../../tests/fixtures/documents/make-pdf.ts'

/** A sound file of a format that is read. */
export interface Sound {
  /** The end of its name: `.pdf`. */
  readonly extension: string
  readonly bytes: Uint8Array
}

const title = 'Care of ponds'
const lines = ['The pond holds 81.1 million litres.', 'It was dug in 2021 by Ada Duck.', 'Fish need 3 m of water.']
const relation = (target: string) =>
  `<Relationships><Relationship Id="r1" Type="x" Target="${target}"/></Relationships>`

const texts: Readonly<Record<string, string>> = {
  '.md': `---\ntitle: ${title}\nauthor: Ada Duck\n---\n# ${title}\n\n${lines.join('\n')}\n\n| Pond | Depth |\n|---|---|\n| North | 3 m |\n\n> - *${lines[0]}* [a](b) <b>c</b>\n`,
  '.html': `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${lines.join('<br>')}</p><table><tr><th colspan="2">Pond<tr><td>North<td>3 m</table><ul><li>${lines[1]}</ul></body></html>`,
  '.txt': `${title}\n\n${lines.join('\n\n')}\n`,
  '.csv': `Pond,Depth\r\n"North, old","3 ""m"""\r\nSouth,5 m\r\n`,
  '.eml': `From: =?UTF-8?Q?Ada_D=C3=BCck?= <ada@example.org>\r\nSubject: ${title}\r\nDate: Mon, 3 May 2021 10:00:00 +0000\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${lines.join('\r\n')}\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>${lines[0]}</p>\r\n--b--\r\n`,
}

const archives: Readonly<Record<string, () => Uint8Array>> = {
  '.docx': () =>
    makeDocx(
      [
        docxParagraph(title, 1),
        ...lines.map((line) => docxParagraph(line)),
        docxTable([
          ['Pond', 'Depth'],
          ['North', '3 m'],
        ]),
      ].join(''),
    ),
  '.xlsx': () =>
    makeZip({
      'xl/workbook.xml': '<workbook><sheets><sheet name="Ponds" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relation('worksheets/sheet1.xml'),
      'xl/sharedStrings.xml': `<sst><si><t>Pond</t></si><si><t>${lines[0]}</t></si></sst>`,
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2"><v>3</v></c></row></sheetData></worksheet>',
    }),
  '.pptx': () =>
    makeZip({
      'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relation('slides/slide1.xml'),
      'ppt/slides/slide1.xml': `<p:sld><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${lines.join(' ')}</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`,
    }),
  '.epub': () =>
    makeZip({
      'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
      'OPS/book.opf': `<package><metadata><dc:title>${title}</dc:title></metadata><manifest><item id="a" href="one.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>`,
      'OPS/one.xhtml': texts['.html'] ?? '',
    }),
}

/**
 * Small files of every format that is read, and those of up to a megabyte in `QUAERO_DEV_DATA`, where it is set; by the end
 * of their names.
 */
export async function soundDocuments(): Promise<ReadonlyMap<string, readonly Sound[]>> {
  const byExtension = new Map<string, Sound[]>()
  for (const sound of await allDocuments()) {
    byExtension.set(sound.extension, [...(byExtension.get(sound.extension) ?? []), sound])
  }
  return byExtension
}

async function allDocuments(): Promise<readonly Sound[]> {
  const page = [{ x: 72, y: 720, text: title, size: 18, bold: true }, ...drawLines(lines, { x: 72, y: 680 })]
  const pages = [page, drawLines(['Pond   Depth', 'North  3 m'], { x: 72, y: 700 })]
  const info = { Title: title, Author: 'Ada Duck' }
  return [
    ...Object.entries(texts).map(([extension, text]) => ({ extension, bytes: Buffer.from(text) })),
    ...Object.entries(archives).map(([extension, make]) => ({ extension, bytes: make() })),
    { extension: '.pdf', bytes: makePdf(pages, { info, pageLabelsFrom: 4 }) },
    { extension: '.pdf', bytes: makePdf(pages, { info, userPassword: '' }) },
    ...(await foundDocuments(process.env.QUAERO_DEV_DATA)),
  ]
}

const largest = 1_000_000

async function foundDocuments(data: string | undefined): Promise<readonly Sound[]> {
  if (data === undefined) {
    console.error('QUAERO_DEV_DATA is not set: only small files of our own are changed.')
    return []
  }
  const folders = ['docs', 'pdf'].map((name) => join(data, name))
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  )
  const files = await Promise.all(
    names
      .flat()
      .toSorted()
      .map(async (path) => ({ extension: extname(path), bytes: await readFile(path) })),
  )
  return files.filter(({ extension, bytes }) => bytes.length <= largest && extension !== '')
}
