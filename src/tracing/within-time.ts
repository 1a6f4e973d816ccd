import { setTimeout as wait } from 'node:timers/promises'

/** Waits for the work at most this long, and ignores its errors: they are reported elsewhere. */
export async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController()
  const tooLong = wait(ms, undefined, { signal: over.signal })
  await Promise.race([work, tooLong]).catch(() => {})
  over.abort()
  await tooLong.catch(() => {})
}
