import { createRoot } from 'react-dom/client'

/** Where the server is, and who asks: `#server=http://127.0.0.1:7710&token=…&thread=…`. */
export const place = new URLSearchParams(location.hash.slice(1))
export const server = place.get('server') ?? 'http://127.0.0.1:7710'
export const token = place.get('token') ?? ''

/** Keeps the thread in the address, so that a reload goes on with it. */
export function keepThread(id: string): void {
  place.set('thread', id)
  history.replaceState(null, '', `#${place}`)
}

export interface Source {
  readonly marker: number
  readonly label: string
  readonly quote: string
}

export interface Said {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly sources?: readonly Source[]
}

interface ConversationProps {
  readonly said: readonly Said[]
  readonly isWorking: boolean
  readonly error?: unknown
  /** What the run waits for. */
  readonly request?: string | undefined
  readonly onAsk: (question: string) => void
  readonly onDecide?: (type: 'approve' | 'reject') => void
}

/** A conversation with its sources, and a form to ask. */
export function Conversation({ said, isWorking, error, request, onAsk, onDecide }: ConversationProps) {
  return (
    <main aria-busy={isWorking}>
      {said.map(({ id, role, text, sources = [] }) => (
        <article key={id} data-role={role}>
          <p style={{ whiteSpace: 'pre-wrap' }}>{text}</p>
          {sources.map(({ marker, label, quote }) => (
            <blockquote key={marker}>
              [{marker}] {label}: “{quote}”
            </blockquote>
          ))}
        </article>
      ))}
      {request && (
        <p>
          {request}{' '}
          <button type="button" onClick={() => onDecide?.('approve')}>
            Approve
          </button>{' '}
          <button type="button" onClick={() => onDecide?.('reject')}>
            Refuse
          </button>
        </p>
      )}
      {error ? <p role="alert">{String(error)}</p> : null}
      <form
        action={(form) => {
          const question = String(form.get('question')).trim()
          if (question) onAsk(question)
        }}
      >
        <input name="question" aria-label="Question" autoComplete="off" /> <button type="submit">Ask</button>
      </form>
    </main>
  )
}

export function show(page: React.ReactNode): void {
  createRoot(document.body.appendChild(document.createElement('div'))).render(page)
}
