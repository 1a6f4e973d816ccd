import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import { DocumentUnreadable } from '../../../errors.ts'
import { checkPages, type ReadOptions } from '../common/read-options.ts'
import { type Font, fontFrom } from './drawing/glyphs.ts'
import { markText } from './drawing/mark-text.ts'
import { shownTexts } from './drawing/shown-texts.ts'
import { type Line, pageLines, type Run } from './lines.ts'

/** What pdf.js found in one file. */
export interface ParsedPdf {
  readonly pages: readonly ParsedPage[]
  /** From the file's properties; often empty or wrong. */
  readonly author: string | null
  readonly title: string | null
}

interface ParsedPage {
  readonly number: number
  readonly label: string | null
  /** In the order in which the file draws them. */
  readonly lines: readonly Line[]
  /** The quarter turns, clockwise, after which the page has the axes of its lines; none where that is not said. */
  readonly turns?: number
}

// Node 20 lacks a method with which pdf.js lists what a page draws.
if (!('transferToFixedLength' in ArrayBuffer.prototype)) {
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length?: number): ArrayBuffer {
      return this.slice(0, length)
    },
  })
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type Content = Awaited<ReturnType<Awaited<ReturnType<Pdf['getPage']>>['getTextContent']>>
type TextItem = Extract<Content['items'][number], { str: string }>

/**
 * Reads a PDF with pdf.js. Throws `DocumentUnreadable` (`password_needed`, `over_budget`) and the errors of pdf.js
 * on a damaged file or page.
 */
export async function openWithPdfjs(bytes: Uint8Array, options: ReadOptions): Promise<ParsedPdf> {
  const pdf = await unlock(bytes, options.passwords)
  try {
    checkPages(pdf.numPages, options.limits)
    const fonts = new Map<string, Font>()
    const labels = await pdf.getPageLabels().catch(() => null)
    const pages: ParsedPage[] = []
    for (let number = 1; number <= pdf.numPages; number++) {
      pages.push({ number, label: labels?.[number - 1] || null, lines: await readLines(pdf, number, fonts) })
    }
    return { pages, ...(await readProperties(pdf)) }
  } finally {
    await pdf.destroy()
  }
}

/** What is shown of each page, in its own axes, and after how many quarter turns clockwise. Throws as `openWithPdfjs` does. */
export async function pageViews(bytes: Uint8Array, { passwords }: ReadOptions) {
  const pdf = await unlock(bytes, passwords)
  try {
    const pages = await Promise.all(Array.from({ length: pdf.numPages }, (_, at) => pdf.getPage(at + 1)))
    return pages.map(({ view: [x0 = 0, y0 = 0, x1 = 0, y1 = 0], rotate }) => {
      return { view: [x0, y0, x1, y1] as const, turns: rotate / 90 }
    })
  } finally {
    await pdf.destroy()
  }
}

async function unlock(bytes: Uint8Array, passwords: readonly string[]): Promise<Pdf> {
  for (const password of [undefined, ...passwords]) {
    try {
      // pdf.js takes the memory away from its caller, so each try gets a copy (which `slice` of a Buffer is not).
      return await getDocumentProxy(new Uint8Array(bytes), {
        verbosity: 0,
        fontExtraProperties: true,
        // Pictures are not read.
        maxImageSize: 0,
        ...(password !== undefined && { password }),
      })
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'PasswordException') throw error
    }
  }
  throw passwordNeeded(passwords.length)
}

function passwordNeeded(tried: number): DocumentUnreadable {
  return new DocumentUnreadable(
    'password_needed',
    tried > 0
      ? 'It is encrypted, and none of the passwords given opens it. Give the right password, or save it without one'
      : 'It is encrypted and a password is needed to open it. Give the password (quaero add --password …), or save the file without one',
  )
}

/** Reads one page; the file's fonts are kept for the next. */
async function readLines(pdf: Pdf, number: number, fonts: Map<string, Font>): Promise<Line[]> {
  const page = await pdf.getPage(number)
  const { items } = await page.getTextContent()
  const { AnnotationMode, OPS } = await getResolvedPDFJS()
  const fontOf = (name: string): Font => {
    const font = fonts.get(name) ?? fontFrom(page.commonObjs.get(name))
    fonts.set(name, font)
    return font
  }
  const shown = shownTexts(await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE }), OPS, fontOf)
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view
  page.cleanup()
  const isOnPage = ({ transform: [, , , , x, y] }: TextItem): boolean =>
    x !== undefined && y !== undefined && x >= left - edge && x <= right + edge && y >= bottom - edge && y <= top + edge
  const texts = items.filter((item) => 'str' in item)
  const runs = markText(texts, shown)
    .filter(isOnPage)
    .map(toRun)
    .filter((run) => run !== null)
  return pageLines(
    number,
    runs.filter((run) => run.size >= smallest),
  )
}

/** Points that a text may begin outside its page. */
const edge = 2
/** The size in points below which nobody reads a text. */
const smallest = 0.5

function toRun(item: TextItem): Run | null {
  if (item.str === '') return null
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: readonly number[] = item.transform
  const { str: text, width, fontName: font } = item
  if (a > 0 && b === 0 && c === 0) return { text, x: e, y: f, width, size: Math.abs(d) || a, font, rotation: 0 }
  const length = Math.hypot(a, b) || 1
  const [cos, sin] = [a / length, b / length]
  return {
    text,
    x: e * cos + f * sin,
    y: f * cos - e * sin,
    width,
    size: Math.hypot(c, d) || length,
    font,
    rotation: Math.round(Math.atan2(sin, cos) / (Math.PI / 2)),
  }
}

async function readProperties(pdf: Pdf): Promise<Pick<ParsedPdf, 'author' | 'title'>> {
  const info = await pdf.getMetadata().then(
    (metadata) => metadata.info,
    () => ({}),
  )
  return {
    author: 'Author' in info ? plain(info.Author) : null,
    title: 'Title' in info ? plain(info.Title) : null,
  }
}

function plain(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}
