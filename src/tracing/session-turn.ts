import {
  type Event,
  endedAt,
  initialStatus,
  type Payloads,
  reduceStatus,
  statusOf,
  traceOf,
  type Usage,
} from '../events/index.ts'

/** One turn of a thread in its session log. The YAML file has these keys in this order. */
export type SessionTurn = NonNullable<ReturnType<typeof sessionTurn>>

/**
 * The part of a run's log that is in a session log: up to its last ending, pause or stop. A later part, for instance of a
 * run that crashed, is added when it has reached one.
 */
export function settledPart(log: readonly Event[]): readonly Event[] {
  let status = initialStatus
  let length = 0
  log.forEach((event, at) => {
    status = reduceStatus(status, event)
    if (endsAttempt(event) || (event.type === 'cancel.requested' && status.state === 'cancelled')) length = at + 1
  })
  return log.slice(0, length)
}

/** A turn, from its run's log alone; null before the first ending, pause or stop. */
export function sessionTurn(log: readonly Event[]) {
  const settled = settledPart(log)
  const created = settled.find((event) => event.type === 'run.created')
  if (created?.type !== 'run.created') return null
  const { state, attempt, modelCalls, costUsd, error } = statusOf(settled)
  const started = settled.find((event) => event.type === 'run.started')
  const { turn, question, afterReset, copiedFrom } = created.payload
  const approvals = approvalsIn(settled)
  return {
    turn,
    runId: created.correlationId,
    status: state,
    /** The number of starts: 1, and one more for each resume. */
    attempts: attempt,
    started: created.timestamp,
    /** The working time of all attempts, without waiting for an approval or a resume. */
    durationMs: workingTime(settled),
    model: started?.type === 'run.started' ? started.payload.model : 'unknown',
    input: question,
    modelCalls,
    /** US dollars; null is unknown, never 0. */
    cost: costUsd,
    // The thread was reset before this turn.
    ...(afterReset && { afterReset }),
    // The original run, for a thread that was forked.
    ...(copiedFrom && { copiedFrom }),
    tokens: tokensOf(settled),
    toolsCalled: toolCallsIn(settled),
    ...(approvals.length > 0 && { approvals }),
    ...outcomeIn(settled),
    ...(error && { error }),
    messages: messagesIn(settled),
  }
}

function endsAttempt({ type }: Event): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.interrupted'
}

function workingTime(log: readonly Event[]): number {
  let began = 0
  return log.reduce((sum, event, at) => {
    if (event.type === 'run.started') began = Date.parse(event.timestamp)
    return endsAttempt(event) ? sum + Date.parse(endedAt(log, at)) - began : sum
  }, 0)
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
