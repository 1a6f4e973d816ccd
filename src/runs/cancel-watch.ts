import type { Storage } from '../storage/storage.ts'
import type { Attempt } from './attempt.ts'

const everyMs = 250

/**
 * Looks for a cancel that another process has asked for; the log is all that two processes share. Nothing is read while
 * nobody else has written. Returns the end of it.
 */
export function watchForCancel(attempt: Attempt, { events }: Pick<Storage, 'events'>): () => void {
  if (attempt.threadId === null) return () => {}
  let seen: number | null = null
  const look = async () => {
    const version = await events.version()
    if (version === seen) return
    const { status } = await events.run(attempt.runId)
    if (status.state === 'cancelling') {
      for await (const event of events.read(attempt.runId)) if (event.type === 'cancel.requested') attempt.learn(event)
      attempt.stop('cancelled')
    }
    seen = version
  }
  // A look that fails is followed by another; the run itself will say if the storage is gone.
  const timer = setInterval(() => void look().catch(() => {}), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
