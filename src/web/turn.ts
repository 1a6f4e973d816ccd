import type { RunResult, StreamEvent } from './api.ts'

/** One unit of work of a run, for the timeline. */
export interface Step {
  readonly id: string
  readonly parent: string | null
  readonly kind: string
  readonly name: string
  readonly detail: string
  readonly began: number
  readonly ended: number | null
  readonly outcome: 'working' | 'done' | 'failed'
}

/** A question and what has become of it so far: a fold over the events of its run. */
export interface Turn {
  readonly runId: string | null
  readonly question: string
  /** The words of the answer as they come; the result's own words take their place. */
  readonly text: string
  readonly messageId: string | null
  /** What the run is doing, in a few words. */
  readonly doing: string | null
  readonly steps: readonly Step[]
  /** What the person may be asked back about. */
  readonly candidates: readonly string[]
  readonly isWorking: boolean
  readonly result: RunResult | null
  readonly error: string | null
}

export function newTurn(question: string, runId: string | null = null): Turn {
  return {
    runId,
    question,
    text: '',
    messageId: null,
    doing: 'Starting',
    steps: [],
    candidates: [],
    isWorking: true,
    result: null,
    error: null,
  }
}

export function afterEvent(turn: Turn, event: StreamEvent): Turn {
  const next = { ...turn, runId: event.runId, steps: stepsAfter(turn.steps, event) }
  switch (event.type) {
    case 'run.created':
      return { ...next, question: event.payload.question }
    case 'agent.started':
      return { ...next, doing: doings[event.agent ?? ''] ?? next.doing }
    case 'agent.completed':
      return { ...next, candidates: event.payload.clarification?.candidates ?? next.candidates }
    case 'tool.started':
      return { ...next, doing: describeTool(event.payload.tool, event.payload.args) }
    case 'message.delta':
      return afterDelta(next, event.payload)
    case 'message.completed':
      return afterMessage(next, event.payload)
    default:
      return next
  }
}

type PayloadOf<T extends StreamEvent['type']> = Extract<StreamEvent, { type: T }>['payload']

function afterDelta(turn: Turn, { scope, text, soFar, messageId, toolCall }: PayloadOf<'message.delta'>): Turn {
  if (scope !== 'thread' || toolCall) return turn
  const before = soFar || messageId !== turn.messageId ? '' : turn.text
  return { ...turn, messageId, text: before + text, doing: null }
}

/** The words of a whole message replace those that were streamed; a draft that was discarded leaves none. */
function afterMessage(turn: Turn, { scope, role, text, messageId, superseded }: PayloadOf<'message.completed'>): Turn {
  if (role !== 'assistant') return turn
  if (scope === 'thread') return { ...turn, messageId, text }
  return superseded && messageId === turn.messageId ? { ...turn, text: '', doing: 'Checking the answer' } : turn
}

const doings: Readonly<Record<string, string>> = {
  orchestrator: 'Understanding the question',
  clarification: 'Looking for what is unclear',
  research: 'Searching the documents',
  synthesis: 'Writing and checking the answer',
}

function describeTool(tool: string, args: Readonly<Record<string, unknown>>): string {
  const words = [args.query, args.question, args.url, args.expression].find((each) => typeof each === 'string')
  const verb = verbs[tool] ?? tool.replaceAll('_', ' ')
  return words ? `${verb}: ${words}` : verb
}

const verbs: Readonly<Record<string, string>> = {
  pdf_retrieval: 'Searching',
  read_passages: 'Reading passages',
  document_overview: 'Looking at the documents',
  web_search: 'Searching the web',
  read_page: 'Reading a page',
  calculate: 'Calculating',
  delegate: 'Asking a specialist',
}

function stepsAfter(steps: readonly Step[], event: StreamEvent): readonly Step[] {
  const [kind = '', verb] = event.type.split('.')
  if (!(kind in kinds)) return steps
  const at = Date.parse(event.timestamp)
  const parent = 'causationId' in event ? (event.causationId ?? null) : null
  if (verb === 'started') {
    const { name, detail } = nameOf(event)
    return [...steps, { id: event.id, parent, kind, name, detail, began: at, ended: null, outcome: 'working' }]
  }
  const outcome = verb === 'completed' ? 'done' : 'failed'
  if (verb !== 'completed' && verb !== 'failed' && verb !== 'interrupted') return steps
  return steps.map((step) =>
    step.id === parent ? { ...step, ended: at, outcome, detail: detailAfter(step, event) } : step,
  )
}

const kinds: Readonly<Record<string, string>> = {
  run: 'Run',
  agent: 'Agent',
  model: 'Model',
  tool: 'Tool',
  round: 'Round',
}

function nameOf(event: StreamEvent): { readonly name: string; readonly detail: string } {
  if (event.type === 'agent.started') return { name: event.agent ?? 'agent', detail: '' }
  if (event.type === 'tool.started') return { name: event.payload.tool, detail: JSON.stringify(event.payload.args) }
  if (event.type === 'model.started') return { name: event.payload.model, detail: '' }
  return { name: event.type.split('.')[0] ?? '', detail: '' }
}

function detailAfter(step: Step, event: StreamEvent): string {
  if (event.type === 'model.completed') {
    const { inputTokens, outputTokens, costUsd } = event.payload.usage
    const tokens = !inputTokens ? '' : `${inputTokens} + ${outputTokens} tokens`
    return [tokens, !costUsd ? '' : `$${costUsd.toFixed(4)}`].filter(Boolean).join(', ')
  }
  return 'message' in event.payload ? String(event.payload.message) : step.detail
}
