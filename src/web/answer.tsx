import { useId, useRef, useState } from 'preact/hooks'
import type { Citation, RunResult } from './api.ts'
import { Markdown } from './markdown.tsx'

export interface AnswerProps {
  readonly result: Pick<RunResult, 'answer' | 'citations' | 'calculations' | 'unsupported' | 'confidence' | 'abstained'>
  readonly onOpen: (citation: Citation) => void
  /** The footnote whose page is open. */
  readonly opened: Citation | null
}

/** An answer with its footnotes, what could not be verified, and how sure it is. */
export function Answer({ result, onOpen, opened }: AnswerProps) {
  const { answer, citations, calculations, unsupported, confidence, abstained } = result
  const citationOf = (marker: number) => citations.find((each) => each.marker === marker)
  const marker = (number: number) => {
    const citation = citationOf(number)
    if (citation) return <Chip citation={citation} onOpen={onOpen} isOpen={isSame(citation, opened)} />
    const calculation = calculations.find((each) => each.marker === number)
    return calculation ? <Formula {...calculation} /> : `[${number}]`
  }
  return (
    <div class={abstained ? 'answer abstained' : 'answer'}>
      {abstained && <p class="label">No answer in the documents</p>}
      <div class="prose">
        <Markdown text={answer} marker={marker} />
      </div>
      {citations.length > 0 && <Sources citations={citations} onOpen={onOpen} opened={opened} />}
      {unsupported.length > 0 && <Unverified unsupported={unsupported} />}
      {confidence !== null && !abstained && <Confidence value={confidence} result={result} />}
    </div>
  )
}

export function isSame(one: Citation, other: Citation | null): boolean {
  return (
    one.documentId === other?.documentId &&
    one.page === other.page &&
    one.start === other.start &&
    one.end === other.end
  )
}

/** The number of a footnote; its quote shows on hover and focus, its page on click. */
function Chip({
  citation,
  onOpen,
  isOpen,
}: {
  readonly citation: Citation
  readonly onOpen: (citation: Citation) => void
  readonly isOpen: boolean
}) {
  const [isShown, show] = useState(false)
  const [isLeft, setLeft] = useState(true)
  const id = useId()
  const place = useRef<HTMLSpanElement>(null)
  const open = () => {
    const { left = 0 } = place.current?.getBoundingClientRect() ?? {}
    setLeft(left < window.innerWidth / 2)
    show(true)
  }
  return (
    <span class="note" ref={place}>
      <button
        type="button"
        class="chip"
        aria-label={`Source ${citation.marker}: ${citation.label}`}
        aria-describedby={isShown ? id : undefined}
        aria-pressed={isOpen}
        onMouseEnter={open}
        onMouseLeave={() => show(false)}
        onFocus={open}
        onBlur={() => show(false)}
        onKeyDown={(event) => event.key === 'Escape' && show(false)}
        onClick={() => onOpen(citation)}
      >
        {citation.marker}
      </button>
      {isShown && (
        <span class={isLeft ? 'card' : 'card right'} role="tooltip" id={id}>
          <q>{citation.quote}</q>
          <cite>{citation.label}</cite>
        </span>
      )}
    </span>
  )
}

type CalculationProps = RunResult['calculations'][number]

function Formula({ marker, expression, value }: CalculationProps) {
  return (
    <span class="note">
      <span class="chip formula" title={`${expression} = ${value}`}>
        {marker}
        <span class="hidden">{`Computed: ${expression} = ${value}`}</span>
      </span>
    </span>
  )
}

function Sources({
  citations,
  onOpen,
  opened,
}: { readonly citations: readonly Citation[] } & Pick<AnswerProps, 'onOpen' | 'opened'>) {
  return (
    <ol class="sources" aria-label="Sources">
      {citations.map((citation) => (
        <li value={citation.marker}>
          <button type="button" aria-pressed={isSame(citation, opened)} onClick={() => onOpen(citation)}>
            {citation.label}
          </button>
        </li>
      ))}
    </ol>
  )
}

function Unverified({ unsupported }: Pick<RunResult, 'unsupported'>) {
  return (
    <details class="unverified">
      <summary>{unsupported.length === 1 ? 'One sentence' : `${unsupported.length} sentences`} not verified</summary>
      <ul>
        {unsupported.map(({ text, reason }) => (
          <li>
            {text} <small>{reason}</small>
          </li>
        ))}
      </ul>
    </details>
  )
}

const levels = [
  { from: 0.8, word: 'High' },
  { from: 0.5, word: 'Medium' },
  { from: 0, word: 'Low' },
]

function Confidence({ value, result }: { readonly value: number; readonly result: AnswerProps['result'] }) {
  const word = levels.find(({ from }) => value >= from)?.word ?? 'Low'
  const percent = Math.round(100 * value)
  const { citations, unsupported } = result
  const documents = new Set(citations.map(({ documentId }) => documentId)).size
  return (
    <details class="confidence">
      <summary>
        <meter min={0} max={100} value={percent} aria-label="Confidence" />
        {word} confidence, {percent} %
      </summary>
      <p>
        An estimate that the answer is right. It rests on {count(citations.length, 'quote')} from{' '}
        {count(documents, 'document')}, each found word for word on its page
        {unsupported.length > 0 && `; ${count(unsupported.length, 'sentence')} could not be verified`}.
      </p>
    </details>
  )
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
