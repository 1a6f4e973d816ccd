import type { ReadDocument } from '../../port/document.ts'
import { type GridCell, plainCell, spansOf } from '../../tables/grid.ts'
import { cleanLine } from '../common/clean-text.ts'
import { type DocumentWriter, documentWriter } from '../common/document-writer.ts'
import { checkPages, type ReadOptions } from '../common/read-options.ts'
import { writeSheet } from '../common/write-table.ts'
import { officeProperties, readArchive, relationsOf, textOf, walkXml } from './archive.ts'

/** Reads the slides of a presentation that are shown: each is a page, and a section by its title; tables are kept. */
export async function readPptx(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return readArchive(bytes, 'PowerPoint presentation', async (file) => {
    const writer = documentWriter(options.limits)
    const relations = await relationsOf(file, 'ppt/presentation.xml')
    const slides: string[] = []
    walkXml(await textOf(file, 'ppt/presentation.xml'), {
      open: (name, { 'r:id': id = '' }) => {
        const path = name === 'p:sldId' ? relations.get(id) : undefined
        if (path) slides.push(path)
      },
    })
    checkPages(slides.length, options.limits)
    for (const [at, path] of slides.entries()) {
      const xml = await textOf(file, path)
      writer.page(at + 1)
      if (!isHiddenSlide(xml)) writeSlide(writer, xml)
    }
    return { format: 'pptx', ...(await officeProperties(file)), ...writer.finish() }
  })
}

function isHiddenSlide(xml: string): boolean {
  return /<p:sld\s[^<>]*\sshow="(?:0|false)"/u.test(xml)
}

interface Shape {
  isTitle: boolean
  isHidden: boolean
  readonly paragraphs: string[]
}

function noteShape(shapes: Shape[], name: string, { type = '', hidden = '0' }: Readonly<Record<string, string>>): void {
  const shape = shapes.at(-1)
  if (name === 'p:sp') shapes.push({ isTitle: false, isHidden: false, paragraphs: [] })
  else if (name === 'p:cNvPr' && shape) shape.isHidden = hidden === '1'
  else if (name === 'p:ph' && shape) shape.isTitle = type === 'title' || type === 'ctrTitle'
}

/** The title first, wherever the file has it, since the rest stands below it. */
function writeSlide(writer: DocumentWriter, xml: string): void {
  const shapes: Shape[] = []
  const tables: GridCell[][][] = []
  let cell = plainCell('')
  let isHeader = false
  let [text, isText, inTable] = ['', false, false]
  walkXml(xml, {
    open: (name, attributes) => {
      noteShape(shapes, name, attributes)
      if (name === 'a:tbl') {
        tables.push([])
        inTable = true
      } else if (name === 'a:tblPr') isHeader = attributes.firstRow === '1'
      else if (name === 'a:tr') tables.at(-1)?.push([])
      else if (name === 'a:tc') cell = { ...plainCell(''), ...spanned(attributes) }
      else if (name === 'a:br') text += ' '
      isText = name === 'a:t'
    },
    text: (part) => {
      if (isText) text += part
    },
    close: (name) => {
      isText = false
      if (name === 'a:p' && inTable) text += ' '
      else if (name === 'a:p') {
        shapes.at(-1)?.paragraphs.push(cleanLine(text))
        text = ''
      } else if (name === 'a:tc') {
        const row = tables.at(-1)
        row?.at(-1)?.push({ ...cell, text: cleanLine(text), isHeader: isHeader && row.length === 1 })
        text = ''
      } else if (name === 'a:tbl') inTable = false
    },
  })
  const shown = shapes.filter((shape) => !shape.isHidden)
  for (const { paragraphs } of shown.filter((shape) => shape.isTitle)) writer.heading(1, paragraphs.join(' ').trim())
  for (const line of shown.filter((shape) => !shape.isTitle).flatMap((shape) => shape.paragraphs))
    writer.paragraph(line)
  for (const rows of tables) writeSheet(writer, rows, { isExact: rows.flat().some(({ columns }) => columns > 1) })
}

/** How far a cell spans; one that another covers is there too, empty. */
function spanned({
  gridSpan,
  rowSpan,
  hMerge,
  vMerge,
}: Readonly<Record<string, string>>): Pick<GridCell, 'columns' | 'rows'> {
  const isCovered = hMerge === '1' || hMerge === 'true' || vMerge === '1' || vMerge === 'true'
  return isCovered ? { columns: 0, rows: 0 } : spansOf(gridSpan, rowSpan)
}
