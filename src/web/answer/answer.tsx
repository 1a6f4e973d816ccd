import { importNote } from '../../answers/import-note.ts'
import { isSame } from '../api/citations.ts'
import type { Citation, RunResult } from '../api/requests.ts'
import { Confidence } from './confidence.tsx'
import { type Calculation, Footnote, Formula, formulaOf } from './footnote.tsx'
import { Markdown } from './markdown.tsx'

export interface AnswerProps {
  readonly result: RunResult
  readonly onOpen: (citation: Citation) => void
  /** The footnote whose page is open. */
  readonly opened: Citation | null
}

/** An answer with its footnotes, what could not be verified, and how sure it is. */
export function Answer({ result, onOpen, opened }: AnswerProps) {
  const { citations, calculations, unsupported, confidence } = result
  const marker = (number: number) => {
    const citation = citations.find((each) => each.marker === number)
    if (citation) return <Footnote citation={citation} onOpen={onOpen} isOpen={isSame(citation, opened)} />
    const calculation = calculations.find((each) => each.marker === number)
    return calculation ? <Formula calculation={calculation} /> : `[${number}]`
  }
  return (
    <div class="answer">
      <div class="prose">
        <Markdown text={withHighlights(result)} marker={marker} />
      </div>
      <Notes citations={citations} calculations={calculations} onOpen={onOpen} opened={opened} />
      {result.imported && <p class="imported">{importNote(result.imported, citations.length)}</p>}
      {unsupported.length > 0 && <Unverified unsupported={unsupported} />}
      {confidence !== null && <Confidence value={confidence} result={result} />}
    </div>
  )
}

/** The answer with its shortest answers in bold. */
function withHighlights({ answer, highlights }: RunResult): string {
  return highlights
    .toSorted((one, other) => other.start - one.start)
    .filter(({ start, end }) => start < end && !/[*`[\]|\n]/.test(answer.slice(start, end)))
    .reduce((text, { start, end }) => `${text.slice(0, start)}**${text.slice(start, end)}**${text.slice(end)}`, answer)
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
