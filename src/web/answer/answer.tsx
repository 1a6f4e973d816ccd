import { importNote } from '../../answers/reliability.ts'
import { type Citation, isSame, type RunResult } from '../api/requests.ts'
import { Confidence } from './confidence.tsx'
import { type Calculation, Footnote, Formula, formulaOf } from './footnote.tsx'
import { Markdown } from './markdown.tsx'
import { quotedNote, withMarks } from './quoted.ts'

export interface AnswerProps {
  readonly result: RunResult
  readonly onOpen: (citation: Citation) => void
  /** The footnote whose page is open. */
  readonly opened: Citation | null
}

/** An answer with its footnotes, what could not be verified, and how sure it is. */
export function Answer({ result, onOpen, opened }: AnswerProps) {
  const { citations, calculations, sentences, unsupported, confidence } = result
  const doubt = quotedNote(sentences)
  const marker = (number: number) => {
    const citation = citations.find((each) => each.marker === number)
    if (citation) return <Footnote citation={citation} onOpen={onOpen} isOpen={isSame(citation, opened)} />
    const calculation = calculations.find((each) => each.marker === number)
    return calculation ? <Formula calculation={calculation} /> : `[${number}]`
  }
  return (
    <div class="answer">
      <div class="prose">
        <Markdown text={withMarks(result)} marker={marker} />
      </div>
      {doubt && <p class="quiet legend">{doubt}</p>}
      <Notes citations={citations} calculations={calculations} onOpen={onOpen} opened={opened} />
      {result.imported && <p class="imported">{importNote(result.imported, citations.length)}</p>}
      {unsupported.length > 0 && <Unverified unsupported={unsupported} />}
      {confidence !== null && <Confidence value={confidence} result={result} />}
    </div>
  )
}

interface NotesProps extends Pick<AnswerProps, 'onOpen' | 'opened'> {
  readonly citations: readonly Citation[]
  readonly calculations: readonly Calculation[]
}

/** The footnotes at the foot of the answer: each quote with its source, each calculation with its formula. */
function Notes({ citations, calculations, onOpen, opened }: NotesProps) {
  const notes = [...citations, ...calculations].toSorted((one, other) => one.marker - other.marker)
  if (notes.length === 0) return null
  return (
    // biome-ignore lint/a11y/noRedundantRoles: a list without bullets is none to some screen readers
    <ul class="notes" role="list" aria-label="Footnotes">
      {notes.map((note) => (
        <li>
          <span class="number">{note.marker}</span>
          {'quote' in note ? (
            <button type="button" aria-pressed={isSame(note, opened)} onClick={() => onOpen(note)}>
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
export function Unverified({ unsupported }: Pick<RunResult, 'unsupported'>) {
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
