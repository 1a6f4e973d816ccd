import { useEffect, useRef, useState } from 'preact/hooks'
import type { Citation } from './api.ts'

/** A rectangle of a page in points, PDF axes: left, bottom, right, top. */
export type Rectangle = readonly [number, number, number, number]

/** The page as the PDF draws it, with the quote's lines marked. Calls `onFailure` where that cannot be drawn. */
export function PdfPage({ citation, onFailure }: { readonly citation: Citation; readonly onFailure: () => void }) {
  const { documentId, page, start, end } = citation
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [marks, setMarks] = useState<
    readonly { readonly left: number; readonly top: number; readonly width: number; readonly height: number }[]
  >([])
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    setDrawn(false)
    setMarks([])
    draw({ documentId, page, start, end }, canvas.current, frame.current, leaving.signal).then(
      (drawn) => {
        if (leaving.signal.aborted) return
        setMarks(drawn)
        setDrawn(true)
      },
      () => !leaving.signal.aborted && onFailure(),
    )
    return () => leaving.abort()
  }, [documentId, page, start, end])
  useEffect(() => frame.current?.querySelector('.quote-mark')?.scrollIntoView({ block: 'center' }), [marks])
  return (
    <div class="pdf" ref={frame} aria-busy={!isDrawn}>
      {!isDrawn && <p class="waiting">Opening the page …</p>}
      <div class="sheet">
        <canvas ref={canvas} aria-label={`Page ${page}: ${citation.quote}`} role="img" />
        {marks.map((style) => (
          <i class="quote-mark" style={toPercent(style)} />
        ))}
      </div>
    </div>
  )
}

function toPercent(mark: Readonly<Record<'left' | 'top' | 'width' | 'height', number>>) {
  return Object.fromEntries(Object.entries(mark).map(([name, share]) => [name, `${100 * share}%`]))
}

type Place = Pick<Citation, 'documentId' | 'page' | 'start' | 'end'>

/** Draws the page; returns the quote's rectangles as shares of the page. */
async function draw(place: Place, canvas: HTMLCanvasElement | null, frame: HTMLElement | null, signal: AbortSignal) {
  if (!canvas || !frame) return []
  const [pdf, rectangles] = await Promise.all([openPdf(place.documentId), rectanglesOf(place)])
  signal.throwIfAborted()
  const sheet = await pdf.getPage(place.page)
  const natural = sheet.getViewport({ scale: 1 })
  const scale = (frame.clientWidth - 2 * margin) / natural.width
  const viewport = sheet.getViewport({ scale: scale * Math.min(2, window.devicePixelRatio || 1) })
  canvas.width = viewport.width
  canvas.height = viewport.height
  await sheet.render({ canvas, viewport }).promise
  return rectangles.map((rectangle) => {
    const [x0, y0, x1, y1] = viewport.convertToViewportRectangle([...rectangle])
    const [left, top] = [Math.min(x0, x1), Math.min(y0, y1)]
    return {
      left: left / viewport.width,
      top: top / viewport.height,
      width: Math.abs(x1 - x0) / viewport.width,
      height: Math.abs(y1 - y0) / viewport.height,
    }
  })
}

const margin = 16

async function rectanglesOf({ documentId, page, start, end }: Place): Promise<readonly Rectangle[]> {
  const response = await fetch(`/api/documents/${documentId}/pages/${page}/rects?start=${start}&end=${end}`)
  if (!response.ok) throw new Error(`No rectangles: ${response.status}`)
  const { rectangles } = (await response.json()) as { rectangles: readonly Rectangle[] }
  if (rectangles.length === 0) throw new Error('The place of the quote on the page is not known.')
  return rectangles
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
    const response = await fetch(`/api/documents/${documentId}/file`)
    if (!response.ok) throw new Error('The file has moved or changed.')
    const data = new Uint8Array(await response.arrayBuffer())
    return pdfjs.getDocument({
      data,
      isEvalSupported: false,
      wasmUrl: '/assets/pdf/wasm/',
      standardFontDataUrl: '/assets/pdf/standard_fonts/',
    }).promise
  })()
  opened.set(documentId, opening)
  opening.catch(() => opened.delete(documentId))
  return opening
}
