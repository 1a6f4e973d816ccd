import type { Event, Subscriber } from '../../events/index.ts'
import type { Tracing } from './open-tracing.ts'

type Created = Event<'run.created'>

/** Hands runs to a trace. `createdOf` finds the beginning of a run that another attempt began; null if there is none. */
export function traceSubscriber(
  tracing: Pick<Tracing, 'tracer' | 'close'>,
  createdOf: (runId: string) => Promise<Created | null>,
): Subscriber {
  const beginnings = new Map<string, Promise<Created | null>>()
  let told: Promise<void> = Promise.resolve()
  const subscriber: Subscriber = (line) => {
    const { runId } = line
    if (line.type === 'run.created') beginnings.set(runId, Promise.resolve(line))
    if (line.type === 'run.started' && !beginnings.has(runId)) beginnings.set(runId, createdOf(runId))
    const beginning = beginnings.get(runId)
    // What the engine does between runs belongs to no trace.
    if (!beginning) return undefined
    if (endings.has(line.type)) beginnings.delete(runId)
    told = told.then(async () => {
      const created = await beginning
      if (created) tracing.tracer(line, created)
    })
    return told
  }
  return Object.assign(subscriber, {
    async flush() {
      await told.catch(() => {})
      await tracing.close()
    },
  })
}

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.interrupted'])
