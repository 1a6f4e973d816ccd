import { useEffect, useRef, useState } from 'preact/hooks'
import { type Citation, documents } from '../api/requests.ts'

export interface PageProps {
  readonly citation: Citation
  /** Further quotes of the same page, marked less strongly. */
  readonly others: readonly Citation[]
}

/** The stored text of a page: what its quotes were compared with. */
export function PageText({ citation, others }: PageProps) {
  const { documentId, page, start } = citation
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    setText(null)
    setError(null)
    documents.page(documentId, page).then(
      (found) => setText(found.text),
      (thrown: Error) => setError(thrown.message),
    )
  }, [documentId, page])
  useEffect(() => mark.current?.scrollIntoView({ block: 'center' }), [text, start])
  if (error) return <p class="problem">{error}</p>
  if (text === null) return <p class="waiting">Opening the page …</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <div class="page-text" tabIndex={0}>
      {piecesOf(text, citation, others).map(({ words, kind }) => {
        if (kind === 'plain') return words
        return kind === 'asked' ? <mark ref={mark}>{words}</mark> : <mark class="other">{words}</mark>
      })}
    </div>
  )
}

interface Piece {
  readonly words: string
  readonly kind: 'plain' | 'asked' | 'other'
}

/** The text cut at its quotes; where two overlap, the one that was asked for keeps its words. */
function piecesOf(text: string, asked: Citation, others: readonly Citation[]): readonly Piece[] {
  const isApart = ({ start, end }: Citation) => end <= asked.start || start >= asked.end
  const marked = [asked, ...others.filter(isApart)].toSorted((one, other) => one.start - other.start)
  const pieces: Piece[] = []
  let from = 0
  for (const quote of marked) {
    const { start, end } = quote
    if (start < from) continue
    pieces.push({ words: text.slice(from, start), kind: 'plain' })
    pieces.push({ words: text.slice(start, end), kind: quote === asked ? 'asked' : 'other' })
    from = end
  }
  return [...pieces, { words: text.slice(from), kind: 'plain' }]
}
