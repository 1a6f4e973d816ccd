import { type Attributes, ROOT_CONTEXT, type Span } from '@opentelemetry/api'
import type { RunLine, RunTracerOptions } from './run-tracer.ts'
import { rootSpanIdOf, traceIdOf } from './trace-ids.ts'
import { level, metadata, observation, output } from './traced-work.ts'

/**
 * The root that the runs of a table, a report or an audit are below. It is open while they are at work, or Langfuse would take
 * each of them for a root. Tokens and costs are those of the spans below, which a backend adds up.
 */
export function groupTracer({ tracer, ids, everywhere }: RunTracerOptions): (line: RunLine) => void {
  const open = new Map<string, Span>()
  return (line) => {
    if (line.type === 'group.begun') {
      const { correlationId: id, timestamp, payload } = line
      const { kind, name, traceParent: _, ...size } = payload
      const { attributes } = observation('chain', kind, {
        ...everywhere,
        ...{ 'langfuse.trace.name': 'quaero', 'langfuse.trace.tags': ['quaero'], 'session.id': id },
        ...{ 'langfuse.observation.input': name, 'langfuse.trace.input': name },
        ...described(size),
      })
      ids.plan(traceIdOf(id), rootSpanIdOf(id))
      open.set(id, tracer.startSpan(kind, { startTime: new Date(timestamp), attributes }, ROOT_CONTEXT))
    } else if (line.type === 'group.ended') {
      const { state, counts, usage } = line.payload
      const said = JSON.stringify(counts)
      const span = open.get(line.correlationId)
      span?.setAttributes({ [output]: said, 'langfuse.trace.output': said, ...described({ state, ...usage }) })
      if (state !== 'completed') span?.setAttribute(level, state === 'failed' ? 'ERROR' : 'WARNING')
      span?.end(new Date(line.timestamp))
      open.delete(line.correlationId)
    }
  }
}

function described(details: Readonly<Record<string, string | number | null | undefined>>): Attributes {
  const known = Object.entries(details).flatMap(([name, value]) =>
    value == null ? [] : [[`${metadata}.${name}`, value]],
  )
  return Object.fromEntries(known)
}
