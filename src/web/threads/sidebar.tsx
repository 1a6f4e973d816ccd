import type { ThreadRecord } from '../api/requests.ts'

export interface SidebarProps {
  readonly threads: readonly ThreadRecord[]
  readonly current: string | null
  readonly search: string
  readonly isDocuments: boolean
  readonly onSearch: (words: string) => void
  readonly onChoose: (threadId: string) => void
  readonly onNew: () => void
  readonly onDocuments: () => void
}

/** The conversations of the person, and the way to the documents. */
export function Sidebar({ threads, current, search, isDocuments, ...on }: SidebarProps) {
  return (
    <nav class="sidebar" aria-label="Conversations">
      <p class="name">Quaero</p>
      <button type="button" class="new" onClick={on.onNew}>
        New question
      </button>
      <button type="button" aria-pressed={isDocuments} onClick={on.onDocuments}>
        Documents
      </button>
      <input
        type="search"
        aria-label="Search the conversations"
        placeholder="Search conversations"
        value={search}
        onInput={(event) => on.onSearch(event.currentTarget.value)}
      />
      <ul>
        {threads.map(({ threadId, title }) => (
          <li>
            <button
              type="button"
              class="thread"
              title={title}
              aria-current={threadId === current && !isDocuments ? 'page' : undefined}
              onClick={() => on.onChoose(threadId)}
            >
              {title}
            </button>
          </li>
        ))}
      </ul>
      {threads.length === 0 && (
        <p class="quiet">{search === '' ? 'Your conversations will stand here.' : 'No title holds these words.'}</p>
      )}
    </nav>
  )
}
