import { useState } from 'preact/hooks'
import { begin } from './api/requests.ts'

/** Asks for the token where the page was opened without its link. */
export function Entrance({ problem, onEnter }: { readonly problem: string | null; readonly onEnter: () => void }) {
  const [error, setError] = useState(problem)
  const [link, setLink] = useState('')
  const enter = (event: Event) => {
    event.preventDefault()
    begin(link.trim().replace(/^.*?[#&]token=/, '')).then(onEnter, (thrown: Error) => setError(thrown.message))
  }
  return (
    <main class="entrance">
      <h1 class="name">Quaero</h1>
      <p>Open the link that “quaero serve” printed, or paste it here.</p>
      <form onSubmit={enter}>
        <input
          type="password"
          aria-label="Link or token"
          autocomplete="off"
          required
          value={link}
          onInput={(event) => setLink(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Enter
        </button>
      </form>
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
    </main>
  )
}
