import { useEffect, useRef, useState } from 'preact/hooks'

export interface ComposerProps {
  readonly isWorking: boolean
  readonly isFirst: boolean
  /** How many documents are searched; 0 is all. */
  readonly chosen: number
  readonly onAsk: (question: string) => void
  readonly onStop: () => void
}

/** Where the question is written: Enter asks, Shift and Enter begin a new line. */
export function Composer({ isWorking, isFirst, chosen, onAsk, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [isFirst])
  const submit = () => {
    const question = text.trim()
    if (question === '' || isWorking) return
    setText('')
    onAsk(question)
  }
  const onSubmit = (event: Event) => {
    event.preventDefault()
    submit()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form class="composer" onSubmit={onSubmit}>
      {chosen > 0 && <p class="quiet">{chosen === 1 ? 'One document is' : `${chosen} documents are`} searched.</p>}
      <textarea
        ref={field}
        aria-label="Question"
        placeholder={isFirst ? 'Ask a question' : 'Ask a follow-up'}
        rows={1}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {isWorking ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="primary" disabled={text.trim() === ''}>
          Ask
        </button>
      )}
    </form>
  )
}
