import { useEffect, useState } from 'preact/hooks'
import { begin, Refused, threads } from './api/requests.ts'
import { Entrance } from './entrance.tsx'
import { Workplace } from './workplace.tsx'

/** The whole page, once its person is known by the token of the link or by the cookie. */
export function App() {
  const [isKnown, setKnown] = useState<boolean | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    const [, place, token] = /^#(?:(\/\S*?)&)?token=(\S+)$/.exec(location.hash) ?? []
    if (token) history.replaceState(null, '', place ? `#${place}` : location.pathname)
    const entered = token ? begin(token) : threads.list('').then(() => {})
    entered.then(
      () => setKnown(true),
      (error: Error) => {
        setKnown(false)
        if (!(error instanceof Refused) || token) setProblem(error.message)
      },
    )
  }, [])
  if (isKnown === null) return null
  return isKnown ? <Workplace /> : <Entrance problem={problem} onEnter={() => setKnown(true)} />
}
