import { useEffect, useRef, useState } from 'preact/hooks'

export interface ComposerProps {
  readonly isWorking: boolean
  readonly isFirst: boolean
  readonly onAsk: (question: string) => void
  readonly onStop: () => void
}

/** Where the question is written: Enter asks, Shift and Enter begin a new line. */
export function Composer({ isWorking, isFirst, onAsk, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [isWorking])
  const submit = () => {
    const question = text.trim()
    if (question === '' || isWorking) return
    setText('')
    onAsk(question)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
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
