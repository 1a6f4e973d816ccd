import { useEffect, useState } from 'preact/hooks'
import { type Citation, documents, type RunResult, type SearchHit } from '../api/requests.ts'
import { Passage } from '../documents/library-search.tsx'
import { Unverified } from './answer.tsx'
import { Markdown } from './markdown.tsx'

export interface AbstentionProps {
  readonly result: RunResult
  readonly searches: readonly string[]
  /** The documents that were searched; null is all. */
  readonly among: readonly string[] | null
  readonly onOpen: (citation: Citation) => void
}

/** That the documents hold no answer: what was searched for, and the passages that came nearest. */
export function Abstention({ result, searches, among, onOpen }: AbstentionProps) {
  const { answer, unsupported, standaloneQuestion, question } = result
  const nearest = useNearest(standaloneQuestion ?? question, among)
  return (
    <section class="box abstained" aria-label="No answer in the documents">
      <h3 class="label">No answer in the documents</h3>
      <div class="prose">
        <Markdown text={answer} marker={(marker) => `[${marker}]`} withoutLists={nearest.length > 0} />
      </div>
      {searches.length > 0 && (
        <>
          <h4>Searched for</h4>
          <ul class="searches">
            {searches.map((words) => (
              <li>{words}</li>
            ))}
          </ul>
        </>
      )}
      {nearest.length > 0 && (
        <>
          <h4>Came nearest</h4>
          <ul class="passages">
            {nearest.map((hit, index) => (
              <Passage hit={hit} marker={index + 1} onOpen={onOpen} />
            ))}
          </ul>
        </>
      )}
      {unsupported.length > 0 && <Unverified unsupported={unsupported} />}
    </section>
  )
}

const most = 3
/** The share of what a question asks for that a passage must hold to be called near. */
const nearEnough = 0.2

/** The passages that fit a question best, of the documents that were searched. */
function useNearest(question: string, among: readonly string[] | null): readonly SearchHit[] {
  const [hits, setHits] = useState<readonly SearchHit[]>([])
  useEffect(() => {
    documents.search(question, 12).then(setHits, () => setHits([]))
  }, [question])
  const isMeant = ({ documentId, score }: SearchHit) =>
    score >= nearEnough && (among === null || among.some((id) => documentId.startsWith(id)))
  return hits.filter(isMeant).slice(0, most)
}
