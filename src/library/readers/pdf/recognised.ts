import { Parser } from 'htmlparser2'
import type { ReadDocument } from '../../port/document.ts'
import { checkPages, type ReadOptions, type RecognisedForm } from '../common/read-options.ts'
import { pageLines, type Run } from './lines.ts'
import { pageViews } from './open-pdfjs.ts'
import { documentOf, turned } from './read-pdf.ts'

/** Lengths are in pixels, and count from the top left of the page. */
interface RecognisedPage {
  readonly height: number
  readonly paragraphs: RecognisedWord[][]
}

interface RecognisedWord {
  /** Of its line. */
  readonly size: number
  readonly baseline: number
  readonly x: number
  readonly width: number
  /** 0 to 100. */
  readonly confidence: number
  text: string
}

/**
 * Reads what a program found on the pages of a scan or a picture, written as hOCR: words, where they stand, and how sure it is of
 * each. Throws `DocumentUnreadable` (`no_text_layer`, `over_budget`).
 */
export async function readRecognised(
  bytes: Uint8Array,
  { hocr, format, unit }: Extract<RecognisedForm, { readonly kind: 'hocr' }>,
  options: ReadOptions,
): Promise<ReadDocument> {
  const found = pagesOf(new TextDecoder().decode(hocr))
  checkPages(found.length, options.limits)
  const views = format === 'pdf' ? await pageViews(bytes, options) : []
  const pages = found.map((page, at) => {
    const { view, turns } = views[at] ?? { view: [0, 0, 0, page.height * unit] as const, turns: 0 }
    const [left, , , top] = turned(view, -turns)
    return { number: at + 1, label: null, turns, lines: pageLines(at + 1, runsOf(page, { left, top, unit })) }
  })
  const document = documentOf({ pages, author: null, title: null }, format, options)
  return {
    ...document,
    pages: document.pages.map((page, at) => ({ ...page, ...confidenceOf(found[at]) })),
  }
}

function pagesOf(hocr: string): readonly RecognisedPage[] {
  const pages: RecognisedPage[] = []
  let line = { size: 0, baseline: 0 }
  let word: RecognisedWord | null = null
  const parser = new Parser({
    onopentag(_, { class: kind, title = '' }) {
      const [x = 0, , right = 0, bottom = 0] = numbersAfter('bbox', title)
      if (kind === 'ocr_page') pages.push({ height: bottom, paragraphs: [] })
      else if (kind === 'ocr_par') pages.at(-1)?.paragraphs.push([])
      else if (kind === 'ocrx_word') {
        const [confidence = 0] = numbersAfter('x_wconf', title)
        word = { ...line, x, width: right - x, confidence, text: '' }
        pages.at(-1)?.paragraphs.at(-1)?.push(word)
      } else if (title.includes('x_size')) {
        const [slope = 0, offset = 0] = numbersAfter('baseline', title)
        const [size = 0] = numbersAfter('x_size', title)
        // In the middle of a line that may be askew.
        line = { size, baseline: bottom + offset + (slope * (right - x)) / 2 }
      }
    },
    ontext(text) {
      if (word) word.text += text
    },
    onclosetag(name) {
      // Within a word there are only tags of emphasis.
      if (name === 'span') word = null
    },
  })
  parser.end(hocr)
  return pages
}

/** The numbers of a property: `bbox 12 30 140 52; x_wconf 96`. */
function numbersAfter(property: string, title: string): readonly number[] {
  const stated = title.split(';').find((part) => part.trim().startsWith(`${property} `))
  return stated?.trim().split(' ').slice(1).map(Number) ?? []
}

/** The words of a page with the spaces between them, as a PDF would draw them from this corner, with `unit` points for each pixel. */
function* runsOf(
  { paragraphs }: RecognisedPage,
  { left, top, unit }: Readonly<Record<'left' | 'top' | 'unit', number>>,
): Generator<Run> {
  for (const words of paragraphs) {
    // Sizes are measured to a pixel or two, which must make no line a heading.
    const sizes = words.map((word) => word.size).sort((one, other) => one - other)
    const size = Math.round(sizes[sizes.length >> 1] ?? 0) * unit
    for (const { text, baseline, x, width } of words) {
      const place = { y: top - baseline * unit, size, font: '', rotation: 0 }
      yield { ...place, text: text.trim(), x: left + x * unit, width: width * unit }
      yield { ...place, text: ' ', x: left + (x + width) * unit, width: 0 }
    }
  }
}

/** The mean over all characters, 0 to 1. */
function confidenceOf(page: RecognisedPage | undefined): { readonly confidence?: number } {
  const words = page?.paragraphs.flat() ?? []
  const characters = words.reduce((sum, { text }) => sum + text.length, 0)
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0)
  return characters > 0 ? { confidence: Math.round(sure / characters) / 100 } : {}
}
