import { importNote } from '../../answers/reliability.ts'
import { type Answered, type ClaimStanding, documents, isSame, type RunResult, useLoaded } from '../api/requests.ts'
import { count } from '../controls.tsx'
import { Passages } from '../documents/passages.tsx'
import { useOpenSource } from '../source/use-source.ts'
import { Footnote, Formula, formulaOf, quotedNote } from './footnote.tsx'
import { withMarks } from './inline.tsx'
import { Markdown } from './markdown.tsx'

export interface AnswerProps {
  readonly result: Answered
}

/** An answer with its footnotes, what could not be verified, and how sure it is. */
export function Answer({ result }: AnswerProps) {
  const { citations, calculations, sentences, confidence } = result
  const doubt = quotedNote(sentences)
  const marker = (number: number) => {
    const citation = citations.find((each) => each.marker === number)
    if (citation) return <Footnote citation={citation} />
    const calculation = calculations.find((each) => each.marker === number)
    return calculation ? <Formula calculation={calculation} /> : `[${number}]`
  }
  return (
    <div class="answer">
      <div class="prose">
        <Markdown text={withMarks(result)} marker={marker} />
      </div>
      {doubt && <p class="quiet legend">{doubt}</p>}
      <Notes result={result} />
      {result.imported && <p class="imported">{importNote(result.imported, citations.length)}</p>}
      <Unverified result={result} />
      {confidence !== null && <Confidence value={confidence} result={result} />}
    </div>
  )
}

/** The footnotes at the foot of the answer: each quote with its source, each calculation with its formula. */
function Notes({ result: { citations, calculations } }: AnswerProps) {
  const { opened, open } = useOpenSource()
  const notes = [...citations, ...calculations].toSorted((one, other) => one.marker - other.marker)
  if (notes.length === 0) return null
  return (
    // biome-ignore lint/a11y/noRedundantRoles: a list without bullets is none to some screen readers
    <ul class="notes" role="list" aria-label="Footnotes">
      {notes.map((note) => (
        <li>
          <span class="number">{note.marker}</span>
          {'quote' in note ? (
            <button type="button" aria-pressed={isSame(note, opened)} onClick={() => open(note)}>
              <q>{note.quote}</q> <cite>{note.label}</cite>
              {!note.verified && <small> – not found in this library</small>}
            </button>
          ) : (
            <span class="formula">{formulaOf(note)}</span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What was written and is not supported by a quote, each sentence with the reason. */
function Unverified({ result: { unsupported } }: AnswerProps) {
  if (unsupported.length === 0) return null
  return (
    <section class="unverified" aria-label="Not verified">
      <h3 class="label">Not verified</h3>
      <ul>
        {unsupported.map(({ text, reason }) => (
          <li>
            {text} {reason && <small>{reason}</small>}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Sentences of an answer whose words are not in the documents of now, each beside the nearest words there. */
export function Fallen({ claims }: { readonly claims: readonly ClaimStanding[] }) {
  if (claims.length === 0) return null
  return (
    <section class="unverified" aria-label="No longer stands">
      <h3 class="label">No longer stands</h3>
      <ul>
        {claims.map(({ claim, quotes }) => (
          <li>
            {claim.text}{' '}
            {quotes
              .filter(({ stands }) => !stands)
              .map(({ quote, now }) => (
                <small>
                  It quotes “{quote.text}”.{' '}
                  {now ? `Now there is: “${now.text}”` : 'The document is not there any more.'}
                </small>
              ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

const levels = [
  { from: 0.8, word: 'High' },
  { from: 0.5, word: 'Medium' },
  { from: 0, word: 'Low' },
]

/** How probably the answer is right: in a word, as a meter, and on demand what it was computed from. */
function Confidence({ value, result }: AnswerProps & { readonly value: number }) {
  const word = levels.find(({ from }) => value >= from)?.word ?? 'Low'
  const percent = Math.round(100 * value)
  return (
    <details class="confidence">
      <summary>
        <meter min={0} max={100} value={percent} aria-label="Confidence" />
        {word} confidence, {percent}%
      </summary>
      <ul>
        {reasons(result).map((each) => (
          <li>{each}</li>
        ))}
      </ul>
    </details>
  )
}

function reasons({ citations, sentences, unsupported, model }: Answered): readonly string[] {
  const among = (wanted: string) => sentences.filter(({ state }) => state === wanted).length
  const [verified, quoted, lost] = [among('verified'), among('quoted'), unsupported.length]
  const documentsCited = new Set(citations.map(({ documentId }) => documentId)).size
  const be = (number: number) => (number === 1 ? 'is' : 'are')
  return [
    `${count(citations.length, 'quote')} from ${count(documentsCited, 'document')}, found word for word on the page.`,
    ...(verified > 0 ? [`${count(verified, 'sentence')} ${be(verified)} verified.`] : []),
    ...(quoted > 0 ? [`${count(quoted, 'sentence')} ${be(quoted)} only quoted, not read again, which lowers it.`] : []),
    ...(lost > 0
      ? [`${count(lost, 'sentence')} could not be verified and ${be(lost)} shown apart, which lowers it.`]
      : []),
    model === 'extractive'
      ? 'No language model was used: it says how probably the first quote answers the question, by how well it matches and how far it is ahead of the others.'
      : 'It is computed from the check of the answer: the share of sentences that quotes support, and how much of their words the quotes contain. No model is asked how sure it is.',
  ]
}

export interface AbstentionProps {
  readonly result: RunResult
  readonly searches: readonly string[]
  /** The documents that were searched; null is all. */
  readonly among: readonly string[] | null
}

const mostNearest = 3
/** The share of what a question asks for that a passage must hold to be called near. */
const nearEnough = 0.2

/** That the documents hold no answer: what was searched for, and the passages that came nearest. */
export function Abstention({ result, searches, among }: AbstentionProps) {
  const question = result.standaloneQuestion ?? result.question
  const { value: hits = [] } = useLoaded(question, () => documents.search(question, 12))
  const nearest = hits.filter(({ documentId, score }) => {
    const isSearched = among === null || among.some((id) => documentId.startsWith(id))
    return isSearched && score >= nearEnough
  })
  return (
    <section class="box abstained" aria-label="No answer in the documents">
      <h3 class="label">No answer in the documents</h3>
      <div class="prose">
        <Markdown text={result.answer} marker={(marker) => `[${marker}]`} withoutLists={nearest.length > 0} />
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
          <Passages hits={nearest.slice(0, mostNearest)} />
        </>
      )}
      <Unverified result={result} />
    </section>
  )
}
