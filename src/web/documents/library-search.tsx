import { useEffect, useState } from 'preact/hooks'
import { type Citation, citationOf, documents, placeOf, type SearchHit } from '../api/requests.ts'

const most = 6
const patienceMs = 250

/** Searches the passages of the library, without an answer. */
export function LibrarySearch({ onOpen }: { readonly onOpen: (citation: Citation) => void }) {
  const [words, setWords] = useState('')
  const [hits, setHits] = useState<readonly SearchHit[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    setProblem(null)
    if (words.trim() === '') return setHits(null)
    let isLeft = false
    const timer = setTimeout(() => {
      documents.search(words, most).then(
        (found) => !isLeft && setHits(found),
        (error: Error) => !isLeft && setProblem(error.message),
      )
    }, patienceMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [words])
  return (
    <div class="library-search">
      <input
        type="search"
        aria-label="Search the documents"
        placeholder="Search the documents for words"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <p class="quiet" role="status">
        {problem ?? (hits?.length === 0 ? 'No passage holds these words.' : '')}
      </p>
      {hits && hits.length > 0 && (
        <ul class="passages" aria-label="Passages found">
          {hits.map((hit, index) => (
            <Passage hit={hit} marker={index + 1} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </div>
  )
}

interface PassageProps {
  readonly hit: SearchHit
  readonly marker: number
  readonly onOpen: (citation: Citation) => void
}

/** A passage of the library, which opens its page. */
export function Passage({ hit, marker, onOpen }: PassageProps) {
  return (
    <li>
      <button type="button" onClick={() => onOpen(citationOf(hit, marker))}>
        <span class="excerpt">{hit.text}</span>
        <cite>
          {hit.title ?? hit.source}, {placeOf(hit)}
        </cite>
      </button>
    </li>
  )
}
