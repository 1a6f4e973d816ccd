import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import type { Citation, RunResult, ThreadMessage } from '../api/requests.ts'
import { quotedNote } from './quoted.ts'

export type Calculation = RunResult['calculations'][number]

export interface FootnoteProps {
  readonly citation: Citation
  readonly onOpen: (citation: Citation) => void
  readonly isOpen: boolean
}

/** The number of a footnote; its quote shows on hover and focus, its page on click. */
export function Footnote({ citation, onOpen, isOpen }: FootnoteProps) {
  const { marker, label, quote } = citation
  return (
    <Note
      marker={marker}
      name={`Source ${marker}: ${label}`}
      isPressed={isOpen}
      onClick={() => onOpen(citation)}
      card={
        <>
          <q>{quote}</q>
          <cite>{label}</cite>
        </>
      }
    />
  )
}

/** The number of a calculation; its formula shows on hover and focus. */
export function Formula({ calculation }: { readonly calculation: Calculation }) {
  const { marker } = calculation
  return (
    <Note
      marker={marker}
      name={`Calculation ${marker}`}
      card={
        <>
          <span class="formula">{formulaOf(calculation)}</span>
          <cite>Computed again from figures of the sources</cite>
        </>
      }
    />
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

interface NoteProps {
  readonly marker: number
  readonly name: string
  readonly card: ComponentChildren
  readonly isPressed?: boolean
  readonly onClick?: () => void
}

function Note({ marker, name, card, isPressed, onClick }: NoteProps) {
  const [isShown, show] = useState(false)
  const [side, setSide] = useState('')
  const id = useId()
  const place = useRef<HTMLSpanElement>(null)
  const open = () => {
    if (place.current) setSide(sideOf(place.current))
    show(true)
  }
  return (
    // The card belongs to the place, so that the pointer may go onto it.
    // biome-ignore lint/a11y/noStaticElementInteractions: only the button inside takes part
    <span class="note" ref={place} onMouseEnter={open} onMouseLeave={() => show(false)}>
      <button
        type="button"
        class="marker"
        aria-label={name}
        aria-describedby={isShown ? id : undefined}
        aria-pressed={isPressed}
        onFocus={open}
        onBlur={() => show(false)}
        onKeyDown={(event) => event.key === 'Escape' && show(false)}
        onClick={onClick}
      >
        {marker}
      </button>
      {isShown && (
        <span class={`card ${side}`} role="tooltip" id={id}>
          {card}
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
