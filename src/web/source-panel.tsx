import { useEffect, useRef, useState } from 'preact/hooks'
import { isSame } from './answer.tsx'
import { type Citation, documents } from './api.ts'
import { PdfPage } from './pdf-page.tsx'

export interface SourcePanelProps {
  readonly citation: Citation
  /** All footnotes of the answer, in their order. */
  readonly citations: readonly Citation[]
  readonly onOpen: (citation: Citation) => void
  readonly onClose: () => void
}

/** The page of a footnote, with its quote marked. */
export function SourcePanel({ citation, citations, onOpen, onClose }: SourcePanelProps) {
  const panel = useRef<HTMLElement>(null)
  const [isText, showText] = useState(false)
  useEffect(() => panel.current?.focus(), [citation])
  const index = citations.findIndex((each) => isSame(each, citation))
  const go = (by: number) => {
    const next = citations[(index + by + citations.length) % citations.length]
    if (next) onOpen(next)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    if (event.key === 'ArrowRight' || event.key === 'n') go(1)
    if (event.key === 'ArrowLeft' || event.key === 'p') go(-1)
  }
  const isPdf = citation.source.toLowerCase().endsWith('.pdf')
  return (
    <aside class="source" aria-label="Source" tabIndex={-1} ref={panel} onKeyDown={onKey}>
      <header>
        <div>
          <h2>{citation.title ?? citation.source}</h2>
          <p>{citation.label}</p>
        </div>
        <nav aria-label="Sources">
          {isPdf && (
            <button type="button" onClick={() => showText(!isText)}>
              {isText ? 'Page' : 'Text'}
            </button>
          )}
          <button type="button" aria-label="Previous source" disabled={citations.length < 2} onClick={() => go(-1)}>
            ←
          </button>
          <button type="button" aria-label="Next source" disabled={citations.length < 2} onClick={() => go(1)}>
            →
          </button>
          <button type="button" aria-label="Close the source" onClick={onClose}>
            ✕
          </button>
        </nav>
      </header>
      {isPdf && !isText ? (
        <PdfPage citation={citation} onFailure={() => showText(true)} />
      ) : (
        <PageText citation={citation} />
      )}
    </aside>
  )
}

/** The stored text of the page: what the quote was compared with. */
function PageText({ citation }: { readonly citation: Citation }) {
  const { documentId, page, start, end } = citation
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    setText(null)
    documents.page(documentId, page).then(
      (found) => setText(found.text),
      (thrown: Error) => setError(thrown.message),
    )
  }, [documentId, page])
  useEffect(() => mark.current?.scrollIntoView({ block: 'center' }), [text, start])
  if (error) return <p class="problem">{error}</p>
  if (text === null) return <p class="waiting">Opening the page …</p>
  return (
    <div class="page-text">
      {text.slice(0, start)}
      <mark ref={mark}>{text.slice(start, end)}</mark>
      {text.slice(end)}
    </div>
  )
}
