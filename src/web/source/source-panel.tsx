import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Citation, documents, isSame, type Loaded, type PageOfDocument, useLoaded } from '../api/requests.ts'
import { Form } from '../controls.tsx'
import { marksOn } from './marks.ts'
import { PageText } from './page-text.tsx'
import { PdfPage } from './pdf-page.tsx'
import type { Source } from './use-source.ts'

export interface SourcePanelProps {
  readonly citation: Citation
  readonly source: Source
}

/** The page of a footnote with its quote marked, and the other pages of its document. */
export function SourcePanel({ citation, source }: SourcePanelProps) {
  const { answer, open, close } = source
  const panel = useRef<HTMLElement>(null)
  const [isText, showText] = useState(false)
  const [isLarge, setLarge] = useState(false)
  const [turned, turnTo] = useState({ of: citation, page: citation.page })
  const { file, problem, fail } = useFile(citation)
  useEffect(() => {
    // Who goes on to the next source with a button stays on it.
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus()
  }, [citation])
  const { citations, index, sentences } = beside(citation, answer)
  const go = (by: number) => {
    const next = citations[(index + by + citations.length) % citations.length]
    if (next) open(next)
  }
  const { documentId } = citation
  const page = turned.of === citation ? turned.page : citation.page
  const onPage = (index === -1 ? [citation] : citations).filter(
    (each) => each.documentId === documentId && each.page === page,
  )
  const isPdf = citation.source.toLowerCase().endsWith('.pdf') && !problem
  const quote = page === citation.page ? citation : null
  const read = usePage(documentId, page, quote)
  const shown = { documentId, page, quote, marks: marksOn(onPage, citation, sentences) }
  return (
    <aside class="source" aria-label="Source" tabIndex={-1} ref={panel} onKeyDown={(event) => onKey(event, go, close)}>
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
        <button type="button" aria-label="Close the source" onClick={close}>
          ✕
        </button>
      </SourceHeader>
      {problem && (
        <p class="notice" role="status">
          {problem}
        </p>
      )}
      <Recognised {...read} />
      {isPdf && problem === undefined && <p class="waiting">Opening the page …</p>}
      {isPdf && problem === null && !isText && <PdfPage {...shown} isLarge={isLarge} onFailure={fail} />}
      {(!isPdf || isText) && <PageText {...shown} read={read} />}
      <Pages {...{ documentId, page }} quoted={citation.page} onTurn={(to) => turnTo({ of: citation, page: to })} />
    </aside>
  )
}

/** The text of a page. Tables near its quote are drawn as such, since a page may be a book of figures; without one all are. */
function usePage(documentId: string, page: number, quote: Citation | null) {
  const around = quote && { start: Math.max(0, quote.start - 20_000), end: quote.end + 20_000 }
  const wanted = [documentId, page, around?.start, around?.end].join()
  return useLoaded(wanted, () => documents.page(documentId, page, around))
}

/** How surely the text of a scan was recognised; below 0.6, words may well be wrong. */
function Recognised({ value }: Loaded<PageOfDocument>) {
  if (typeof value?.confidence !== 'number') return null
  const isLow = value.confidence < 0.6
  return (
    <p class={isLow ? 'notice problem' : 'notice'} role="status">
      Text recognised in a scan, confidence {value.confidence}
      {isLow && ', which is low'}
    </p>
  )
}

/** The footnotes of an answer with the place of one among them, and the sentences that this one stands behind. */
function beside(citation: Citation, answer: Source['answer']) {
  const { citations = [], sentences = [] } = answer ?? {}
  return {
    citations,
    index: citations.findIndex((each) => isSame(each, citation)),
    sentences: sentences.filter(({ markers }) => markers.includes(citation.marker)).map(({ text }) => text),
  }
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
  const { value: known } = useLoaded(documentId, () => documents.pages(documentId))
  const input = useRef<HTMLInputElement>(null)
  if (!known || known.pages < 2) return null
  const { pages, printed } = known
  const number = printed.find((each) => each.page === page)?.printed ?? String(page)
  const jump = ({ wanted = '' }) => {
    const name = wanted.trim().toLowerCase()
    const named = printed.find((each) => each.printed.toLowerCase() === name)?.page ?? Number(name)
    if (Number.isInteger(named) && named >= 1 && named <= pages) onTurn(named)
    else if (input.current) input.current.value = number
    input.current?.select()
  }
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" aria-label="Previous page" disabled={page === 1} onClick={() => onTurn(page - 1)}>
        ‹
      </button>
      <Form onSend={jump}>
        <label>
          Page <input name="wanted" ref={input} key={page} defaultValue={number} maxLength={10} autocomplete="off" />
        </label>
      </Form>
      <span class="place" role="status">
        {printed.some((each) => each.page === page) ? `(${page} of ${pages} in the file)` : `of ${pages}`}
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
  const { value, error } = useLoaded(documentId, () => documents.state(documentId))
  const [undrawn, setUndrawn] = useState<string | null>(null)
  const problem = value?.file === 'changed' ? changed : error
  return {
    file: value?.file,
    problem: undrawn === documentId ? notDrawn : (problem ?? (value ? null : undefined)),
    fail: () => setUndrawn(documentId),
  }
}

const changed = 'The file has moved or changed since it was read. This is the text that was read.'
const notDrawn = 'The page cannot be drawn with the quote marked. This is the text that was read.'
