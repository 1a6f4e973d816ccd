import { setImmediate } from 'node:timers/promises'

/** How long one piece of work may keep timers, streams and other runs waiting. Milliseconds. */
const longestSlice = 20

/** How long work may take in all although the deadline has passed: what a run has at its limit is still checked. Milliseconds. */
const leastTime = 1000

/**
 * For long work on text that waits for nothing: awaited between its steps, it yields to the event loop every 20 ms, so
 * that a time limit can fire. Resolves to whether there is time left; throws the signal's reason when the work must stop.
 */
export function slices(
  { signal, deadline }: { readonly signal?: AbortSignal | undefined; readonly deadline?: AbortSignal | undefined },
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  const begun = now()
  let start = begun
  return async () => {
    if (now() - start >= longestSlice) {
      await setImmediate()
      start = now()
    }
    signal?.throwIfAborted()
    return deadline?.aborted !== true || now() - begun < leastTime
  }
}
