import { DocumentUnreadable } from '../../../errors.ts'
import { countLetters } from '../../language/characters.ts'
import type { Box, PrintedText, ReadDocument } from '../../port/document.ts'
import { documentWriter } from '../common/document-writer.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { contentsName, isContentsPage, listedLines } from './contents.ts'
import { stripFurniture } from './furniture.ts'
import { vocabulary } from './hyphens.ts'
import { writePage } from './layout.ts'
import { bodyType, type Line } from './lines.ts'
import { readMetadata } from './metadata.ts'
import { openWithPdfjs, type ParsedPdf } from './open-pdfjs.ts'

/**
 * Reads a PDF: text in the order in which the file draws it, divided into headings, tables, running headers, text and
 * references. Throws `DocumentUnreadable` (`password_needed`, `no_text_layer`, `malformed_file`, `over_budget`).
 */
export async function readPdf(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return documentOf(await openWithPdfjs(bytes, options), 'pdf', options)
}

/** Makes a document of lines and where they stand. Throws `DocumentUnreadable` (`no_text_layer`, `malformed_file`, `over_budget`). */
export function documentOf(parsed: ParsedPdf, format: 'pdf' | 'picture', options: ReadOptions): ReadDocument {
  checkTextLayer(parsed)
  const pages = stripFurniture(parsed.pages)
  const lines = pages.flatMap((page) => page.lines)
  const body = bodyType(lines)
  const words = vocabulary(lines.map((line) => line.text))
  const first = parsed.pages.find((page) => page.lines.length > 0)?.lines ?? []
  const { title, titleLines, frontLines, authors, year } = readMetadata(first, body, parsed, lines)
  const writer = documentWriter(options.limits)
  const context = { body, words, titleLines, frontLines, listedLines: listedLines(pages) }
  pages.forEach((page, at) => {
    if (!isContentsPage(page.lines)) writer.leave(contentsName)
    writer.page(page.number, parsed.pages[at]?.label ?? page.printed, page.header)
    writePage(writer, page.lines, context)
  })
  const { pages: written, blocks } = writer.finish()
  const printed = written.map((page, at) => {
    const { lines = [], leftOut = [] } = pages[at] ?? {}
    return { ...page, leftOut, printed: lines.flatMap((line) => printedTexts(line, parsed.pages[at]?.turns)) }
  })
  return { format, title, authors, year, pages: printed, blocks }
}

const fewestLettersPerPage = 3

function checkTextLayer(parsed: ParsedPdf): void {
  if (parsed.pages.length === 0) {
    throw new DocumentUnreadable('malformed_file', 'It has no pages. Fetch or export the file again')
  }
  let letters = 0
  for (const { text } of parsed.pages.flatMap(({ lines }) => lines)) {
    letters += countLetters(text)
    if (letters >= fewestLettersPerPage * parsed.pages.length) return
  }
  throw new DocumentUnreadable(
    'no_text_layer',
    `It has no text layer: none of its pages (${parsed.pages.length}) holds text, as in a scan`,
  )
}

/** How far letters reach below and above their baseline, in ems. */
const below = 0.22
const above = 0.78

/** The parts of a line between wide gaps, each with its rectangle on the page. */
export function printedTexts({ segments, y, size, rotation }: Line, turns = 0): readonly PrintedText[] {
  return segments.map(({ text, x, end }) => ({
    text,
    box: turned([x, y - below * size, end, y + above * size], rotation + turns),
  }))
}

/** A rectangle along the direction of writing, in the axes of the page; to a tenth of a point. */
export function turned([x0, y0, x1, y1]: Box, quarterTurns: number): Box {
  const angle = (quarterTurns * Math.PI) / 2
  const [cos, sin] = [Math.round(Math.cos(angle)), Math.round(Math.sin(angle))]
  const corners = [
    [x0 * cos - y0 * sin, x0 * sin + y0 * cos],
    [x1 * cos - y1 * sin, x1 * sin + y1 * cos],
  ]
  const side = (at: 0 | 1) => corners.map((corner) => Math.round(10 * (corner[at] ?? 0)) / 10)
  return [Math.min(...side(0)), Math.min(...side(1)), Math.max(...side(0)), Math.max(...side(1))]
}
