import { type Event, endsAttempt, type StreamEvent, type Subscriber } from '../../events/index.ts'
import type { RunLine, Tracing } from './run-tracer.ts'

type Log = readonly Event[]

/** Passes the lines of runs to a tracer. `logOf` reads the log of a run that an earlier attempt began. */
export function traceSubscriber(
  tracing: Pick<Tracing, 'tracer' | 'close'>,
  logOf: (runId: string) => Promise<Log>,
): Subscriber {
  const created = new Map<string, Event<'run.created'>>()
  const atWork = new Set<string>()
  const isRead = lineFilter()
  let traced: Promise<void> = Promise.resolve()
  // A log that cannot be read costs the trace of its run only.
  const pass = (line: RunLine, log?: Promise<Log>) => {
    traced = traced.then(async () => tracing.tracer(line, await log)).catch(() => {})
  }
  const start = (line: RunLine) => {
    const { runId } = line
    const first = created.get(runId)
    created.delete(runId)
    atWork.add(runId)
    pass(line, first ? Promise.resolve([first]) : logOf(runId))
  }
  const follow = (line: StreamEvent) => {
    if (isRead(line)) pass(line)
    if (endsAttempt(line)) atWork.delete(line.runId)
  }
  const subscriber: Subscriber = (line) => {
    const { runId, type } = line
    if (type === 'run.created') created.set(runId, line)
    else if (type === 'run.started') start(line)
    else if (atWork.has(runId)) follow(line)
    else if (type === 'cancel.requested') pass(line, logOf(runId))
    else if (type.startsWith('group.')) pass(line)
  }
  return Object.assign(subscriber, {
    async flush() {
      await traced
      await tracing.close()
    },
  })
}

const unread: ReadonlySet<string> = new Set(['status.changed', 'message.created', 'prompts.chosen'])

/** Of the pieces of a message, traces need the first one only, for its time. */
function lineFilter(): (line: StreamEvent) => boolean {
  const begun = new Set<string>()
  return ({ type, payload }) => {
    if (type === 'message.completed') begun.delete(payload.messageId)
    if (type !== 'message.delta') return !unread.has(type)
    const isFirst = !begun.has(payload.messageId)
    begun.add(payload.messageId)
    return isFirst
  }
}
