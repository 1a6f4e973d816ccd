import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { begin, Refused, type Session } from './api/requests.ts'
import { Form, Problem } from './controls.tsx'
import { Workplace } from './workplace.tsx'
import './style/base.css'
import './style/conversation.css'
import './style/answer.css'
import './style/documents.css'
import './style/claims.css'
// Last, since a narrow window changes what the others say.
import './style/layout.css'

/** The whole page, once its person is known by the token of the link or by the cookie. */
function App() {
  const [session, setSession] = useState<Session | 'none' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const enter = (token: string | null, isSilent: (error: Error) => boolean = () => false) =>
    begin(token).then(setSession, (error: Error) => {
      setSession('none')
      if (!isSilent(error)) setProblem(error.message)
    })
  useEffect(() => {
    const [, place, token] = /^#(?:(\/\S*?)&)?token=(\S+)$/.exec(location.hash) ?? []
    if (token) history.replaceState(null, '', place ? `#${place}` : location.pathname)
    if (token) void enter(token)
    // Who comes without a token may have the cookie.
    else void enter(null, (error) => error instanceof Refused)
  }, [])
  if (session === null) return null
  if (session === 'none') return <Entrance problem={problem} onToken={(token) => void enter(token)} />
  return <Workplace kind={session.reports} />
}

interface EntranceProps {
  readonly problem: string | null
  readonly onToken: (token: string) => void
}

/** Asks for the token where the page was opened without its link. */
function Entrance({ problem, onToken }: EntranceProps) {
  return (
    <main class="entrance">
      <h1 class="name">Quaero</h1>
      <p>Open the link that “quaero serve” printed, or paste it or your token here.</p>
      <Form onSend={({ link = '' }) => onToken(link.trim().replace(/^.*?[#&]token=/, ''))}>
        <input type="password" name="link" aria-label="Link or token" autocomplete="off" required />
        <button type="submit" class="primary">
          Enter
        </button>
      </Form>
      {problem && <Problem>{problem}</Problem>}
    </main>
  )
}

const place = document.getElementById('app')
if (place) render(<App />, place)
