import { useEffect, useRef, useState } from 'preact/hooks'
import { isSame } from '../api/citations.ts'
import { type Citation, send } from '../api/requests.ts'
import type { PageProps } from './page-text.tsx'

/** A rectangle of a page in points, PDF axes: left, bottom, right, top. */
type Rectangle = readonly [number, number, number, number]

/** A place on the drawn page, in shares of its width and height. */
interface Mark {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly isAsked: boolean
}

interface PdfPageProps extends PageProps {
  /** Wider than its place, to be read closely. */
  readonly isLarge: boolean
  readonly onFailure: () => void
}

/** The page as the PDF draws it, with the lines of its quotes marked. Calls `onFailure` where that cannot be drawn. */
export function PdfPage({ citation, others, isLarge, onFailure }: PdfPageProps) {
  const { documentId, page, start, end, quote } = citation
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [drawn, setDrawn] = useState<{ readonly of: Citation; readonly marks: readonly Mark[] } | null>(null)
  const isDrawn = drawn !== null && isSame(drawn.of, citation)
  useEffect(() => {
    const leaving = new AbortController()
    draw({ citation, others }, canvas.current, leaving.signal).then(
      (marks) => !leaving.signal.aborted && setDrawn({ of: citation, marks }),
      () => !leaving.signal.aborted && onFailure(),
    )
    return () => leaving.abort()
  }, [documentId, page, start, end, isLarge])
  useEffect(
    () => frame.current?.querySelector('.quote-mark')?.scrollIntoView({ block: 'center', inline: 'center' }),
    [drawn],
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <div class="pdf" ref={frame} aria-busy={!isDrawn} tabIndex={0}>
      {!isDrawn && <p class="waiting">Opening the page …</p>}
      <div class={isLarge ? 'sheet large' : 'sheet'}>
        <canvas ref={canvas} aria-label={`Page ${page}: ${quote}`} role="img" />
        {isDrawn &&
          drawn.marks.map((mark) => (
            <i class={mark.isAsked ? 'quote-mark' : 'quote-mark other'} style={placeOf(mark)} />
          ))}
      </div>
    </div>
  )
}

function placeOf({ left, top, width, height }: Mark) {
  return { left: percent(left), top: percent(top), width: percent(width), height: percent(height) }
}

function percent(share: number): string {
  return `${100 * share}%`
}

/** Draws the page; returns where its quotes are on it, the one that was asked for first. */
async function draw(
  { citation, others }: PageProps,
  canvas: HTMLCanvasElement | null,
  signal: AbortSignal,
): Promise<readonly Mark[]> {
  if (!canvas) return []
  const [pdf, asked, ...rest] = await Promise.all([
    openPdf(citation.documentId),
    rectanglesOf(citation),
    ...others.map(rectanglesOf),
  ])
  if (asked.length === 0) throw new Error('The place of the quote on the page is not known.')
  signal.throwIfAborted()
  const sheet = await pdf.getPage(citation.page)
  const natural = sheet.getViewport({ scale: 1 })
  const { width: sheetWidth } = canvas.getBoundingClientRect()
  const viewport = sheet.getViewport({ scale: (sheetWidth / natural.width) * Math.max(1, window.devicePixelRatio) })
  canvas.width = viewport.width
  canvas.height = viewport.height
  const drawing = sheet.render({ canvas, viewport })
  // A canvas is drawn upon by one at a time.
  signal.addEventListener('abort', () => drawing.cancel())
  await drawing.promise
  const mark = (isAsked: boolean) => (rectangle: Rectangle) => {
    const [x0, y0, x1, y1] = viewport.convertToViewportRectangle([...rectangle])
    return {
      left: Math.min(x0, x1) / viewport.width,
      top: Math.min(y0, y1) / viewport.height,
      width: Math.abs(x1 - x0) / viewport.width,
      height: Math.abs(y1 - y0) / viewport.height,
      isAsked,
    }
  }
  return [...asked.map(mark(true)), ...rest.flat().map(mark(false))]
}

async function rectanglesOf({ documentId, page, start, end }: Citation): Promise<readonly Rectangle[]> {
  const response = await send(`/api/documents/${documentId}/pages/${page}/rects?start=${start}&end=${end}`)
  // As the schema of the route has it.
  return ((await response.json()) as { rectangles: readonly Rectangle[] }).rectangles
}

type Pdf = Awaited<ReturnType<typeof import('pdfjs-dist').getDocument>['promise']>
const opened = new Map<string, Promise<Pdf>>()

/** pdf.js is loaded for the first source that is opened; a document stays open for the next footnote. */
function openPdf(documentId: string): Promise<Pdf> {
  const known = opened.get(documentId)
  if (known !== undefined) return known
  const opening = (async () => {
    const address = '/assets/pdf/pdf.min.mjs'
    const pdfjs = (await import(/* not bundled */ address)) as typeof import('pdfjs-dist')
    pdfjs.GlobalWorkerOptions.workerSrc = '/assets/pdf/pdf.worker.min.mjs'
    const file = await send(`/api/documents/${documentId}/file`)
    return pdfjs.getDocument({
      data: new Uint8Array(await file.arrayBuffer()),
      isEvalSupported: false,
      wasmUrl: '/assets/pdf/wasm/',
      standardFontDataUrl: '/assets/pdf/standard_fonts/',
    }).promise
  })()
  opened.set(documentId, opening)
  opening.catch(() => opened.delete(documentId))
  return opening
}
