import { setImmediate } from 'node:timers/promises'

/** So long one piece of work may keep timers, streams and other runs waiting. Milliseconds. */
const longestSlice = 20

/**
 * For work on text that takes long without waiting for anything: awaited between its steps, it gives way every 20 ms, so
 * that a limit of time can fire. Resolves to whether there is time left; throws the signal's reason where the work is to
 * stop altogether.
 */
export function slices(
  { signal, deadline }: { readonly signal?: AbortSignal | undefined; readonly deadline?: AbortSignal | undefined },
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let start = now()
  return async () => {
    if (now() - start >= longestSlice) {
      await setImmediate()
      start = now()
    }
    signal?.throwIfAborted()
    return deadline?.aborted !== true
  }
}
