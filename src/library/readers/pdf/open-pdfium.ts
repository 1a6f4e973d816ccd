import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'
import { DocumentUnreadable } from '../../../errors.ts'
import { checkPages, type ReadOptions } from '../common/read-options.ts'
import { pageLines, type Run } from './lines.ts'
import { type ParsedPage, type ParsedPdf, passwordNeeded } from './open-pdfjs.ts'

const passwordError = 4

/**
 * Reads a PDF with PDFium, which opens some damaged files that pdf.js does not. A fresh instance for each file, since
 * one that aborted fails on every later file. Throws `DocumentUnreadable`.
 */
export async function openWithPdfium(bytes: Uint8Array, options: ReadOptions): Promise<ParsedPdf> {
  const pdfium = await start()
  const buffer = pdfium.pdfium.wasmExports.malloc(bytes.length)
  // Emscripten's own types, which declare the heap, are not installed.
  const { HEAPU8: heap } = pdfium.pdfium as unknown as { readonly HEAPU8: Uint8Array }
  heap.set(bytes, buffer)
  const document = load(pdfium, buffer, bytes.length, options.passwords)
  const count = pdfium.FPDF_GetPageCount(document)
  checkPages(count, options.limits)
  const pages: ParsedPage[] = []
  for (let index = 0; index < count; index++) {
    pages.push({ number: index + 1, label: null, lines: pageLines(index + 1, readPage(pdfium, document, index)) })
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
  const runs = text === 0 ? [] : readRuns(pdfium, text)
  if (text !== 0) pdfium.FPDFText_ClosePage(text)
  pdfium.FPDF_ClosePage(page)
  return runs
}

/** What all characters of one text object share. */
interface Type {
  readonly object: number
  readonly size: number
  readonly font: string
}

type Growing = { -readonly [K in keyof Run]: Run[K] }

function readRuns(pdfium: WrappedPdfiumModule, text: number): Run[] {
  const runs: Growing[] = []
  const memory = pdfium.pdfium.wasmExports.malloc(longestName)
  const count = pdfium.FPDFText_CountChars(text)
  let type: Type | null = null
  for (let at = 0; at < count; at++) {
    const code = pdfium.FPDFText_GetUnicode(text, at)
    if (code === 0 || isMadeUp(pdfium, text, at, code)) continue
    const object = pdfium.FPDFText_GetTextObject(text, at)
    if (type?.object !== object) type = readType(pdfium, text, at, object, memory)
    const character = readCharacter(pdfium, text, at, code, type, memory)
    if (!character) continue
    const last = runs.at(-1)
    if (last && continues(last, character)) {
      last.text += character.text
      last.width = character.x + character.width - last.x
    } else runs.push(character)
  }
  pdfium.pdfium.wasmExports.free(memory)
  return runs
}

// Spaces and line ends that PDFium makes up have no place of their own; the layout finds them again.
function isMadeUp(pdfium: WrappedPdfiumModule, text: number, at: number, code: number): boolean {
  return code <= 32 && pdfium.FPDFText_IsGenerated(text, at) === 1
}

const longestName = 128

function readType(pdfium: WrappedPdfiumModule, text: number, at: number, object: number, memory: number): Type {
  const length = pdfium.FPDFText_GetFontInfo(text, at, memory, longestName, 0)
  const name = length > 0 && length <= longestName ? pdfium.pdfium.UTF8ToString(memory) : ''
  const font = `${name} ${pdfium.FPDFText_GetFontWeight(text, at)}`
  return { object, size: pdfium.FPDFText_GetFontSize(text, at) || 1, font }
}

function readCharacter(
  pdfium: WrappedPdfiumModule,
  text: number,
  at: number,
  code: number,
  { size, font }: Type,
  memory: number,
): Run | null {
  if (!pdfium.FPDFText_GetCharOrigin(text, at, memory, memory + 8)) return null
  const x = pdfium.pdfium.getValue(memory, 'double')
  const y = pdfium.pdfium.getValue(memory + 8, 'double')
  const right = pdfium.FPDFText_GetLooseCharBox(text, at, memory)
    ? pdfium.pdfium.getValue(memory + 8, 'float')
    : x + size / 2
  // PDFium marks a hyphen at a line's end with U+0002.
  const character = code === 2 ? '-' : String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd)
  return { text: character, x, y, width: Math.max(0, right - x), size, font, rotation: 0 }
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
