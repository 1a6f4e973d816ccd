import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Event, Payloads } from '../../events/index.ts'
import { endingOf, observationOf } from './observation.ts'
import { type PlannedIds, rootSpanIdOf, spanIdOf, traceIdOf } from './trace-ids.ts'

export interface RunTracerOptions {
  readonly tracer: Tracer
  /** The id generator of the tracer's provider. */
  readonly ids: PlannedIds
}

/** A line of a run's stream. */
export type RunLine = (Event | { readonly type: 'status.changed' }) & { readonly runId: string }

/** Receives every line of every run; its state of a run is dropped when the attempt has ended. */
export type RunTracer = (line: RunLine, created: Event<'run.created'>) => void

/**
 * Turns spans of the log into OpenTelemetry spans: one trace with one root for each run, apart from traces of the host.
 * Session, user and name are on every span, so that no backend has to look them up.
 */
export function runTracer({ tracer, ids }: RunTracerOptions): RunTracer {
  const attempts = new Map<string, AttemptTrace>()
  return (line, created) => {
    const { runId } = line
    if (line.type === 'run.started') {
      attempts.get(runId)?.abandon()
      attempts.set(runId, new AttemptTrace({ tracer, ids }, created))
    }
    const attempt = attempts.get(runId)
    attempt?.receiveDelta(line)
    if (attempt?.isOver) attempts.delete(runId)
  }
}

interface OpenObservation {
  readonly span: Span
  readonly context: SpanContext
  /** The text of a model so far. */
  text: string
  hasBegun: boolean
}

class AttemptTrace {
  isOver = false
  readonly #options: RunTracerOptions
  readonly #created: Event<'run.created'>
  readonly #traceId: string
  readonly #common: Attributes
  readonly #open = new Map<string, OpenObservation>()

  constructor(options: RunTracerOptions, created: Event<'run.created'>) {
    this.#options = options
    this.#created = created
    this.#traceId = traceIdOf(created.correlationId)
    const { threadId, userId, turn } = created.payload
    this.#common = {
      'langfuse.trace.name': 'quaero',
      ...(threadId && { 'session.id': threadId, 'gen_ai.conversation.id': threadId }),
      ...(userId !== undefined && { 'user.id': userId }),
      'langfuse.trace.metadata.runId': created.correlationId,
      'langfuse.trace.metadata.turn': turn,
    }
  }

  receiveDelta(line: RunLine): void {
    if (line.type === 'status.changed') return
    if (line.type.endsWith('.started')) this.#start(line)
    else if (isEnding(line)) this.#end(line)
    else this.#note(line)
  }

  /** Ends open spans, innermost first, when the run itself cannot. */
  abandon(): void {
    for (const { span } of [...this.#open.values()].reverse()) span.end()
    this.#open.clear()
    this.isOver = true
  }

  #start(event: Event): void {
    const isRoot = event.type === 'run.started'
    const { name, attributes } = observationOf(event)
    const parent = this.#open.get(event.causationId ?? '')
    if (!isRoot && !parent) return
    const { tracer, ids } = this.#options
    const spanId = isRoot ? rootSpanIdOf(event.correlationId) : spanIdOf(event.id)
    ids.plan(this.#traceId, spanId)
    const span = tracer.startSpan(
      name,
      {
        // The root of every attempt begins with the question.
        startTime: new Date(isRoot ? this.#created.timestamp : event.timestamp),
        attributes: { ...this.#common, ...attributes, ...(isRoot && { 'langfuse.trace.tags': tags }) },
      },
      // Not the caller's context: a run has its own trace.
      parent ? trace.setSpanContext(ROOT_CONTEXT, parent.context) : ROOT_CONTEXT,
    )
    const context = { traceId: this.#traceId, spanId, traceFlags: TraceFlags.SAMPLED }
    this.#open.set(event.id, { span, context, text: '', hasBegun: false })
  }

  #end(event: Event): void {
    const id = event.causationId ?? ''
    const open = this.#open.get(id)
    if (!open) return
    const { attributes, status } = endingOf(event)
    open.span.setAttributes(attributes)
    if (event.type === 'model.completed') open.span.setAttributes(written(open.text, event.payload))
    if (status) open.span.setStatus(status)
    open.span.end(new Date(event.timestamp))
    this.#open.delete(id)
    if (event.type.startsWith('run.')) this.abandon()
  }

  #note(event: Event): void {
    const open = this.#open.get(event.causationId ?? '')
    if (!open) return
    const at = new Date(event.timestamp)
    if (event.type === 'message.delta') addText(open, event)
    else if (event.type === 'model.prompted') {
      open.span.setAttribute('langfuse.observation.input', JSON.stringify(event.payload.messages))
    } else if (event.type === 'model.retried' || event.type === 'notice') {
      const { code, message } = event.payload
      // Text before a retry is not part of the reply.
      if (event.type === 'model.retried') open.text = ''
      open.span.addEvent(event.type, { code, message }, at)
    } else if (event.type === 'model.trimmed') {
      const { message, from, to } = event.payload
      open.text = ''
      open.span.addEvent(event.type, { message, from, to }, at)
    } else if (event.type === 'approval.requested') {
      open.span.addEvent(event.type, { calls: event.payload.approvals.map(({ name }) => name) }, at)
    }
  }
}

const tags = ['quaero']

function addText(open: OpenObservation, { payload, timestamp }: Event<'message.delta'>): void {
  open.text += payload.text
  if (open.hasBegun) return
  open.hasBegun = true
  // Langfuse reads this attribute as JSON.
  open.span.setAttribute('langfuse.observation.completion_start_time', JSON.stringify(timestamp))
}

function written(text: string, { toolCalls }: Payloads['model.completed']): Attributes {
  const calls = toolCalls.map(({ id, name, args }) => ({ id, name, args }))
  const message = { role: 'assistant', content: text, ...(calls.length > 0 && { toolCalls: calls }) }
  return { 'langfuse.observation.output': JSON.stringify(message) }
}

function isEnding({ type }: Event): boolean {
  return /^(?:bootstrap|ingest|run|agent|model|round|tool|shutdown)\.(?:completed|failed|interrupted)$/.test(type)
}
