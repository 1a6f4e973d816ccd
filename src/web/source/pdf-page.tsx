import { useEffect, useRef, useState } from 'preact/hooks'
import { type Citation, send } from '../api/requests.ts'
import type { Stretch } from './marks.ts'
import type { PageProps } from './page-text.tsx'

/** A rectangle of a page in points, PDF axes: left, bottom, right, top. */
type Rectangle = readonly [number, number, number, number]

/** A place on the drawn page, in shares of its width and height. */
interface Place {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly isAsked: boolean
}

interface PdfPageProps extends PageProps {
  /** The quote that is asked for, where it stands on this page. */
  readonly quote: Pick<Citation, 'quote'> | null
  /** Wider than its place, to be read closely. */
  readonly isLarge: boolean
  readonly onFailure: () => void
}

/** The page as the PDF draws it, with what is quoted marked. Calls `onFailure` where that cannot be drawn. */
export function PdfPage({ documentId, page, marks, quote, isLarge, onFailure }: PdfPageProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const shown = JSON.stringify([documentId, page, marks])
  const [drawn, setDrawn] = useState<{ readonly shown: string; readonly places: readonly Place[] } | null>(null)
  const isDrawn = drawn?.shown === shown
  useEffect(() => {
    const leaving = new AbortController()
    draw({ documentId, page, marks }, canvas.current, leaving.signal).then(
      (places) => !leaving.signal.aborted && setDrawn({ shown, places }),
      () => !leaving.signal.aborted && onFailure(),
    )
    return () => leaving.abort()
  }, [shown, isLarge])
  useEffect(() => {
    const asked = frame.current?.querySelector('.quote-mark:not(.other)')
    if (asked) asked.scrollIntoView({ block: 'center', inline: 'center' })
    else frame.current?.scrollTo(0, 0)
  }, [drawn])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <div class="pdf" ref={frame} aria-busy={!isDrawn} tabIndex={0}>
      {!isDrawn && <p class="waiting">Opening the page …</p>}
      <div class={isLarge ? 'sheet large' : 'sheet'}>
        <canvas ref={canvas} aria-label={`Page ${page}${quote === null ? '' : `: ${quote.quote}`}`} role="img" />
        {isDrawn &&
          drawn.places.map((place) => (
            <i class={place.isAsked ? 'quote-mark' : 'quote-mark other'} style={styleOf(place)} />
          ))}
      </div>
    </div>
  )
}

function styleOf({ left, top, width, height }: Place) {
  return { left: percent(left), top: percent(top), width: percent(width), height: percent(height) }
}

function percent(share: number): string {
  return `${100 * share}%`
}

/** Draws the page; returns where its marks are on it. Throws where one that is asked for has no place. */
async function draw(
  { documentId, page, marks }: PageProps,
  canvas: HTMLCanvasElement | null,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  if (!canvas) return []
  const [pdf, ...rectangles] = await Promise.all([
    openPdf(documentId),
    ...marks.map((mark) => rectanglesOf(`${documentId}/pages/${page}`, mark)),
  ])
  const asked = rectangles.filter((_, at) => marks[at]?.isAsked)
  if (asked.length > 0 && asked.flat().length === 0) throw new Error('The place of the quote on the page is not known.')
  signal.throwIfAborted()
  const sheet = await pdf.getPage(page)
  const natural = sheet.getViewport({ scale: 1 })
  const { width: sheetWidth } = canvas.getBoundingClientRect()
  const viewport = sheet.getViewport({ scale: (sheetWidth / natural.width) * Math.max(1, window.devicePixelRatio) })
  canvas.width = viewport.width
  canvas.height = viewport.height
  const drawing = sheet.render({ canvas, viewport })
  // A canvas is drawn upon by one at a time.
  signal.addEventListener('abort', () => drawing.cancel())
  await drawing.promise
  const placed = (isAsked: boolean) => (rectangle: Rectangle) => {
    const [x0, y0, x1, y1] = viewport.convertToViewportRectangle([...rectangle])
    return {
      left: Math.min(x0, x1) / viewport.width,
      top: Math.min(y0, y1) / viewport.height,
      width: Math.abs(x1 - x0) / viewport.width,
      height: Math.abs(y1 - y0) / viewport.height,
      isAsked,
    }
  }
  return marks.flatMap(({ isAsked }, at) => rectangles[at]?.map(placed(isAsked)) ?? [])
}

async function rectanglesOf(page: string, { start, end }: Stretch): Promise<readonly Rectangle[]> {
  const response = await send(`/api/documents/${page}/rects?start=${start}&end=${end}`)
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
