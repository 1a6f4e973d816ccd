import type { ThreadRecord } from './api.ts'

export interface SidebarProps {
  readonly threads: readonly ThreadRecord[]
  readonly current: string | null
  readonly search: string
  readonly onSearch: (words: string) => void
  readonly onChoose: (threadId: string) => void
  readonly onNew: () => void
  readonly onRemove: (threadId: string) => void
  readonly onDocuments: () => void
  readonly isDocuments: boolean
}

/** The conversations of the person, and the way to the documents. */
export function Sidebar({
  threads,
  current,
  search,
  onSearch,
  onChoose,
  onNew,
  onRemove,
  onDocuments,
  isDocuments,
}: SidebarProps) {
  return (
    <nav class="sidebar" aria-label="Conversations">
      <h1>Quaero</h1>
      <button type="button" class="primary" onClick={onNew}>
        New question
      </button>
      <button type="button" aria-pressed={isDocuments} onClick={onDocuments}>
        Documents
      </button>
      <input
        type="search"
        aria-label="Search the conversations"
        placeholder="Search"
        value={search}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
      <ul>
        {threads.map(({ threadId, title }) => (
          <li>
            <button
              type="button"
              class="thread"
              aria-current={threadId === current ? 'page' : undefined}
              onClick={() => onChoose(threadId)}
            >
              {title}
            </button>
            <button
              type="button"
              class="remove"
              aria-label={`Delete: ${title}`}
              onClick={() => confirm(`Delete “${title}”?`) && onRemove(threadId)}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
