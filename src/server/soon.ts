import { setTimeout as wait } from 'node:timers/promises'

/** How long a probe of health or figures may wait for the storage. */
const longestMs = 1000

/** What the work returns; null if it fails, or takes longer than a probe may wait. */
export async function soon<T>(work: () => Promise<T>): Promise<T | null> {
  const late = new AbortController()
  const overdue = wait(longestMs, null, { signal: late.signal }).catch(() => null)
  const done = work().catch(() => null)
  const result = await Promise.race([done, overdue])
  late.abort()
  return result
}
