import type { Payloads, PendingToolCall, Usage } from './catalogue.ts'
import type { Event } from './event.ts'

interface Entry {
  /** Counts from 1 within the thread. */
  readonly turn: number
  /** Which agent's work of this turn it belongs to, from 1; 0 before the first. */
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
  /** null where the call failed. */
  readonly usage: Usage | null
  readonly error: string | null
}

export interface ToolExecutionEntry extends Entry {
  readonly kind: 'tool_execution'
  readonly agent: string | null
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly callId: string
  /** What the model was told; for a failure, its message. */
  readonly result: string
  readonly status: Payloads['tool.completed']['status']
  /** The error's code, for what is not a success. */
  readonly errorType: string | null
  /** Of the tool itself; a person's time to approve it is not counted. */
  readonly durationMs: number
}

export type TraceEntry = UserInputEntry | ModelCallEntry | ToolExecutionEntry

/** What a run did so far, in the order in which it ended: a projection of its log, and nothing else. */
export function traceOf(log: readonly Event[]): readonly TraceEntry[] {
  const byId = new Map(log.map((event) => [event.id, event]))
  const turn = log.find((event) => event.type === 'run.created')?.payload.turn ?? 1
  return log.flatMap((event): TraceEntry[] => {
    if (event.type === 'run.created') return [userInput(event, turn)]
    const started = event.causationId === undefined ? undefined : byId.get(event.causationId)
    if (!started) return []
    const base = {
      turn,
      iteration: iterationOf(started, byId),
      timestamp: started.timestamp,
      ...lasted(started, event),
    }
    if (started.type === 'model.started') return modelCall(started, event, base)
    return started.type === 'tool.started' ? toolExecution(started, event, base) : []
  })
}

/** A trace as a person reads it: one line an entry, what was said shortened to `most` characters. */
export function formatTrace(trace: readonly TraceEntry[], most = 120): string {
  return trace.map((entry) => `${entry.turn}.${entry.iteration} ${formatEntry(entry, most)}`).join('\n')
}

function formatEntry(entry: TraceEntry, most: number): string {
  const short = (text: string) => shorten(text.replace(/\s+/g, ' ').trim(), most)
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

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

type Base = Entry & { readonly durationMs: number; readonly agent: string | null }

function userInput({ payload, timestamp }: Event<'run.created'>, turn: number): UserInputEntry {
  return { kind: 'user_input', turn, iteration: 0, timestamp, text: payload.question }
}

function modelCall({ payload: { model } }: Event<'model.started'>, ended: Event, base: Base): ModelCallEntry[] {
  const call = { kind: 'model_call', ...base, model } as const
  if (ended.type === 'model.completed') {
    const { toolCalls, usage } = ended.payload
    return [{ ...call, toolCalls, usage, error: null }]
  }
  return ended.type === 'model.failed' ? [{ ...call, toolCalls: [], usage: null, error: ended.payload.code }] : []
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
  if (ended.type !== 'tool.failed') return []
  return [{ ...call, status: 'error', result: ended.payload.message, errorType: ended.payload.code }]
}

function lasted(started: Event, ended: Event): { readonly durationMs: number; readonly agent: string | null } {
  return { durationMs: Date.parse(ended.timestamp) - Date.parse(started.timestamp), agent: started.agent ?? null }
}

/** Follows the causes up to the agent's own span. */
function iterationOf(event: Event, byId: ReadonlyMap<string, Event>): number {
  for (
    let at: Event | undefined = event;
    at;
    at = at.causationId === undefined ? undefined : byId.get(at.causationId)
  ) {
    if (at.type === 'agent.started') return at.payload.iteration
  }
  return 0
}
