import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { isOnPageOf, isSame } from '../api/citations.ts'
import { type Citation, documents } from '../api/requests.ts'
import { PageText } from './page-text.tsx'
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
  const [isLarge, setLarge] = useState(false)
  const { problem, fail } = useFile(citation)
  useEffect(() => {
    // Who goes on to the next source with a button stays on it.
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus()
  }, [citation])
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
  const isPdf = citation.source.toLowerCase().endsWith('.pdf') && !problem
  const others = citations.filter((each) => isOnPageOf(each, citation) && !isSame(each, citation))
  return (
    <aside class="source" aria-label="Source" tabIndex={-1} ref={panel} onKeyDown={onKey}>
      <SourceHeader citation={citation}>
        {isPdf && !isText && (
          <button type="button" aria-label="Enlarge the page" aria-pressed={isLarge} onClick={() => setLarge(!isLarge)}>
            +
          </button>
        )}
        {isPdf && (
          <button type="button" onClick={() => showText(!isText)}>
            {isText ? 'Page' : 'Text'}
          </button>
        )}
        {citations.length > 1 && (
          <>
            <button type="button" aria-label="Previous source" onClick={() => go(-1)}>
              ←
            </button>
            <span class="place" role="status">
              {index + 1} of {citations.length}
            </span>
            <button type="button" aria-label="Next source" onClick={() => go(1)}>
              →
            </button>
          </>
        )}
        <button type="button" aria-label="Close the source" onClick={onClose}>
          ✕
        </button>
      </SourceHeader>
      {problem && (
        <p class="notice" role="status">
          {problem}
        </p>
      )}
      {isPdf && problem === undefined ? (
        <p class="waiting">Opening the page …</p>
      ) : isPdf && !isText ? (
        <PdfPage citation={citation} others={others} isLarge={isLarge} onFailure={fail} />
      ) : (
        <PageText citation={citation} others={others} />
      )}
    </aside>
  )
}

function SourceHeader({ citation, children }: { readonly citation: Citation; readonly children: ComponentChildren }) {
  const { title, source, label } = citation
  return (
    <header>
      <div>
        <h2>{title ?? source}</h2>
        <p>
          {label}
          {URL.canParse(source) && /^https?:\/\//.test(source) && (
            <>
              {' · '}
              <a href={source} rel="noreferrer" target="_blank">
                {new URL(source).host}
              </a>
            </>
          )}
        </p>
      </div>
      <nav aria-label="Sources">{children}</nav>
    </header>
  )
}

/**
 * Why the page is shown as the text that was read, not as the file has it: null where nothing speaks against the file,
 * undefined until that is known.
 */
function useFile({ documentId }: Citation) {
  const [found, setFound] = useState<{ readonly of: string; readonly problem: string | null } | null>(null)
  const say = (problem: string | null) => setFound({ of: documentId, problem })
  useEffect(() => {
    let isLeft = false
    const know = (problem: string | null) => !isLeft && say(problem)
    documents.state(documentId).then(
      ({ file }) => know(file === 'changed' ? changed : null),
      (error: Error) => know(error.message),
    )
    return () => {
      isLeft = true
    }
  }, [documentId])
  return { problem: found?.of === documentId ? found.problem : undefined, fail: () => say(notDrawn) }
}

const changed = 'The file has moved or changed since it was read. This is the text that was read.'
const notDrawn = 'The page cannot be drawn with the quote marked. This is the text that was read.'
