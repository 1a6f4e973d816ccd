import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Citation, documents, type FileState, isSame, type PagesOfDocument } from '../api/requests.ts'
import { marksOn } from './marks.ts'
import { PageText } from './page-text.tsx'
import { PdfPage } from './pdf-page.tsx'

export interface SourcePanelProps {
  readonly citation: Citation
  /** All footnotes of the answer, in their order. */
  readonly citations: readonly Citation[]
  /** Those that the footnote stands behind. */
  readonly sentences: readonly string[]
  readonly onOpen: (citation: Citation) => void
  readonly onClose: () => void
}

/** The page of a footnote with its quote marked, and the other pages of its document. */
export function SourcePanel({ citation, citations, sentences, onOpen, onClose }: SourcePanelProps) {
  const panel = useRef<HTMLElement>(null)
  const [isText, showText] = useState(false)
  const [isLarge, setLarge] = useState(false)
  const [turned, turnTo] = useState({ of: citation, page: citation.page })
  const { file, problem, fail } = useFile(citation)
  useEffect(() => {
    // Who goes on to the next source with a button stays on it.
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus()
  }, [citation])
  const index = citations.findIndex((each) => isSame(each, citation))
  const go = (by: number) => {
    const next = citations[(index + by + citations.length) % citations.length]
    if (next) onOpen(next)
  }
  const { documentId } = citation
  const page = turned.of === citation ? turned.page : citation.page
  const onPage = (index === -1 ? [citation] : citations).filter(
    (each) => each.documentId === documentId && each.page === page,
  )
  const isPdf = citation.source.toLowerCase().endsWith('.pdf') && !problem
  const shown = {
    ...{ documentId, page, marks: marksOn(onPage, citation, sentences) },
    quote: page === citation.page ? citation : null,
  }
  return (
    <aside
      class="source"
      aria-label="Source"
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => onKey(event, go, onClose)}
    >
      <SourceHeader citation={citation} hasFile={file === 'unchanged'}>
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
        <Turner index={index} length={citations.length} onGo={go} />
        <button type="button" aria-label="Close the source" onClick={onClose}>
          ✕
        </button>
      </SourceHeader>
      {problem && (
        <p class="notice" role="status">
          {problem}
        </p>
      )}
      {isPdf && problem === undefined && <p class="waiting">Opening the page …</p>}
      {isPdf && problem === null && !isText && <PdfPage {...shown} isLarge={isLarge} onFailure={fail} />}
      {(!isPdf || isText) && <PageText {...shown} />}
      <Pages {...{ documentId, page }} quoted={citation.page} onTurn={(to) => turnTo({ of: citation, page: to })} />
    </aside>
  )
}

function onKey({ key, target }: KeyboardEvent, go: (by: number) => void, onClose: () => void): void {
  if (key === 'Escape') onClose()
  // Who writes a number moves within it.
  if (target instanceof HTMLInputElement) return
  if (key === 'ArrowRight' || key === 'n') go(1)
  if (key === 'ArrowLeft' || key === 'p') go(-1)
}

interface TurnerProps {
  readonly index: number
  readonly length: number
  readonly onGo: (by: number) => void
}

function Turner({ index, length, onGo }: TurnerProps) {
  if (length < 2) return null
  return (
    <>
      <button type="button" aria-label="Previous source" onClick={() => onGo(-1)}>
        ←
      </button>
      <span class="place" role="status">
        {index + 1} of {length}
      </span>
      <button type="button" aria-label="Next source" onClick={() => onGo(1)}>
        →
      </button>
    </>
  )
}

interface SourceHeaderProps {
  readonly citation: Citation
  readonly hasFile: boolean
  readonly children: ComponentChildren
}

function SourceHeader({ citation, hasFile, children }: SourceHeaderProps) {
  const { documentId, title, source, label } = citation
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
          {hasFile && (
            <>
              {' · '}
              <a href={`/api/documents/${documentId}/file`} download>
                Download the original
              </a>
            </>
          )}
        </p>
      </div>
      <nav aria-label="Sources">{children}</nav>
    </header>
  )
}

interface PagesProps {
  readonly documentId: string
  readonly page: number
  /** The page of the quote. */
  readonly quoted: number
  readonly onTurn: (page: number) => void
}

/** Turns the pages of a document, by their printed numbers where it has some. Nothing where there is one page. */
function Pages({ documentId, page, quoted, onTurn }: PagesProps) {
  const [known, setKnown] = useState<(PagesOfDocument & { readonly of: string }) | null>(null)
  useEffect(() => {
    documents.pages(documentId).then(
      (found) => setKnown({ ...found, of: documentId }),
      () => setKnown(null),
    )
  }, [documentId])
  if (known?.of !== documentId || known.pages < 2) return null
  const { pages, printed } = known
  const number = printed.find((each) => each.page === page)?.printed
  const jump = (event: Event) => {
    event.preventDefault()
    const input = (event.currentTarget as HTMLFormElement).elements[0] as HTMLInputElement
    const wanted = input.value.trim()
    const named = printed.find((each) => each.printed.toLowerCase() === wanted.toLowerCase())?.page ?? Number(wanted)
    if (Number.isInteger(named) && named >= 1 && named <= pages) onTurn(named)
    else input.value = number ?? String(page)
    input.select()
  }
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" aria-label="Previous page" disabled={page === 1} onClick={() => onTurn(page - 1)}>
        ‹
      </button>
      <form onSubmit={jump}>
        <label>
          Page <input key={page} defaultValue={number ?? String(page)} maxLength={10} autocomplete="off" />
        </label>
      </form>
      <span class="place" role="status">
        {number === undefined ? `of ${pages}` : `(${page} of ${pages} in the file)`}
      </span>
      <button type="button" aria-label="Next page" disabled={page === pages} onClick={() => onTurn(page + 1)}>
        ›
      </button>
      {page !== quoted && (
        <button type="button" class="back" onClick={() => onTurn(quoted)}>
          Back to the quote
        </button>
      )}
    </nav>
  )
}

/**
 * Whether the file is still there, and why the page is shown as the text that was read, not as the file has it: null where
 * nothing speaks against the file, undefined until that is known.
 */
function useFile({ documentId }: Citation) {
  const [found, setFound] = useState<{
    readonly of: string
    readonly file: FileState | null
    readonly problem: string | null
  } | null>(null)
  useEffect(() => {
    let isLeft = false
    const know = (file: FileState | null, problem: string | null) =>
      !isLeft && setFound({ of: documentId, file, problem })
    documents.state(documentId).then(
      ({ file }) => know(file, file === 'changed' ? changed : null),
      (error: Error) => know(null, error.message),
    )
    return () => {
      isLeft = true
    }
  }, [documentId])
  const { file = null, problem } = found?.of === documentId ? found : {}
  return { file, problem, fail: () => setFound({ of: documentId, file, problem: notDrawn }) }
}

const changed = 'The file has moved or changed since it was read. This is the text that was read.'
const notDrawn = 'The page cannot be drawn with the quote marked. This is the text that was read.'
