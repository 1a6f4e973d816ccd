import { createHash } from 'node:crypto'
import { routes } from '../../graph/index.ts'
import type { RunResult, RunSummary, ThreadMessage, ThreadRecord } from '../../index.ts'
import type { Protocol } from '../protocol/protocol.ts'

/** Objects of LangGraph's Agent Server, as its SDK (1.12) reads them. */

export const langgraph: Protocol = {
  refusal: ({ code, message }) => ({ error: code, message, detail: message }),
  failure: ({ code, message }) => [{ event: 'error', data: { error: code, message } }],
  // Below the shortest patience of the SDK, which measures the pauses between comments. One line feed: after a blank line
  // the SDK would read an event without a name.
  heartbeat: { text: ': heartbeat\n', everyMs: 5_000 },
}

export const graphId = 'quaero'

/** The same for every server: clients keep it. */
export const assistantId = uuidOf('assistant')

const beginning = '2026-01-01T00:00:00.000Z'

export function assistant() {
  return {
    assistant_id: assistantId,
    graph_id: graphId,
    name: 'Quaero',
    description: 'Answers questions over documents; every claim has a verified quote.',
    config: {},
    context: {},
    metadata: { created_by: 'system' },
    version: 1,
    created_at: beginning,
    updated_at: beginning,
  }
}

/** The graph as clients draw it. */
export function drawnGraph() {
  const nodes = ['__start__', ...Object.keys(routes), '__end__']
  const edges = Object.entries(routes).flatMap(([source, targets]) =>
    Object.values(targets).map((target) => ({ source, target, conditional: true })),
  )
  return {
    nodes: nodes.map((id) => ({ id, type: 'runnable', data: { id: [], name: id } })),
    edges: [{ source: '__start__', target: 'orchestrator', conditional: false }, ...edges],
  }
}

export interface WireMessage {
  readonly type: 'human' | 'ai'
  readonly id: string
  readonly content: string
  readonly [more: string]: unknown
}

/** A question, under the id that its client gave it. */
export function humanMessage(runId: string, content: string, messageId = `${runId}-question`): WireMessage {
  return { type: 'human', id: messageId, content, additional_kwargs: {}, response_metadata: {} }
}

/** The answer of a run, as it is streamed and as it is stored. */
export function answerId(runId: string): string {
  return `${runId}-answer`
}

export function answerMessage(runId: string, content: string, details: object = {}) {
  const quaero = { ...details }
  return {
    type: 'ai',
    id: answerId(runId),
    content,
    tool_calls: [],
    invalid_tool_calls: [],
    additional_kwargs: {},
    response_metadata: { quaero },
  } as const
}

/** What is known of an answer beside its text, as far as it is known. */
export function evidenceOf({ citations, confidence, abstained, sentences, unsupported, limitedTo }: Evidence) {
  return { citations, confidence, abstained, sentences, unsupported, limitedTo }
}

type EvidenceName = 'citations' | 'confidence' | 'abstained' | 'sentences' | 'unsupported' | 'limitedTo'
type Evidence = { readonly [Name in EvidenceName]?: unknown }

/** A conversation as messages of the graph's state. */
export function wireMessages(messages: readonly ThreadMessage[]): readonly WireMessage[] {
  return messages.map(({ role, content, runId, messageId, citations = [], added }, index) => {
    const message =
      role === 'user' ? humanMessage(runId, content, messageId) : answerMessage(runId, content, { citations })
    return added ? { ...message, id: `${runId}-added-${index}` } : message
  })
}

/** What a run that waits asks of the person, in the form that agent inboxes know. */
export function interruptsOf({ approvals, runId }: Pick<RunResult, 'approvals' | 'runId'>) {
  if (approvals.length === 0) return []
  return [
    {
      id: uuidOf(`interrupt ${runId} ${approvals.map(({ id }) => id).join(' ')}`),
      value: {
        action_requests: approvals.map(({ tool, args }) => ({ name: tool, args, description: `Use ${tool}` })),
        review_configs: approvals.map(({ tool }) => ({
          action_name: tool,
          allowed_decisions: ['approve', 'edit', 'reject'],
        })),
      },
    },
  ]
}

export type Values = Readonly<Record<string, unknown>>

/** A turn of a thread, which is a checkpoint to LangGraph's clients. */
export interface Turn {
  readonly result: RunResult
  /** The run is at work, so that its result is not known yet. */
  readonly isAtWork: boolean
  readonly createdAt: string
  /** The run of the turn before. */
  readonly parent: string | null
}

/** The state of a thread after one of its turns; with null, before the first. */
export function threadState(threadId: string, values: Values, turn: Turn | null) {
  const interrupts = turn ? interruptsOf(turn.result) : []
  const at = (id: string) => ({ thread_id: threadId, checkpoint_ns: '', checkpoint_id: id, checkpoint_map: {} })
  return {
    values,
    // Clients join a thread that has something to do next, and leave another one alone.
    next: turn?.isAtWork || interrupts.length > 0 ? ['research'] : [],
    tasks: interrupts.map((interrupt) => {
      const { id } = interrupt
      return {
        id,
        name: 'research',
        path: ['__pregel_pull', 'research'],
        error: null,
        interrupts: [interrupt],
        checkpoint: null,
        state: null,
        result: null,
      }
    }),
    metadata: { source: 'loop', step: turn?.result.turn ?? 0 },
    created_at: turn?.createdAt ?? new Date().toISOString(),
    checkpoint: at(turn?.result.runId ?? threadId),
    parent_checkpoint: turn?.parent ? at(turn.parent) : null,
  }
}

const threadStatuses: Readonly<Record<string, string>> = {
  running: 'busy',
  queued: 'busy',
  cancelling: 'busy',
  requires_action: 'interrupted',
  failed: 'error',
}

export function threadStatus(last: RunSummary | undefined): string {
  return threadStatuses[last?.status ?? ''] ?? 'idle'
}

export function thread(
  { threadId, metadata, createdAt, updatedAt }: ThreadRecord,
  values: Values,
  last: RunSummary | undefined,
  interrupts: ReturnType<typeof interruptsOf> = [],
) {
  return {
    thread_id: threadId,
    created_at: createdAt,
    updated_at: updatedAt,
    metadata: threadMetadata(metadata),
    status: threadStatus(last),
    config: {},
    values,
    interrupts: Object.fromEntries(interrupts.map((interrupt) => [interrupt.id, [interrupt]])),
  }
}

/** What a client keeps with a thread, and what it looks threads up by. */
export function threadMetadata(metadata: ThreadRecord['metadata']): Values {
  return { ...metadata, graph_id: graphId, assistant_id: assistantId }
}

const runStatuses: Readonly<Record<string, string>> = {
  queued: 'pending',
  running: 'running',
  cancelling: 'running',
  requires_action: 'interrupted',
  interrupted: 'interrupted',
  cancelled: 'interrupted',
  failed: 'error',
}

export function run(summary: Pick<RunSummary, 'runId' | 'threadId' | 'status' | 'startedAt' | 'endedAt'>) {
  const { runId, threadId, status, startedAt, endedAt } = summary
  return {
    run_id: runId,
    thread_id: threadId,
    assistant_id: assistantId,
    created_at: startedAt ?? beginning,
    updated_at: endedAt ?? startedAt ?? beginning,
    status: runStatuses[status] ?? 'success',
    metadata: {},
    kwargs: {},
    multitask_strategy: 'reject',
  }
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(`quaero ${text}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
