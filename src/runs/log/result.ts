import { z } from 'zod'
import {
  createdIn,
  type Event,
  imported,
  type Payloads,
  type RunStatus,
  readUnsupported,
  runStates,
  spans,
  statusOf,
  toolCall,
} from '../../events/index.ts'
import { note } from './note.ts'

const { stopReason: _, highlights, calculations, sentences, ...outcomeFields } = spans.run.completed.shape

/** How a run ended, why it waits, or that it is at work. */
export const runResult = z.strictObject({
  runId: z.string(),
  threadId: z.string(),
  /** Counts from 1 within the thread. */
  turn: z.number().int().min(1),
  status: z.enum(runStates),
  question: z.string(),
  /** What the question was limited to: how many documents, and by which filter; null for the whole library. */
  limitedTo: z.strictObject({ documents: z.number().int(), filter: z.string().nullable() }).nullable(),
  ...outcomeFields,
  /** Of a clarification: what the person may have meant, to choose from; empty where nothing was found. */
  candidates: z.array(z.string()),
  /** What of the answer was computed from figures of its quotes. */
  calculations: calculations.unwrap(),
  sentences: sentences.unwrap(),
  /** The shortest answers within `answer`: a date, a figure, a name; empty where none is plain. */
  highlights: highlights.unwrap(),
  approvals: z.array(z.strictObject({ id: z.string(), tool: z.string(), args: toolCall.shape.args })),
  usage: z.strictObject({
    modelCalls: z.number().int(),
    toolCalls: z.number().int(),
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
    /** US dollars; null is unknown. */
    costUsd: z.number().nullable(),
  }),
  /** Share of the model's context window that the last call filled; null is unknown. */
  contextPercent: z.number().nullable(),
  model: z.string(),
  durationMs: z.number(),
  traceUrl: z.string().nullable(),
  /** Whether sentences follow from quotes was not checked here. null for a run of this library. */
  imported: imported.nullable(),
  /** What a person wrote beside it. Not in the log, so a replay has none. */
  note: note.optional(),
})

export type RunResult = z.output<typeof runResult>

/** What a question was limited to, as the beginning of its log says. */
export function limitedToIn({ documents, filter, unlimited }: Payloads['run.created']): RunResult['limitedTo'] {
  return documents && !unlimited ? { documents: documents.length, filter: filter ?? null } : null
}

/** A run's result, derived from its log and nothing else. Throws `RunNotFound` if the log does not begin a run. */
export function resultOf(events: readonly Event[]): RunResult {
  const created = createdIn(events)
  const status = statusOf(events)
  const started = events.findLast((event) => event.type === 'run.started')
  const completed =
    status.activity.length === 0 ? events.findLast((event) => event.type === 'run.completed') : undefined
  const { threadId, turn, question } = created.payload
  const { modelCalls, toolCalls, inputTokens, outputTokens, costUsd } = status
  return {
    runId: created.correlationId,
    threadId,
    turn,
    status: statusWord(status),
    question,
    limitedTo: limitedToIn(created.payload),
    ...outcome(events, completed?.payload ?? null, status),
    candidates: status.state === 'clarification_needed' ? (clarificationIn(events)?.candidates ?? []) : [],
    approvals: status.pendingApprovals.map(({ id, name, args }) => ({ id, tool: name, args })),
    usage: { modelCalls, toolCalls, inputTokens, outputTokens, costUsd },
    contextPercent: status.contextPercent,
    model: started?.payload.model ?? 'unknown',
    durationMs: durationOf(status),
    traceUrl: null,
    imported: created.payload.imported ?? null,
  }
}

type Completed = Payloads['run.completed']
type Outcome = Pick<RunResult, Exclude<keyof Completed, 'stopReason'>>

function outcome(log: readonly Event[], completed: Completed | null, status: RunStatus): Outcome {
  if (completed) {
    const { stopReason: _, highlights = [], calculations = [], sentences = [], unsupported, ...result } = completed
    return { ...result, highlights, calculations, sentences, unsupported: readUnsupported(unsupported) }
  }
  return {
    standaloneQuestion: null,
    answer: '',
    abstained: false,
    confidence: null,
    clarification: null,
    citations: [],
    calculations: [],
    sentences: [],
    highlights: [],
    unsupported: [],
    ending: null,
    error: status.error,
    ...(status.state === 'failed' && givenBefore(log)),
  }
}

/** The answer that a run gave before it failed: the conversation keeps it, so the result has it too. */
function givenBefore(log: readonly Event[]): Partial<Outcome> {
  const given = answerIn(log)
  if (!given) return {}
  const { text: answer, citations = [], calculations = [], sentences = [], unsupported = [], ...rest } = given.payload
  const { confidence = null, abstained = false } = rest
  const clarification = clarificationIn(log) ? answer : null
  return { answer, citations, calculations, sentences, unsupported, confidence, abstained, clarification }
}

/** True for an answer or a question back of the run's own agents. */
export function isAnswer(event: Event): event is Event<'message.completed'> {
  if (event.type !== 'message.completed') return false
  const { scope, role, added } = event.payload
  return scope === 'thread' && role === 'assistant' && !added
}

/** The last answer, or question back: the one that counts, as in the graph's state. */
export function answerIn(log: readonly Event[]): Event<'message.completed'> | undefined {
  return log.findLast(isAnswer)
}

/** What the person was asked back about; undefined where the run did not ask. */
export function clarificationIn(log: readonly Event[]) {
  return log.flatMap((event) => (event.type === 'agent.completed' ? (event.payload.clarification ?? []) : [])).at(-1)
}

/** A log that does not end was left by its process: whether one is at work on it, the log cannot say. */
function statusWord({ state }: RunStatus): RunResult['status'] {
  return state === 'queued' || state === 'running' || state === 'cancelling' ? 'interrupted' : state
}

function durationOf({ startedAt, endedAt }: RunStatus): number {
  return startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : 0
}
