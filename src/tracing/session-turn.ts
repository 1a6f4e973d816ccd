import {
  type Event,
  endsAttempt,
  initialStatus,
  type Payloads,
  type RunStatus,
  reduceStatus,
  traceOf,
  type Usage,
  workedMs,
} from '../events/index.ts'

/** A turn, and the events that it was folded from. */
export interface SessionTurn {
  /** The YAML file has these keys in this order. */
  readonly record: ReturnType<typeof recordOf>
  readonly events: readonly Event[]
}

/**
 * A turn, from its run's log alone: up to its last ending, pause or stop; null before the first. A later part, for instance
 * of a run that crashed, is added when it has reached one.
 */
export function sessionTurn(log: readonly Event[]): SessionTurn | null {
  let [status, settled, length] = [initialStatus, initialStatus, 0]
  log.forEach((event, at) => {
    status = reduceStatus(status, event)
    const isStop = event.type === 'cancel.requested' && status.state === 'cancelled'
    if (endsAttempt(event) || isStop) [settled, length] = [status, at + 1]
  })
  const events = log.slice(0, length)
  const created = events.find((event) => event.type === 'run.created')
  return created ? { record: recordOf(created, events, settled), events } : null
}

function recordOf(created: Event<'run.created'>, events: readonly Event[], status: RunStatus) {
  const { turn, question, afterReset, copiedFrom } = created.payload
  const { state, attempt, modelCalls, costUsd, error } = status
  const approvals = approvalsIn(events)
  return {
    turn,
    runId: created.correlationId,
    status: state,
    /** The number of starts: 1, and one more for each resume. */
    attempts: attempt,
    started: created.timestamp,
    /** The working time of all attempts, without waiting for an approval or a resume. */
    durationMs: workedMs(events),
    model: events.find((event) => event.type === 'run.started')?.payload.model ?? 'unknown',
    input: question,
    modelCalls,
    /** US dollars; null is unknown, never 0. */
    cost: costUsd,
    // The thread was reset before this turn.
    ...(afterReset && { afterReset }),
    // The original run, for a thread that was forked.
    ...(copiedFrom && { copiedFrom }),
    tokens: tokensOf(events),
    toolsCalled: toolCallsIn(events),
    ...(approvals.length > 0 && { approvals }),
    ...outcomeIn(events),
    ...(error && { error }),
    messages: messagesIn(events),
  }
}

function tokensOf(log: readonly Event[]) {
  const usages = log.flatMap((event): Usage[] => {
    if (event.type === 'model.completed') return [event.payload.usage]
    return event.type === 'tool.completed' && event.payload.usage ? [event.payload.usage] : []
  })
  const sum = (of: 'inputTokens' | 'outputTokens') =>
    usages.reduce<number | null>((total, { [of]: tokens }) => {
      return total === null || tokens === null ? null : total + tokens
    }, 0)
  return { input: sum('inputTokens'), output: sum('outputTokens') }
}

/** Characters; the log has the whole results. */
const mostOfResult = 500

function toolCallsIn(log: readonly Event[]) {
  return traceOf(log).flatMap((entry) => {
    if (entry.kind !== 'tool_execution') return []
    const { name, args, callId, status, errorType, durationMs, result } = entry
    const left = result.length - mostOfResult
    const shown = left > 0 ? `${result.slice(0, mostOfResult)} [… ${left} characters left out]` : result
    return [{ name, args, callId, status, errorType, durationMs, result: shown }]
  })
}

function approvalsIn(log: readonly Event[]) {
  const answers = new Map(
    log.flatMap((event): [string, Payloads['approval.resolved']][] =>
      event.type === 'approval.resolved' ? [[event.payload.approvalId, event.payload]] : [],
    ),
  )
  return log.flatMap((event) => {
    if (event.type !== 'approval.requested') return []
    return event.payload.approvals.map(({ id, name, args }) => {
      const { approved = null, reason = null } = answers.get(id) ?? {}
      return { tool: name, args, callId: id, approved, reason }
    })
  })
}

function outcomeIn(log: readonly Event[]) {
  const ended = log.findLast(endsAttempt)
  if (ended?.type !== 'run.completed') return { result: '', confidence: null, citations: [] }
  const { answer, clarification, confidence, citations, calculations, sentences, ending } = ended.payload
  return {
    result: clarification ?? answer,
    confidence,
    citations: citations.map(({ marker, label, quote }) => ({ marker, label, quote })),
    ...(calculations && { calculations }),
    ...(sentences && { sentences }),
    ...(ending && { limit: { limit: ending.limit, value: ending.value } }),
  }
}

function messagesIn(log: readonly Event[]) {
  return log.flatMap((event) => {
    if (event.type !== 'message.completed') return []
    const { role, text, scope, toolCalls = [] } = event.payload
    const named = toolCalls.map(({ name }) => name)
    return [{ role, ...(event.agent && { agent: event.agent }), scope, ...(named[0] && { toolCalls: named }), text }]
  })
}
