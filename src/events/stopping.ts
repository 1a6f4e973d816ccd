import { setImmediate } from 'node:timers/promises'
import type { SpanKind } from './catalogue.ts'
import type { Context } from './context.ts'

/** How long work may last after the run's time is up, so that agents return what they have. Milliseconds. */
const afterDeadlineMs: { readonly [K in SpanKind]?: number } = {
  model: 500,
  tool: 500,
  round: 1000,
  agent: 10_000,
  run: 60_000,
}

/**
 * Does the work of a span. Work that ignores a stop is abandoned after a grace period: once its inner spans have ended,
 * the reason of the stop is thrown, and events that the abandoned work still emits are refused.
 */
export async function abandonAfter<T>(
  kind: SpanKind,
  context: Context,
  work: (inner: Context) => Promise<T>,
): Promise<T> {
  const inside = new Set<Promise<unknown>>()
  const over = new AbortController()
  const inner: Context = {
    ...context,
    inside,
    emit: async (event) => {
      over.signal.throwIfAborted()
      await context.emit(event)
    },
  }
  const abandoned = new Promise<never>((_, reject) => {
    over.signal.addEventListener('abort', () => reject(over.signal.reason))
  })
  const abandon = (reason: unknown) => void Promise.allSettled(inside).then(() => over.abort(reason))
  const ends = [
    after(context.signal, context.gracePeriodMs, abandon),
    after(context.deadline, afterDeadlineMs[kind], abandon),
  ]
  try {
    return await Promise.race([work(inner), abandoned])
  } catch (error) {
    // LangGraph may abandon a step before its inner spans have ended; in the log, inner spans end first.
    await Promise.allSettled(inside)
    throw error
  } finally {
    for (const end of ends) end()
  }
}

/** Calls back `ms` after the signal is aborted, or after now if it already is. Returns a function that cancels this. */
function after(signal: AbortSignal | undefined, ms: number | undefined, call: (reason: unknown) => void): () => void {
  if (!signal || ms === undefined) return () => {}
  let timer: NodeJS.Timeout | undefined
  const arm = () => {
    timer = setTimeout(() => call(signal.reason), ms)
  }
  if (signal.aborted) arm()
  else signal.addEventListener('abort', arm, { once: true })
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', arm)
  }
}

/** How long one piece of work may block timers, streams and other runs. Milliseconds. */
const longestSlice = 20

/** How long work may take after the deadline has passed, so that results are still checked. Milliseconds. */
const leastTime = 1000

/**
 * For long synchronous work on text: awaited between its steps, it yields to the event loop every 20 ms, so that time
 * limits can fire. Resolves to true while there is time left; throws the signal's reason when the run is stopped.
 */
export function slices({
  signal,
  deadline,
}: {
  readonly signal?: AbortSignal | undefined
  readonly deadline?: AbortSignal | undefined
}): () => Promise<boolean> {
  const begun = performance.now()
  let start = begun
  return async () => {
    if (performance.now() - start >= longestSlice) {
      await setImmediate()
      start = performance.now()
    }
    signal?.throwIfAborted()
    return deadline?.aborted !== true || performance.now() - begun < leastTime
  }
}

/** Waits for the work, but no longer than until the signal is aborted; then it rejects with the signal's reason. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
