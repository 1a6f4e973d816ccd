import { useEffect, useState } from 'preact/hooks'
import { queue } from '../api/requests.ts'

/** A question that begins sooner waits for nothing that a person should know of. Milliseconds. */
const patienceMs = 1500

/** What a question waits for that does not begin; null while that is not known, and where there is no queue. */
export function useWaiting(isWaiting: boolean): string | null {
  const [words, setWords] = useState<string | null>(null)
  useEffect(() => {
    setWords(null)
    if (!isWaiting) return
    const look = async () => setWords(wordsFor(await queue.state()))
    const timer = setTimeout(() => void look().catch(() => {}), patienceMs)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return words
}

function wordsFor({ workers, waiting = 0 }: Awaited<ReturnType<typeof queue.state>>): string | null {
  if (workers === undefined) return null
  if (workers === 0) return 'Waiting: no worker is connected'
  return waiting === 0 ? null : `Waiting for one of ${workers} workers; ${waiting} in the queue`
}
