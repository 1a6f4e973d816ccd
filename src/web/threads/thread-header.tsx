import { useState } from 'preact/hooks'

export interface ThreadHeaderProps {
  readonly title: string
  readonly onRename: (title: string) => void
  readonly onExport: () => void
  readonly onRemove: () => void
}

/** The title of a conversation, and what can be done with the whole of it. */
export function ThreadHeader({ title, onRename, onExport, onRemove }: ThreadHeaderProps) {
  const [draft, setDraft] = useState<string | null>(null)
  const rename = (event: Event) => {
    event.preventDefault()
    const wanted = draft?.trim() ?? ''
    if (wanted !== '' && wanted !== title) onRename(wanted)
    setDraft(null)
  }
  if (draft !== null) {
    return (
      <form class="thread-header" onSubmit={rename}>
        <h1 class="hidden">{title}</h1>
        <input
          aria-label="Title of the conversation"
          value={draft}
          maxLength={200}
          ref={(field) => field?.focus()}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && setDraft(null)}
        />
        <button type="submit" class="primary">
          Save
        </button>
      </form>
    )
  }
  return (
    <header class="thread-header">
      <h1>{title}</h1>
      <button type="button" onClick={() => setDraft(title)}>
        Rename
      </button>
      <button type="button" onClick={onExport}>
        Export
      </button>
      <button type="button" onClick={() => confirm(`Delete “${title}”?`) && onRemove()}>
        Delete
      </button>
    </header>
  )
}
