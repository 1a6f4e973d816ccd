import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { type Citation, isSame, type RunResult, type ThreadMessage } from '../api/requests.ts'
import { useOpenSource } from '../source/use-source.ts'

export type Calculation = RunResult['calculations'][number]

/** The number of a footnote; its quote shows on hover and focus, its page on click. */
export function Footnote({ citation }: { readonly citation: Citation }) {
  const { opened, open } = useOpenSource()
  const { marker, label, quote } = citation
  return (
    <Note
      marker={marker}
      name={`Source ${marker}: ${label}`}
      isOpen={isSame(citation, opened)}
      onOpen={() => open(citation)}
    >
      <q>{quote}</q>
      <cite>{label}</cite>
    </Note>
  )
}

/** The number of a calculation; its formula shows on hover and focus. */
export function Formula({ calculation }: { readonly calculation: Calculation }) {
  const { marker } = calculation
  return (
    <Note marker={marker} name={`Calculation ${marker}`}>
      <span class="formula">{formulaOf(calculation)}</span>
      <cite>Computed again from figures of the sources</cite>
    </Note>
  )
}

/** A calculation as print sets it, without the digits that only the binary form of its value has. */
export function formulaOf({ expression, value }: Calculation): string {
  const number = Number(value.toPrecision(12)).toLocaleString('en', { maximumSignificantDigits: 8 })
  return `${expression} = ${number}`.replaceAll('-', '−').replaceAll('*', '×')
}

/** An answer with its footnotes below it, as text to be read elsewhere. */
export function withNotes(answer: string, { citations = [], calculations = [], sentences }: Proof): string {
  const quotes = citations.map(({ marker, label, quote }) => `[${marker}] ${label}: “${quote.replace(/\s+/g, ' ')}”`)
  const formulas = calculations.map((each) => `[${each.marker}] ${formulaOf(each)}`)
  const doubt = quotedNote(sentences)
  return [answer, ...quotes, ...formulas, ...(doubt === null ? [] : [doubt])].join('\n\n')
}

type Proof = Partial<Pick<ThreadMessage, 'citations' | 'calculations' | 'sentences'>>

/** How many sentences are only quoted, and why; null if there is none. */
export function quotedNote(sentences: Readonly<RunResult['sentences']> = []): string | null {
  const quoted = sentences.filter(({ state }) => state === 'quoted')
  if (quoted.length === 0) return null
  const [{ reason = '' } = {}] = quoted
  const told =
    quoted.length === 1
      ? '1 sentence is quoted but nobody read it again'
      : `${quoted.length} sentences are quoted but nobody read them again`
  return `${told}${reason && `: ${reason.replace(/\.$/, '')}`}.`
}

interface NoteProps {
  readonly marker: number
  readonly name: string
  readonly isOpen?: boolean
  readonly onOpen?: () => void
  /** Of the card beside the number. */
  readonly children: ComponentChildren
}

function Note({ marker, name, isOpen, onOpen, children }: NoteProps) {
  const [isShown, show] = useState(false)
  const [side, setSide] = useState('')
  const id = useId()
  const place = useRef<HTMLSpanElement>(null)
  const reveal = () => {
    if (place.current) setSide(sideOf(place.current))
    show(true)
  }
  return (
    // The card belongs to the place, so that the pointer may go onto it.
    // biome-ignore lint/a11y/noStaticElementInteractions: only the button inside takes part
    <span class="note" ref={place} onMouseEnter={reveal} onMouseLeave={() => show(false)}>
      <button
        type="button"
        class="marker"
        aria-label={name}
        aria-describedby={isShown ? id : undefined}
        aria-pressed={isOpen}
        onFocus={reveal}
        onBlur={() => show(false)}
        onKeyDown={(event) => event.key === 'Escape' && show(false)}
        onClick={onOpen}
      >
        {marker}
      </button>
      {isShown && (
        <span class={`card ${side}`} role="tooltip" id={id}>
          {children}
        </span>
      )}
    </span>
  )
}

/** Where a card has room: to the right or the left of its number, below or above it. */
function sideOf(place: HTMLElement): string {
  const { left, top } = place.getBoundingClientRect()
  const { right: end = window.innerWidth } = place.closest('main')?.getBoundingClientRect() ?? {}
  const isLate = end - left < cardWidth
  const isLow = window.innerHeight - top < cardHeight
  return [isLate ? 'late' : '', isLow ? 'above' : ''].join(' ')
}

const cardWidth = 400
const cardHeight = 320
