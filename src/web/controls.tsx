import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RunResult } from 'quaero'
import { limitInWords } from '../library/filter/limit-in-words.ts'

export interface FormProps {
  /** Hears what is written in each field, by the field's name. */
  readonly onSend: (written: Readonly<Record<string, string>>) => void
  readonly class?: string
  readonly children: ComponentChildren
}

/** Fields that are sent together, by a button or by Enter. */
export function Form({ onSend, ...shown }: FormProps) {
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    // The page has forms of texts alone, none of files.
    onSend(Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>)
  }
  return <form onSubmit={send} {...shown} />
}

export interface SendOrBackProps {
  /** The word on the button that sends the form. */
  readonly send: string
  readonly onBack: () => void
}

/** The buttons below the fields of a form: to send what was written, and to go back without. */
export function SendOrBack({ send, onBack }: SendOrBackProps) {
  return (
    <div class="buttons">
      <button type="submit" class="primary">
        {send}
      </button>
      <button type="button" onClick={onBack}>
        Back
      </button>
    </div>
  )
}

/** The focus goes to the end of what a field holds. */
export function writeOn(field: HTMLInputElement | HTMLTextAreaElement | null): void {
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}

export interface QuestionsProps {
  readonly name: string
  readonly questions: readonly string[]
  readonly onChoose: (question: string) => void
}

/** Questions to choose from. */
export function Questions({ name, questions, onChoose }: QuestionsProps) {
  if (questions.length === 0) return null
  return (
    <fieldset class="candidates">
      <legend class="label">{name}</legend>
      {questions.map((each) => (
        <button type="button" onClick={() => onChoose(each)}>
          {each}
        </button>
      ))}
    </fieldset>
  )
}

/** What went wrong, which a screen reader says at once. */
export function Problem({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  )
}

/** What was searched, where that was not the whole library. */
export function LimitedTo({ limitedTo }: Partial<Pick<RunResult, 'limitedTo'>>) {
  return limitedTo ? <p class="understood">{limitInWords(limitedTo)}</p> : null
}

/** Has the browser save a file. */
export function saveAs(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** A number with its noun. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** A text that stays in the tab, so that a reload finds it again. */
export function useKept(name: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? '')
  const keep = (next: string) => {
    sessionStorage.setItem(name, next)
    setText(next)
  }
  return [text, keep]
}
