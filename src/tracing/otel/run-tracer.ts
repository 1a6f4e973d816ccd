import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Event } from '../../events/index.ts'
import { endsSpan, OpenSpans } from '../open-spans.ts'
import { endingOf, type Inside, interruption, isAtLimit } from './ending.ts'
import { groupTracer } from './group-tracer.ts'
import { type PlannedIds, rootSpanIdOf, spanIdOf, tracePlaceOf } from './trace-ids.ts'
import {
  level,
  observation,
  promptAttributes,
  replyAttributes,
  statusMessage,
  type TracedWork,
  tracedWorkOf,
} from './traced-work.ts'

export interface RunTracerOptions {
  readonly tracer: Tracer
  /** The id generator of the tracer's provider. */
  readonly ids: PlannedIds
  /** Attributes of every span. */
  readonly everywhere: Attributes
}

/** A line of a run's stream. */
export type RunLine = (Event | { readonly type: 'status.changed' }) & { readonly runId: string }

/**
 * Receives the lines of all runs. `log` is the run's log, which begins with `run.created`: it is given with
 * `run.started`, and with the cancel of a run that nobody works on.
 */
export type RunTracer = (line: RunLine, log?: readonly Event[]) => void

export interface Tracing {
  readonly tracer: RunTracer
  /** Sends waiting spans. Resolves within 2.5 seconds, and never rejects. */
  flush(): Promise<void>
  /** The same, and aborts requests in progress. Flush and close together take at most three seconds. */
  close(): Promise<void>
}

/** Where the program runs, its release, and the version of this package. */
export interface TraceLabels {
  readonly environment: string | null
  readonly release: string | null
  readonly version: string | null
}

export interface OtlpBackend {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Turns spans of the log into OpenTelemetry spans: one trace with one root for each run, apart from traces of the host;
 * or, of a run with a `traceParent`, in that trace.
 * Session, user, name and tags are on every span, so that no backend has to look them up.
 */
export function runTracer(options: RunTracerOptions): RunTracer {
  const attempts = new Map<string, AttemptTrace>()
  const traceGroup = groupTracer(options)
  return (line, log = []) => {
    traceGroup(line)
    const { runId } = line
    if (line.type === 'run.started') {
      attempts.get(runId)?.abandon()
      attempts.set(runId, new AttemptTrace(options, before(line, log)))
    }
    const attempt = attempts.get(runId)
    if (!attempt && line.type === 'cancel.requested') cancelled(line, log, options)
    if (line.type !== 'status.changed') attempt?.receive(line)
    if (attempt?.isOver) attempts.delete(runId)
  }
}

/** The log may have been read when it was longer already. */
function before({ id }: Event, log: readonly Event[]): readonly Event[] {
  const at = log.findIndex((event) => event.id === id)
  return at < 0 ? log : log.slice(0, at)
}

/** Sends the root of a run once more that was cancelled while it waited: it has its id and its start already. */
function cancelled({ timestamp }: Event, log: readonly Event[], options: RunTracerOptions): void {
  const started = log.findLast((event) => event.type === 'run.started')
  if (!started || log.some(({ type }) => type === 'run.completed' || type === 'run.failed')) return
  const root = new AttemptTrace(options, log)
  root.receive(started)
  root.endCancelled(timestamp)
}

interface Work extends TracedWork {
  readonly event: Event
  readonly parent: Work | null
  readonly context: SpanContext
  readonly inside: Inside
  /** Begun when the first of it is to be sent: a call that a limit forbids is none. */
  span: Span | null
  /** The message whose first piece has come. */
  messageId: string | null
}

/** The end of a stored result, where a round lists its results. Characters. */
const longestResult = 200

class AttemptTrace {
  isOver = false
  readonly #options: RunTracerOptions
  readonly #created: Event<'run.created'> | undefined
  readonly #log: readonly Event[]
  readonly #traceId: string
  /** Around the run: of a caller's trace, or one that several runs share. */
  readonly #outer: SpanContext | null
  readonly #common: Attributes
  readonly #spans = new OpenSpans<Work>((event, parent) => this.#start(event, parent ?? null))
  #root: Work | null = null
  #question: string
  /** Agents of the graph that have finished. */
  #finished = 0

