import {
  type Event,
  endedAt,
  initialStatus,
  type Payloads,
  type RunState,
  reduceStatus,
  statusOf,
  traceOf,
  type Usage,
} from '../events/index.ts'

/** One turn of a thread as its session log tells it: what was asked, done, spent and said. */
export interface SessionTurn {
  readonly turn: number
  readonly runId: string
  readonly status: RunState
  /** How often the run was started: 1, and one more for each resume. */
  readonly attempts: number
  /** True where the thread was reset before this turn: the conversation begins here. */
  readonly afresh: boolean
  /** The run that this one is a copy of, for a thread that was forked. */
  readonly copiedFrom: { readonly threadId: string; readonly runId: string } | null
  /** ISO 8601. */
  readonly started: string
  /** At work, all attempts together; waiting for an approval, or to be resumed, is not counted. */
  readonly durationMs: number
  readonly model: string
  readonly input: string
  readonly modelCalls: number
  /** null once a call did not say. */
  readonly tokens: { readonly input: number | null; readonly output: number | null }
  /** US dollars; null is unknown, never 0. */
  readonly cost: number | null
  readonly toolsCalled: readonly SessionToolCall[]
  readonly approvals: readonly SessionApproval[]
  /** The answer, or the question that was asked back; empty if the run came to neither. */
  readonly result: string
  readonly confidence: number | null
  readonly citations: readonly { readonly marker: number; readonly label: string; readonly quote: string }[]
  readonly limit: { readonly limit: string; readonly value: number } | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** What was said, the agents' notes among it, in order. */
  readonly messages: readonly SessionMessage[]
}

export interface SessionToolCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly callId: string
  readonly status: string
  readonly errorType: string | null
  readonly durationMs: number
  /** The beginning of it. */
  readonly result: string
}

export interface SessionApproval {
  readonly callId: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** null while nobody has answered. */
  readonly approved: boolean | null
  readonly reason: string | null
}

export interface SessionMessage {
  readonly role: string
  readonly agent: string | null
  readonly text: string
  /** Names of the tools it asks for. */
  readonly toolCalls: readonly string[]
  /** Said in the conversation, or an agent's own notes. */
  readonly scope: 'thread' | 'scratch'
}

/**
 * The part of a run's log that stands in a session log: up to its last ending, pause or stop. What goes on, or was
 * broken off by a crash and not yet resumed, is added when it has come to one.
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

/** A turn, from its run's log and nothing else; null for a run that has not come to an ending, pause or stop. */
export function sessionTurn(log: readonly Event[]): SessionTurn | null {
  const settled = settledPart(log)
  const created = settled.find((event) => event.type === 'run.created')
  if (created?.type !== 'run.created') return null
  const { state, attempt, modelCalls, costUsd, error } = statusOf(settled)
  const started = settled.find((event) => event.type === 'run.started')
  const { turn, question, afresh = false, copiedFrom = null } = created.payload
  return {
    turn,
    runId: created.correlationId,
    status: state,
    attempts: attempt,
    afresh,
    copiedFrom,
    started: created.timestamp,
    durationMs: timeAtWork(settled),
    model: started?.type === 'run.started' ? started.payload.model : 'unknown',
    input: question,
    modelCalls,
    tokens: tokensOf(settled),
    cost: costUsd,
    toolsCalled: toolCallsIn(settled),
    approvals: approvalsIn(settled),
    ...outcomeIn(settled),
    error,
    messages: messagesIn(settled),
  }
}

function endsAttempt({ type }: Event): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.interrupted'
}

function timeAtWork(log: readonly Event[]): number {
  let began = 0
  return log.reduce((sum, event, at) => {
    if (event.type === 'run.started') began = Date.parse(event.timestamp)
    return endsAttempt(event) ? sum + Date.parse(endedAt(log, at)) - began : sum
  }, 0)
}

function tokensOf(log: readonly Event[]): SessionTurn['tokens'] {
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

/** Longer results are cut: the log itself has them whole. */
const mostOfResult = 500

function toolCallsIn(log: readonly Event[]): readonly SessionToolCall[] {
  return traceOf(log).flatMap((entry) => {
    if (entry.kind !== 'tool_execution') return []
    const { name, args, callId, status, errorType, durationMs, result } = entry
    const left = result.length - mostOfResult
    const shown = left > 0 ? `${result.slice(0, mostOfResult)} [… ${left} characters left out]` : result
    return [{ name, args, callId, status, errorType, durationMs, result: shown }]
  })
}

function approvalsIn(log: readonly Event[]): readonly SessionApproval[] {
  const answers = new Map(
    log.flatMap((event): [string, Payloads['approval.resolved']][] =>
      event.type === 'approval.resolved' ? [[event.payload.approvalId, event.payload]] : [],
    ),
  )
  return log.flatMap((event) => {
    if (event.type !== 'approval.requested') return []
    return event.payload.approvals.map(({ id, name, args }) => {
      const { approved = null, reason = null } = answers.get(id) ?? {}
      return { callId: id, tool: name, args, approved, reason }
    })
  })
}

function outcomeIn(log: readonly Event[]): Pick<SessionTurn, 'result' | 'confidence' | 'citations' | 'limit'> {
  const ended = log.findLast(endsAttempt)
  if (ended?.type !== 'run.completed') return { result: '', confidence: null, citations: [], limit: null }
  const { answer, clarification, confidence, citations, ending } = ended.payload
  return {
    result: clarification ?? answer,
    confidence,
    citations: citations.map(({ marker, label, quote }) => ({ marker, label, quote })),
    limit: ending && { limit: ending.limit, value: ending.value },
  }
}

function messagesIn(log: readonly Event[]): readonly SessionMessage[] {
  return log.flatMap((event) => {
    if (event.type !== 'message.completed') return []
    const { role, text, scope, toolCalls = [] } = event.payload
    return [{ role, agent: event.agent ?? null, scope, text, toolCalls: toolCalls.map(({ name }) => name) }]
  })
}
