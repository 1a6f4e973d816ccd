import { type InterruptionReason, interruptionReason, type Payloads } from './catalogue.ts'
import type { Event } from './event.ts'
import type { StreamEvent } from './subscriber.ts'
import type { PendingToolCall, Usage } from './values.ts'

interface Entry {
  /** Counts from 1 within the thread. */
  readonly turn: number
  /** The number of the agent's work in this turn, from 1; 0 before the first. */
  readonly iteration: number
  /** When it began. ISO 8601. */
  readonly timestamp: string
}

export interface UserInputEntry extends Entry {
  readonly kind: 'user_input'
  readonly text: string
}

export interface ModelCallEntry extends Entry {
  readonly kind: 'model_call'
  readonly agent: string | null
  readonly model: string
  readonly durationMs: number
  readonly toolCalls: readonly PendingToolCall[]
  /** null where the call failed or was cut short. */
  readonly usage: Usage | null
  /** The error's code; for a call that was cut short, the reason: `cancelled`, `shutdown` or `crashed`. */
  readonly error: string | null
}

export interface ToolExecutionEntry extends Entry {
  readonly kind: 'tool_execution'
  readonly agent: string | null
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly callId: string
  /** What the model read; for a failure, its message. */
  readonly result: string
  readonly status: Payloads['tool.completed']['status']
  /** The error's code; for a call that was cut short, the reason. */
  readonly errorType: string | null
  /** Without the time to approve it. */
  readonly durationMs: number
}

export type TraceEntry = UserInputEntry | ModelCallEntry | ToolExecutionEntry

/** The finished calls of a run in the order in which they ended, from its log alone. */
export function traceOf(log: readonly Event[]): readonly TraceEntry[] {
  const byId = new Map(log.map((event) => [event.id, event]))
  const turn = log.find((event) => event.type === 'run.created')?.payload.turn ?? 1
  return log.flatMap((event, at): TraceEntry[] => {
    if (event.type === 'run.created') {
      return [{ kind: 'user_input', turn, iteration: 0, timestamp: event.timestamp, text: event.payload.question }]
    }
    const started = byId.get(event.causationId ?? '')
    if (!started) return []
    const base = {
      turn,
      iteration: iterationOf(started, byId),
      timestamp: started.timestamp,
      durationMs: Date.parse(endedAt(log, at)) - Date.parse(started.timestamp),
      agent: started.agent ?? null,
    }
    if (started.type === 'model.started') return modelCall(started, event, base)
    return started.type === 'tool.started' ? toolExecution(started, event, base) : []
  })
}

/** One line for each entry; texts are shortened to `most` characters. */
export function formatTrace(trace: readonly TraceEntry[], most = 120): string {
  return trace.map((entry) => `${entry.turn}.${entry.iteration} ${formatEntry(entry, most)}`).join('\n')
}

function formatEntry(entry: TraceEntry, most: number): string {
  const short = (text: string) => {
    const line = text.replace(/\s+/g, ' ').trim()
    return line.length > most ? `${line.slice(0, most - 1)}…` : line
  }
  if (entry.kind === 'user_input') return `asked: ${short(entry.text)}`
  const { agent, durationMs } = entry
  const who = `${agent ?? 'nobody'},`
  if (entry.kind === 'model_call') {
    const calls = entry.toolCalls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`)
    const outcome = entry.error ? `failed: ${entry.error}` : short(calls.join(', ')) || 'words'
    return `${who} model ${entry.model}, ${durationMs} ms: ${outcome}`
  }
  const outcome = entry.status === 'success' ? '' : `${entry.status}: `
  return `${who} tool ${entry.name} ${short(JSON.stringify(entry.args))}, ${durationMs} ms: ${outcome}${short(entry.result)}`
}

/** The time at which a span ended. A crash is logged by the next attempt: the last event before it counts instead. */
function endedAt(log: readonly Event[], at: number): string {
  let last = at
  while (last > 0 && reasonOf(log[last]) === 'crashed') last -= 1
  return log[last]?.timestamp ?? ''
}

/** How long a run was worked on so far: from the start of each attempt to its last event. Milliseconds. */
export function workedMs(log: readonly Event[]): number {
  let worked = 0
  let began: number | null = null
  let latest = 0
  for (const event of log) {
    const at = Date.parse(event.timestamp)
    if (event.type === 'run.started') began = latest = at
    if (began === null) continue
    // The ending of a crashed attempt is written by the next one, perhaps days later.
    const isLate = 'reason' in event.payload && event.payload.reason === 'crashed'
    if (!isLate) latest = Math.max(latest, at)
    if (!endsAttempt(event)) continue
    worked += latest - began
    began = null
  }
  return worked + (began === null ? 0 : latest - began)
}

/** True for the ending, the pause or the stop of an attempt. */
export function endsAttempt({ type }: Pick<StreamEvent, 'type'>): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.interrupted'
}

/** Why a span was cut short; null if it was not. */
function reasonOf(event: Event | undefined): InterruptionReason | null {
  if (!event?.type.endsWith('.interrupted') || !('reason' in event.payload)) return null
  return interruptionReason.safeParse(event.payload.reason).data ?? null
}

type Base = Entry & { readonly durationMs: number; readonly agent: string | null }

function modelCall({ payload: { model } }: Event<'model.started'>, ended: Event, base: Base): ModelCallEntry[] {
  const call = { kind: 'model_call', ...base, model } as const
  if (ended.type === 'model.completed') {
    const { toolCalls, usage } = ended.payload
    return [{ ...call, toolCalls, usage, error: null }]
  }
  const failure = failureOf(ended)
  return failure ? [{ ...call, toolCalls: [], usage: null, error: failure.code }] : []
}

function toolExecution({ payload }: Event<'tool.started'>, ended: Event, base: Base): ToolExecutionEntry[] {
  const call = {
    kind: 'tool_execution',
    ...base,
    name: payload.tool,
    args: payload.args,
    callId: payload.callId,
  } as const
  if (ended.type === 'tool.completed') {
    const { status, content, errorCode = null } = ended.payload
    return [{ ...call, status, result: content, errorType: errorCode }]
  }
  const failure = failureOf(ended)
  return failure ? [{ ...call, status: 'error', result: failure.message, errorType: failure.code }] : []
}

/** Why a call did not complete; null for one that waits for an approval, and for events inside the call. */
function failureOf(event: Event): { readonly code: string; readonly message: string } | null {
  if (event.type === 'model.failed' || event.type === 'tool.failed') return event.payload
  const reason = reasonOf(event)
  return reason === null || reason === 'approval' ? null : { code: reason, message: '' }
}

/** Follows the causes up to the agent's own span. */
function iterationOf(event: Event | undefined, byId: ReadonlyMap<string, Event>): number {
  if (!event) return 0
  return event.type === 'agent.started' ? event.payload.iteration : iterationOf(byId.get(event.causationId ?? ''), byId)
}
