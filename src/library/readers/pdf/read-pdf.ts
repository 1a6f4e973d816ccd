import { DocumentUnreadable } from '../../../errors.ts'
import type { ReadDocument } from '../../port/document.ts'
import { documentWriter } from '../common/document-writer.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { stripFurniture } from './furniture.ts'
import { headingTypes } from './headings.ts'
import { vocabulary } from './hyphens.ts'
import { writePage } from './layout.ts'
import { bodyType, pageLines } from './lines.ts'
import { readMetadata } from './metadata.ts'
import { openWithPdfium } from './open-pdfium.ts'
import { openWithPdfjs } from './open-pdfjs.ts'
import type { RawPdf } from './raw-pdf.ts'

/**
 * Reads a PDF: text in the order in which the file draws it, with headings, tables, running headers and references
 * told apart. Throws `DocumentUnreadable` (`password_needed`, `no_text_layer`, `malformed_file`, `over_budget`).
 */
export async function readPdf(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const raw = await parse(bytes, options)
  checkTextLayer(raw)
  const lined = raw.pages.map((page) => ({ number: page.number, lines: pageLines(page) }))
  const pages = stripFurniture(lined)
  const lines = pages.flatMap((page) => page.lines)
  const body = bodyType(lines)
  const types = headingTypes(lines, body)
  const words = vocabulary(lines.map((line) => line.text))
  const { title, titleLines, frontLines, authors, year } = readMetadata(lined[0]?.lines ?? [], body, raw)
  const writer = documentWriter(options.limits)
  pages.forEach((page, at) => {
    writer.page(page.number, raw.pages[at]?.label ?? page.printed, page.header)
    writePage(writer, page.lines, { body, types, words, titleLines, frontLines })
  })
  return { format: 'pdf', title, authors, year, ...writer.finish() }
}

async function parse(bytes: Uint8Array, options: ReadOptions): Promise<RawPdf> {
  try {
    const raw = await openWithPdfjs(bytes, options)
    if (raw.pages.length > 0) return raw
  } catch (error) {
    if (error instanceof DocumentUnreadable) throw error
  }
  const raw = await openWithPdfium(bytes, options)
  if (raw.pages.length > 0) return raw
  throw new DocumentUnreadable('malformed_file', 'It has no pages. Fetch or export the file again')
}

const fewestLettersPerPage = 3

function checkTextLayer(raw: RawPdf): void {
  const letters = raw.pages.flatMap((page) => page.runs).reduce((sum, run) => sum + countLetters(run.text), 0)
  if (letters >= fewestLettersPerPage * raw.pages.length) return
  throw new DocumentUnreadable(
    'no_text_layer',
    `It has no text layer: none of its pages (${raw.pages.length}) holds text, as in a scan. Run it through OCR first, for instance with ocrmypdf`,
  )
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}
