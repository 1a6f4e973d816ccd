import type { StreamEvent } from '../api/requests.ts'

/** One unit of work of a run, for the timeline. */
export interface Step {
  readonly id: string
  readonly parent: string | null
  readonly kind: string
  readonly name: string
  /** What it came to, in a few words. */
  readonly detail: string
  /** Of a tool call. */
  readonly args: Readonly<Record<string, unknown>> | null
  readonly output: string | null
  /** Milliseconds since 1970. */
  readonly began: number
  readonly ended: number | null
  readonly outcome: 'working' | 'done' | 'failed'
}

const kinds: ReadonlySet<string> = new Set(['run', 'agent', 'model', 'tool', 'round'])

export function stepsAfter(steps: readonly Step[], event: StreamEvent): readonly Step[] {
  const [kind = '', verb] = event.type.split('.')
  if (!kinds.has(kind)) return steps
  const at = Date.parse(event.timestamp)
  const parent = 'causationId' in event ? (event.causationId ?? null) : null
  if (verb === 'started') {
    const begun = { id: event.id, parent, kind, detail: '', output: null, began: at, ended: null } as const
    return [...steps, { ...begun, ...nameOf(event), outcome: 'working' }]
  }
  if (verb !== 'completed' && verb !== 'failed' && verb !== 'interrupted') return steps
  const outcome = verb === 'completed' ? 'done' : 'failed'
  return steps.map((step) => (step.id === parent ? { ...step, ended: at, outcome, ...endOf(event) } : step))
}

function nameOf(event: StreamEvent): Pick<Step, 'name' | 'args'> {
  if (event.type === 'agent.started') return { name: event.payload.task ?? event.agent ?? 'agent', args: null }
  if (event.type === 'tool.started') return { name: event.payload.tool, args: event.payload.args }
  if (event.type === 'model.started') return { name: event.payload.model, args: null }
  return { name: event.type.split('.')[0] ?? '', args: null }
}

function endOf(event: StreamEvent): Partial<Pick<Step, 'detail' | 'output'>> {
  if (event.type === 'model.completed') return { detail: costs(event.payload.usage) }
  if (event.type === 'tool.completed') {
    const { status, content } = event.payload
    return { output: content, detail: status === 'success' ? '' : status.replace('_', ' ') }
  }
  return 'message' in event.payload ? { detail: String(event.payload.message) } : {}
}

interface Usage {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costUsd: number | null
}

/** Tokens in and out, and money, as far as they are known; empty for a model that costs nothing. */
export function costs({ inputTokens, outputTokens, costUsd }: Usage): string {
  const tokens = inputTokens ? `${grouped(inputTokens)} → ${grouped(outputTokens ?? 0)} tokens` : ''
  return [tokens, costUsd ? `$${costUsd.toFixed(4)}` : ''].filter(Boolean).join(', ')
}

function grouped(number: number): string {
  return number.toLocaleString('en')
}
