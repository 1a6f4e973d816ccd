import type { RunResult, StreamEvent } from '../api/requests.ts'

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
  /** The documents that are searched; null is all. */
  readonly documents: readonly string[] | null
  /** What the person may be asked back about. */
  readonly candidates: readonly string[]
  readonly isWorking: boolean
  /** Its events were seen from the first one on. */
  readonly isWatched: boolean
  /** The server does not answer, and is tried again. */
  readonly isLost: boolean
  readonly result: RunResult | null
  readonly error: string | null
}

/** What a run is doing that no worker has begun. */
export const starting = 'Starting'

export function newTurn(question: string, runId: string | null = null): Turn {
  return {
    runId,
    question,
    text: '',
    messageId: null,
    doing: starting,
    steps: [],
    documents: null,
    candidates: [],
    isWorking: true,
    isWatched: false,
    isLost: false,
    result: null,
    error: null,
  }
}

export function endedTurn(result: RunResult): Turn {
  return { ...newTurn(result.question, result.runId), isWorking: false, doing: null, result }
}

export function afterEvent(turn: Turn, event: StreamEvent): Turn {
  const next = { ...turn, runId: event.runId, steps: stepsAfter(turn.steps, event) }
  switch (event.type) {
    case 'run.created':
      return { ...next, question: event.payload.question, documents: event.payload.documents, isWatched: true }
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

const kinds: ReadonlySet<string> = new Set(['run', 'agent', 'model', 'tool', 'round'])

function stepsAfter(steps: readonly Step[], event: StreamEvent): readonly Step[] {
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

const doings: Readonly<Record<string, string>> = {
  orchestrator: 'Understanding the question',
  clarification: 'Looking for what is unclear',
  research: 'Searching the documents',
  synthesis: 'Writing and checking the answer',
}

const verbs: Readonly<Record<string, string>> = {
  pdf_retrieval: 'Searching',
  read_passages: 'Reading passages',
  document_overview: 'Looking at the documents',
  web_search: 'Searching the web',
  read_page: 'Reading a page',
  delegate: 'Asking a specialist',
}

function describeTool(tool: string, args: Readonly<Record<string, unknown>>): string {
  const words = wordsOf(args)
  const verb = verbs[tool] ?? tool.replaceAll('_', ' ')
  return words ? `${verb}: ${words}` : verb
}

/** The argument that says what a tool call is about. */
export function wordsOf(args: Readonly<Record<string, unknown>>): string {
  const words = [args.query, args.question, args.task, args.url, args.expression]
  return String(words.find((each) => typeof each === 'string') ?? '')
}

/** What was searched for, each query once. */
export function searchesIn({ steps }: Turn): readonly string[] {
  const searches = steps.filter(({ name }) => name === 'pdf_retrieval' || name === 'web_search')
  return [...new Set(searches.map(({ args }) => wordsOf(args ?? {})))].filter((words) => words !== '')
}
