import type { SpanKind } from './catalogue.ts'
import type { Context } from './span.ts'

/**
 * How long after the run's time is up, or after its own start, work is still waited for. Milliseconds. Calls end at
 * once if they heed their signal. An agent still has to hand on what it has, and the run to write the answer.
 */
const afterDeadlineMs: { readonly [K in SpanKind]?: number } = {
  model: 500,
  tool: 500,
  round: 1000,
  agent: 10_000,
  run: 60_000,
}

/**
 * Does the work of a span, but waits only so long for work that ignores that it is to stop; then it throws the reason
 * of the stop, once the spans inside have ended. What work that was given up reports after that is refused.
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
  const giveUp = (reason: unknown) => void Promise.allSettled(inside).then(() => over.abort(reason))
  const ends = [
    after(context.signal, context.gracePeriodMs, giveUp),
    after(context.deadline, afterDeadlineMs[kind], giveUp),
  ]
  try {
    return await Promise.race([work(inner), abandoned])
  } catch (error) {
    // LangGraph gives up on a step before what is inside it has ended; in the log, what is inside ends first.
    await Promise.allSettled(inside)
    throw error
  } finally {
    for (const end of ends) end()
  }
}

/** Calls back so long after the signal is aborted, or after now if it already is. Returns what calls it off. */
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
