import { keysOf } from '../options.ts'
import { type EventType, type Payloads, payloads, type SpanKind, spanKinds } from './catalogue.ts'
import type { Event } from './event.ts'
import type { PendingToolCall, Usage } from './values.ts'

/** `RunResult.status` uses the same words. */
export const runStates = [
  'queued',
  'running',
  'requires_action',
  'cancelling',
  'cancelled',
  'interrupted',
  'completed',
  'clarification_needed',
  'limit_reached',
  'failed',
] as const
export type RunState = (typeof runStates)[number]

/** A span that has started and not ended. */
export interface OpenSpan {
  readonly id: string
  readonly kind: SpanKind
}

/** The status of a run, derived from its events and nothing else. */
export interface RunStatus {
  readonly state: RunState
  /** How often the run has been started: 1, and one more for each resume. */
  readonly attempt: number
  /** Open spans, outermost first: the last one is what is happening at this moment. */
  readonly activity: readonly OpenSpan[]
  readonly modelCalls: number
  readonly rounds: number
  readonly toolCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; null once a call's cost is unknown. */
  readonly costUsd: number | null
  readonly contextPercent: number | null
  readonly pendingApprovals: readonly PendingToolCall[]
  readonly startedAt: string | null
  readonly endedAt: string | null
  /** Code and message of what ended the run, if it failed. */
  readonly error: { readonly code: string; readonly message: string } | null
}

export const initialStatus: RunStatus = Object.freeze({
  state: 'queued',
  attempt: 0,
  activity: Object.freeze([]),
  modelCalls: 0,
  rounds: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  contextPercent: null,
  pendingApprovals: Object.freeze([]),
  startedAt: null,
  endedAt: null,
  error: null,
})

const endedStates: ReadonlySet<RunState> = new Set([
  'completed',
  'clarification_needed',
  'limit_reached',
  'failed',
  'cancelled',
])

/** True when the run has ended for good; false while it runs or can be resumed. */
export function hasEnded(state: RunState): boolean {
  return endedStates.has(state)
}

/** The status after all of these events, from the beginning or from an earlier status. */
export function statusOf(events: Iterable<Event>, from: RunStatus = initialStatus): RunStatus {
  let status = from
  for (const event of events) status = reduceStatus(status, event)
  return status
}

/** The next status after one more event. What arrives after the run's own ending changes nothing. */
export function reduceStatus(status: RunStatus, event: Event): RunStatus {
  // An attempt that began while the run was being cancelled began too late.
  if (hasEnded(status.state) && event.type === 'run.started') return status
  if (status.activity.length === 0 && status.attempt > 0 && !betweenAttempts.has(event.type)) return status
  return { ...status, activity: nextActivity(status.activity, event), ...changeOf(changes, status, event) }
}

/** Events that count while no attempt is at work. */
const betweenAttempts: ReadonlySet<string> = new Set([
  'run.created',
  'run.started',
  'approval.resolved',
  'cancel.requested',
])

/** An event without its type and payload. */
export type Moment = Pick<Event, 'id' | 'causationId' | 'timestamp'>

/** How each type of event changes a status. */
export type Changes<Status> = {
  readonly [T in EventType]?: (status: Status, payload: Payloads[T], event: Moment) => Partial<Status>
}

/** The change that an event makes to a status; undefined for none. */
export function changeOf<Status, T extends EventType>(
  changes: Changes<Status>,
  status: Status,
  event: Event<T>,
): Partial<Status> | undefined {
  const change = changes[event.type]
  return change?.(status, event.payload, event)
}

/** What a run is after it was interrupted. */
export const stateAfterInterruption = {
  approval: 'requires_action',
  cancelled: 'cancelled',
  shutdown: 'interrupted',
  crashed: 'interrupted',
} as const

const changes: Changes<RunStatus> = {
  'run.created': (_, __, { timestamp }) => ({ startedAt: timestamp }),
  'run.started': (_, { attempt }) => ({ state: 'running', attempt, endedAt: null, error: null }),
  'run.completed': (_, { stopReason, error }, { timestamp }) => ({
    state: stopReason === 'answered' ? 'completed' : stopReason,
    endedAt: timestamp,
    error,
  }),
  'run.failed': (_, { code, message }, { timestamp }) => ({
    state: 'failed',
    endedAt: timestamp,
    error: { code, message },
  }),
  'run.interrupted': (_, { reason }, { timestamp }) => ({ state: stateAfterInterruption[reason], endedAt: timestamp }),
  'cancel.requested': ({ state, activity }) =>
    activity.length > 0 ? { state: 'cancelling' } : hasEnded(state) ? {} : { state: 'cancelled' },
  'model.completed': (status, { usage, contextPercent, askedBy }) => ({
    ...spend(status, usage),
    modelCalls: status.modelCalls + 1,
    // A hook's own call does not fill the agents' conversation.
    ...(!askedBy && { contextPercent }),
  }),
  // A call that a limit forbade was never made.
  'model.failed': (status, { code }) => (code === 'limit_reached' ? {} : { modelCalls: status.modelCalls + 1 }),
  'round.started': (status, { again }) => (again ? {} : { rounds: status.rounds + 1 }),
  'tool.started': (status) => ({ toolCalls: status.toolCalls + 1 }),
  // A call that pauses for an approval of what it asks for itself is begun again, and is still one call.
  'tool.interrupted': ({ toolCalls }, { reason }) => (reason === 'approval' ? { toolCalls: toolCalls - 1 } : {}),
  'tool.completed': (status, { usage }) => (usage ? spend(status, usage) : {}),
  'approval.requested': (status, { approvals }) => ({ pendingApprovals: [...status.pendingApprovals, ...approvals] }),
  'approval.resolved': (status, { approvalId }) => ({
    pendingApprovals: status.pendingApprovals.filter(({ id }) => id !== approvalId),
  }),
}

/** Events of other types change no status. */
export const statusTypes: readonly EventType[] = keysOf(payloads).filter(
  (type) => type in changes || spanKinds.some((kind) => type.startsWith(`${kind}.`)),
)

function spend(status: RunStatus, { inputTokens, outputTokens, costUsd }: Usage): Partial<RunStatus> {
  return {
    inputTokens: status.inputTokens + (inputTokens ?? 0),
    outputTokens: status.outputTokens + (outputTokens ?? 0),
    costUsd: status.costUsd === null || costUsd === null ? null : status.costUsd + costUsd,
  }
}

function nextActivity(activity: RunStatus['activity'], event: Event): RunStatus['activity'] {
  const [name, verb = ''] = event.type.split('.')
  // `message.completed` is a fact, and ends nothing.
  const kind = spanKinds.find((each) => each === name)
  if (!kind) return activity
  if (verb === 'started') return [...(kind === 'run' ? [] : activity), { id: event.id, kind }]
  if (!endingVerbs.has(verb)) return activity
  return kind === 'run' ? [] : activity.filter(({ id }) => id !== event.causationId)
}

const endingVerbs: ReadonlySet<string> = new Set(['completed', 'failed', 'interrupted'])
