import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'
import { DocumentUnreadable } from '../../../errors.ts'
import { checkPages, type ReadOptions } from '../common/read-options.ts'
import { passwordNeeded } from './open-pdfjs.ts'
import type { RawPage, RawPdf, Run } from './raw-pdf.ts'

const passwordError = 4

/**
 * Reads a PDF with PDFium, which opens some damaged files that pdf.js does not. A fresh instance for each file, since
 * one that aborted fails on every later file. Throws `DocumentUnreadable`.
 */
export async function openWithPdfium(bytes: Uint8Array, options: ReadOptions): Promise<RawPdf> {
  const pdfium = await start()
  const buffer = pdfium.pdfium.wasmExports.malloc(bytes.length)
  // Emscripten's own types, which declare the heap, are not installed.
  const { HEAPU8: heap } = pdfium.pdfium as unknown as { readonly HEAPU8: Uint8Array }
  heap.set(bytes, buffer)
  const document = load(pdfium, buffer, bytes.length, options.passwords)
  const count = pdfium.FPDF_GetPageCount(document)
  checkPages(count, options.limits)
  const pages: RawPage[] = []
  for (let index = 0; index < count; index++) {
    pages.push({ number: index + 1, label: null, runs: readPage(pdfium, document, index) })
  }
  pdfium.FPDF_CloseDocument(document)
  return { pages, author: null, title: null }
}

async function start(): Promise<WrappedPdfiumModule> {
  const path = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm')
  const wasm = await readFile(path)
  const pdfium = await init({ wasmBinary: new Uint8Array(wasm).buffer })
  pdfium.PDFiumExt_Init()
  return pdfium
}

function load(pdfium: WrappedPdfiumModule, buffer: number, size: number, passwords: readonly string[]): number {
  for (const password of ['', ...passwords]) {
    const document = pdfium.FPDF_LoadMemDocument(buffer, size, password)
    if (document !== 0) return document
    if (pdfium.FPDF_GetLastError() !== passwordError) {
      throw new DocumentUnreadable(
        'malformed_file',
        'It is damaged: neither of the two PDF parsers can open it. Fetch or export the file again',
      )
    }
  }
  throw passwordNeeded(passwords.length)
}

function readPage(pdfium: WrappedPdfiumModule, document: number, index: number): Run[] {
  const page = pdfium.FPDF_LoadPage(document, index)
  if (page === 0) return []
  const text = pdfium.FPDFText_LoadPage(page)
  const runs: Run[] = []
  const scratch = pdfium.pdfium.wasmExports.malloc(16)
  const count = text === 0 ? 0 : pdfium.FPDFText_CountChars(text)
  for (let at = 0; at < count; at++) {
    const character = readCharacter(pdfium, text, at, scratch)
    if (!character) continue
    const last = runs.at(-1)
    if (last && continues(last, character)) runs[runs.length - 1] = extend(last, character)
    else runs.push(character)
  }
  pdfium.pdfium.wasmExports.free(scratch)
  if (text !== 0) pdfium.FPDFText_ClosePage(text)
  pdfium.FPDF_ClosePage(page)
  return runs
}

function readCharacter(pdfium: WrappedPdfiumModule, text: number, at: number, scratch: number): Run | null {
  const code = pdfium.FPDFText_GetUnicode(text, at)
  // Spaces and line ends that PDFium makes up have no place of their own; the layout finds them again.
  if (code === 0 || pdfium.FPDFText_IsGenerated(text, at) === 1) return null
  if (!pdfium.FPDFText_GetCharOrigin(text, at, scratch, scratch + 8)) return null
  const x = pdfium.pdfium.getValue(scratch, 'double')
  const y = pdfium.pdfium.getValue(scratch + 8, 'double')
  const size = pdfium.FPDFText_GetFontSize(text, at) || 1
  const right = pdfium.FPDFText_GetLooseCharBox(text, at, scratch)
    ? pdfium.pdfium.getValue(scratch + 8, 'float')
    : x + size / 2
  const width = Math.max(0, right - x)
  // PDFium marks a hyphen at a line's end with U+0002.
  const character = code === 2 ? '-' : String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd)
  return { text: character, x, y, width, size, font: fontName(pdfium, text, at), rotation: 0 }
}

const longestName = 128

function fontName(pdfium: WrappedPdfiumModule, text: number, at: number): string {
  const memory = pdfium.pdfium.wasmExports.malloc(longestName)
  const length = pdfium.FPDFText_GetFontInfo(text, at, memory, longestName, 0)
  const name = length > 0 && length <= longestName ? pdfium.pdfium.UTF8ToString(memory) : ''
  pdfium.pdfium.wasmExports.free(memory)
  return `${name} ${pdfium.FPDFText_GetFontWeight(text, at)}`
}

const sameBaseline = 0.05
const closeBy = 0.18

function continues(last: Run, next: Run): boolean {
  return (
    last.font === next.font &&
    Math.abs(last.size - next.size) < 0.01 &&
    Math.abs(last.y - next.y) < sameBaseline * last.size &&
    Math.abs(next.x - (last.x + last.width)) < closeBy * last.size
  )
}

function extend(last: Run, next: Run): Run {
  return { ...last, text: last.text + next.text, width: next.x + next.width - last.x }
}