  constructor(options: RunTracerOptions, log: readonly Event[]) {
    this.#options = options
    this.#log = log
    this.#created = log.find((event) => event.type === 'run.created')
    const { correlationId = '', payload } = this.#created ?? {}
    const { traceId, parentSpanId: spanId } = tracePlaceOf(correlationId, payload?.traceParent)
    this.#traceId = traceId
    this.#outer = spanId === undefined ? null : { traceId, spanId, traceFlags: TraceFlags.SAMPLED }
    this.#question = payload?.question ?? ''
    const { threadId, userId, turn = 1, traceAttributes } = payload ?? {}
    this.#common = {
      ...options.everywhere,
      'langfuse.trace.name': 'quaero',
      'langfuse.trace.tags': ['quaero'],
      ...(threadId && { 'session.id': threadId, 'gen_ai.conversation.id': threadId }),
      ...(userId !== undefined && { 'user.id': userId }),
      'langfuse.trace.metadata.runId': correlationId,
      'langfuse.trace.metadata.turn': turn,
      ...traceAttributes,
    }
    const earlier = new OpenSpans<Earlier>(({ type }, parent) => ({ type, parent: parent?.type }))
    for (const event of log) {
      const span = earlier.receive(event)
      if (event.type === 'agent.completed' && span?.parent === 'run.started') this.#finishAgent(event)
    }
  }

  receive(event: Event): void {
    const work = this.#spans.receive(event)
    if (event.type.endsWith('.started')) return
    if (!endsSpan(event)) this.#note(event, work ?? this.#root)
    else if (work) this.#end(event, work)
  }

