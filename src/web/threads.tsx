import { useEffect, useRef, useState } from 'preact/hooks'
import { importNote } from '../answers/reliability.ts'
import { describeNote } from '../runs/log/describe-note.ts'
import { withNotes } from './answer/footnote.tsx'
import { threads as stored, type ThreadMessage, type ThreadRecord } from './api/requests.ts'
import { Form, saveAs, writeOn } from './controls.tsx'

/** The conversations of the person whose titles hold what is searched for. */
export function useThreads(onProblem: (error: Error) => void) {
  const [list, setList] = useState<readonly ThreadRecord[]>([])
  const [words, search] = useState('')
  // A run that ends later lists what is searched for then.
  const wanted = useRef(words)
  wanted.current = words
  const refresh = () => stored.list(wanted.current).then((found) => setList(found.threads), onProblem)
  useEffect(() => void refresh(), [words])
  return {
    ...{ list, words, search, refresh },
    rename: (id: string, title: string) => void stored.rename(id, title).then(refresh, onProblem),
    remove: (id: string, onRemoved: () => void) => void stored.remove(id).then(onRemoved).then(refresh, onProblem),
    save: (id: string, title: string) => void save(id, title).catch(onProblem),
  }
}

export type Threads = ReturnType<typeof useThreads>

export interface SidebarProps {
  readonly threads: Threads
  /** The one that is shown, unless something else is. */
  readonly current: string | null
  readonly view: View
  readonly names: Readonly<Record<OtherView, string>>
  readonly onOpen: (threadId: string) => void
  readonly onNew: () => void
  /** Shows the documents, the table or the report, or the conversation again. */
  readonly onView: (view: View) => void
}

/** What stands in the middle of the page. */
export type View = 'conversation' | OtherView
type OtherView = (typeof others)[number]

const others = ['documents', 'table', 'report'] as const
export const viewNames = { documents: 'Documents', table: 'Table' }

/** The conversations of the person, and the ways to the documents, the table and the report. */
export function Sidebar({ threads, current, view, names, onOpen, onNew, onView }: SidebarProps) {
  const { list, words, search } = threads
  return (
    <nav class="sidebar" aria-label="Conversations">
      <p class="name">Quaero</p>
      <button type="button" class="new" onClick={onNew}>
        New question
      </button>
      {others.map((each) => (
        <button
          type="button"
          aria-pressed={view === each}
          onClick={() => onView(view === each ? 'conversation' : each)}
        >
          {names[each]}
        </button>
      ))}
      <input
        type="search"
        aria-label="Search the conversations"
        placeholder="Search conversations"
        value={words}
        onInput={(event) => search(event.currentTarget.value)}
      />
      <ul>
        {list.map(({ threadId, title }) => (
          <li>
            <button
              type="button"
              class="thread"
              title={title}
              aria-current={threadId === current ? 'page' : undefined}
              onClick={() => onOpen(threadId)}
            >
              {title}
            </button>
          </li>
        ))}
      </ul>
      {list.length === 0 && (
        <p class="quiet">{words === '' ? 'Your conversations will stand here.' : 'No title holds these words.'}</p>
      )}
      <Theme />
    </nav>
  )
}

/** Light or dark, or as the system has it; `theme.ts` sets it again when the page is opened. */
function Theme() {
  const { style } = document.documentElement
  const choose = (theme: string) => {
    localStorage.setItem('quaero theme', theme)
    style.colorScheme = theme
  }
  return (
    <select aria-label="Theme" value={style.colorScheme} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">Theme of the system</option>
      <option value="light">Light theme</option>
      <option value="dark">Dark theme</option>
    </select>
  )
}

export interface ThreadHeaderProps {
  readonly threads: Threads
  readonly threadId: string
  readonly title: string
  readonly onRemoved: () => void
}

/** The title of a conversation, and what can be done with the whole of it. */
export function ThreadHeader({ threads, threadId, title, onRemoved }: ThreadHeaderProps) {
  const [isRenamed, rename] = useState(false)
  const save = ({ wanted = '' }) => {
    if (wanted.trim() !== '' && wanted.trim() !== title) threads.rename(threadId, wanted.trim())
    rename(false)
  }
  if (isRenamed) {
    return (
      <Form class="thread-header" onSend={save}>
        <h1 class="hidden">{title}</h1>
        <input
          name="wanted"
          aria-label="Title of the conversation"
          defaultValue={title}
          maxLength={200}
          ref={writeOn}
          onKeyDown={(event) => event.key === 'Escape' && rename(false)}
        />
        <button type="submit" class="primary">
          Save
        </button>
      </Form>
    )
  }
  return (
    <header class="thread-header">
      <h1>{title}</h1>
      <button type="button" onClick={() => rename(true)}>
        Rename
      </button>
      <button type="button" onClick={() => threads.save(threadId, title)}>
        Export
      </button>
      <button type="button" onClick={() => confirm(`Delete “${title}”?`) && threads.remove(threadId, onRemoved)}>
        Delete
      </button>
    </header>
  )
}

/** Saves a conversation as Markdown, with the quotes of its footnotes. */
async function save(threadId: string, title: string): Promise<void> {
  const { messages } = await stored.messages(threadId)
  const text = `# ${title}\n\n${messages.map(written).join('\n\n')}\n`
  const plain = title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')
  saveAs(`${plain.slice(0, 60) || 'conversation'}.md`, new Blob([text], { type: 'text/markdown' }))
}

function written(message: ThreadMessage): string {
  const { role, content, citations = [], imported, note } = message
  if (role === 'user') return `## ${content}`
  // Markers count anew in each answer, so its notes stand below it.
  const parts = [withNotes(content, message), imported && importNote(imported, citations.length)]
  return [...parts, note && describeNote(note).replace(/^/gm, '> ')].filter(Boolean).join('\n\n')
}
