import { useEffect, useState } from 'preact/hooks'
import { follow } from '../api/run-events.ts'
import { afterEvent, newTurn, type Turn } from './turn.ts'

/** The turn with what only the log of its run holds: steps, candidates, documents. Reads it where it was not watched. */
export function useLog(turn: Turn, isWanted: boolean): Turn {
  const [read, setRead] = useState<Turn | null>(null)
  const { runId, isWorking } = turn
  const isMissing = isWanted && !isWorking && !turn.isWatched
  useEffect(() => {
    if (!isMissing || runId === null) return
    const leaving = new AbortController()
    const readLog = async () => {
      let log = newTurn('', runId)
      const reading = { signal: leaving.signal, onConnection: () => {} }
      for await (const event of follow(runId, reading)) log = afterEvent(log, event)
      setRead(log)
    }
    // The answer stands without it.
    readLog().catch(() => {})
    return () => leaving.abort()
  }, [runId, isMissing])
  if (!isMissing || !read) return turn
  const { steps, candidates, documents } = read
  return { ...turn, steps, candidates, documents }
}
