import type { ComponentChildren } from 'preact'

export interface FormProps {
  /** The word on the button that sends it. */
  readonly submit: string
  readonly onSubmit: () => void
  readonly onBack: () => void
  readonly class?: string
  readonly children: ComponentChildren
}

/** Fields with the two buttons below them: to send what was written, and to go back without. */
export function Form({ submit, onSubmit, onBack, children, class: name }: FormProps) {
  const send = (event: Event) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form class={name} onSubmit={send}>
      {children}
      <div class="buttons">
        <button type="submit" class="primary">
          {submit}
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  )
}
