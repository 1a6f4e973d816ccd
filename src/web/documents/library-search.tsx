import { useEffect, useState } from 'preact/hooks'
import { Passage } from '../answer/passage.tsx'
import { type Citation, documents, type SearchHit } from '../api/requests.ts'

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