  /** Ends open spans, innermost first, when the run itself cannot. */
  abandon(): void {
    for (const { span } of this.#spans.abandon()) span?.end()
    this.isOver = true
  }

  endCancelled(timestamp: string): void {
    if (this.#root) this.#begun(this.#root).setAttributes(interruption('cancelled', true))
    this.#root?.span?.end(new Date(timestamp))
  }

  #start(event: Event, parent: Work | null): Work | undefined {
    const isRoot = event.type === 'run.started'
    if (!isRoot && !parent) return undefined
    const isInGraph = event.type === 'agent.started' && parent === this.#root
    const { agent, type } = event
    const facts = { agent, question: this.#question, step: isInGraph ? this.#finished + 1 : null }
    const work: Work = {
      ...(tracedWorkOf(event, facts) ?? observation('chain', type.split('.')[0] ?? type)),
      event,
      parent,
      context: {
        traceId: this.#traceId,
        spanId: isRoot ? rootSpanIdOf(event.correlationId) : spanIdOf(event.id),
        traceFlags: TraceFlags.SAMPLED,
      },
      inside: { words: null, message: null, calls: [] },
      span: null,
      messageId: null,
    }
    if (isRoot) this.#root = work
    // A hook may forbid a model call before it is made.
    if (event.type !== 'model.started') this.#begun(work)
    if (isRoot) this.#answers(work)
    return work
  }

  /** The person's answers since the last pause, which came while no attempt was at work. */
  #answers(root: Work): void {
    const pause = this.#log.findLastIndex(({ type }) => type === 'run.interrupted')
    if (pause < 0) return
    for (const event of this.#log.slice(pause)) if (event.type === 'approval.resolved') this.#note(event, root)
  }

  /** The span of the work; it begins with its parents. */
  #begun(work: Work): Span {
    const { event, parent, context } = work
    if (parent) this.#begun(parent)
    // The root of every attempt begins with the question.
    const at = parent ? event.timestamp : (this.#created ?? event).timestamp
    work.span ??= this.#startSpan(work, context.spanId, at, parent)
    return work.span
  }

  #startSpan({ name, attributes }: TracedWork, spanId: string, at: string, parent: Work | null): Span {
    const { tracer, ids } = this.#options
    ids.plan(this.#traceId, spanId)
    const options = { startTime: new Date(at), attributes: this.#own({ ...this.#common, ...attributes }) }
    // Not the caller's context: a run has its own trace, or that which it was given.
    const around = parent?.context ?? this.#outer
    const within = around ? trace.setSpanContext(ROOT_CONTEXT, around) : ROOT_CONTEXT
    return tracer.startSpan(name, options, within)
  }

  /** What is said of a whole trace is not for one of its runs to say. */
  #own(attributes: Attributes): Attributes {
    if (!this.#outer) return attributes
    return Object.fromEntries(Object.entries(attributes).filter(([name]) => !ofTrace.test(name)))
  }

  #end(event: Event, work: Work): void {
    if (isAtLimit(event) && !work.span) {
      // The call was never made.
      const text = { [level]: 'WARNING', [statusMessage]: event.payload.message }
      this.#send(work.parent, event, observation('event', 'limit reached', text))
    } else {
      const attributes = this.#own(endingOf(event, work.inside))
      const span = this.#begun(work)
      span.setAttributes(attributes)
      const message = String(attributes[statusMessage])
      if (attributes[level] === 'ERROR') span.setStatus({ code: SpanStatusCode.ERROR, message })
      span.end(new Date(event.timestamp))
    }
    this.#gather(event, work)
    if (event.type.startsWith('run.')) this.abandon()
  }

  /** Keeps what the spans around this one report as their output. */
  #gather(event: Event, { event: started, parent }: Work): void {
    if (event.type === 'agent.completed' && parent === this.#root) this.#finishAgent(event)
    if (started.type !== 'tool.started') return
    const { tool: name, args } = started.payload
    const text = 'content' in event.payload ? event.payload.content : event.type
    const status = 'status' in event.payload ? event.payload.status : (event.type.split('.')[1] ?? '')
    const result = text.length > longestResult ? `${text.slice(0, longestResult)}…` : text
    for (const work of [parent, agentOf(parent)]) work?.inside.calls.push({ name, args, status, result })
  }

  #finishAgent({ payload }: Event<'agent.completed'>): void {
    this.#finished += 1
    this.#question = payload.standaloneQuestion ?? this.#question
  }

  #note(event: Event, work: Work | null): void {
    if (!work) return
    if (event.type === 'message.delta') this.#time(event, work)
    else if (event.type === 'message.completed') this.#complete(event, work)
    else if (event.type === 'model.replied') this.#reply(event, work)
    else if (event.type === 'model.prompted') {
      work.messageId = null
      this.#begun(work).setAttributes(promptAttributes(event.payload))
    } else {
      const fact = tracedWorkOf(event, { question: this.#question, step: null })
      if (fact) this.#send(work, event, fact)
    }
  }

  #reply({ payload }: Event<'model.replied'>, work: Work): void {
    this.#begun(work).setAttributes(replyAttributes(payload))
    work.inside.words = payload.text
    const agent = agentOf(work)
    const isHooks = work.event.type === 'model.started' && work.event.payload.askedBy
    if (agent && !isHooks && payload.text.trim() !== '') agent.inside.words = payload.text
  }

  #complete({ payload: { text, scope, superseded } }: Event<'message.completed'>, work: Work): void {
    if (work.event.type === 'agent.started' && scope === 'thread') work.inside.message = text
    // The beginning of a reply that broke off: all there is of it.
    const isBeginning = work.event.type === 'model.started' && superseded && work.inside.words === null
    if (isBeginning && text !== '') this.#begun(work).setAttributes(replyAttributes({ text, toolCalls: [] }))
  }

  /** Langfuse reads the time of the first token as JSON. */
  #time({ payload, timestamp }: Event<'message.delta'>, work: Work): void {
    if (work.messageId === payload.messageId) return
    work.messageId = payload.messageId
    this.#begun(work).setAttribute('langfuse.observation.completion_start_time', JSON.stringify(timestamp))
  }

  /** Sends an EVENT: a span without duration. */
  #send(parent: Work | null, { id, timestamp }: Event, event: TracedWork): void {
    if (parent) this.#begun(parent)
    this.#startSpan(event, spanIdOf(id), timestamp, parent).end(new Date(timestamp))
  }
}

const ofTrace = /^langfuse\.trace\.(?:input|output|metadata)/

/** A span of an earlier attempt: what started it, and the span around it. */
interface Earlier {
  readonly type: Event['type']
  readonly parent: Event['type'] | undefined
}

function agentOf(work: Work | null): Work | null {
  return !work || work.event.type === 'agent.started' ? work : agentOf(work.parent)
}
