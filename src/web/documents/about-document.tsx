import { describeRecognised } from '../../library/port/document.ts'
import { documents, type LibraryDocument, placeOf, useLoaded } from '../api/requests.ts'
import { Problem, Questions } from '../controls.tsx'
import { Passages } from './passages.tsx'

export interface SuggestedProps<Of> {
  readonly of: Of
  /** Writes a question about a document, for the person to ask or to change. */
  readonly onSuggest: (question: string, documentId: string) => void
}

const suggested = 'Suggested from title and headings'

/** What a document says of itself, and what to ask about it. */
export function AboutDocument({ of: { documentId }, onSuggest }: SuggestedProps<LibraryDocument>) {
  const { value: document, error } = useLoaded(documentId, () => documents.open(documentId))
  if (!document) return error ? <Problem>{error}</Problem> : null
  const { summary, questions, recognised } = document
  const sentences = summary.map((each) => ({ ...document, ...each, section: null, pageLabel: null }))
  return (
    <div class="details">
      {summary.length > 0 && <p class="label">In its own words</p>}
      <Passages hits={sentences} label="In its own words" cite={placeOf} />
      <p class="quiet">{describeRecognised(recognised)}</p>
      <Questions name={suggested} questions={questions} onChoose={(question) => onSuggest(question, documentId)} />
    </div>
  )
}

/** A question about each of the three documents that were added last, the one that says most of it. */
export function Suggestions({ of: list, onSuggest }: SuggestedProps<readonly LibraryDocument[]>) {
  const newest = list.toSorted((one, other) => (other.addedAt ?? '').localeCompare(one.addedAt ?? '')).slice(0, 3)
  const ids = newest.map(({ documentId }) => documentId)
  const { value = [] } = useLoaded(ids.join(), () => Promise.all(ids.map(documents.open)))
  const asked = value.flatMap(({ documentId, questions }) =>
    questions.slice(-1).map((each) => [each, documentId] as const),
  )
  const suggest = (question: string) => onSuggest(question, new Map(asked).get(question) ?? '')
  return <Questions name={suggested} questions={asked.map(([question]) => question)} onChoose={suggest} />
}
