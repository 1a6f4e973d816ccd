import { RunNotFound } from '../../errors.ts'
import { type Event, initialStatus, type Payloads, type RunStatus, reduceStatus } from '../../events/index.ts'
import type { RunResult } from './result.ts'

/** A run's result, derived from its log and nothing else. Throws `RunNotFound` if the log does not begin a run. */
export function resultOf(events: readonly Event[]): RunResult {
  const created = events.find((event) => event.type === 'run.created')
  if (!created) throw new RunNotFound('There is no such run in the log')
  const status = events.reduce(reduceStatus, initialStatus)
  const started = events.findLast((event) => event.type === 'run.started')
  const completed =
    status.activity.length === 0 ? events.findLast((event) => event.type === 'run.completed') : undefined
  const { threadId, turn, question } = created.payload
  return {
    runId: created.correlationId,
    threadId,
    turn,
    status: statusWord(status),
    question,
    ...outcome(events, completed?.payload ?? null, status),
    approvals: status.pendingApprovals.map(({ id, name, args }) => ({ id, tool: name, args })),
    usage: usageOf(status),
    contextPercent: status.contextPercent,
    model: started?.payload.model ?? 'unknown',
    durationMs: durationOf(status),
    traceUrl: null,
  }
}

type Completed = Payloads['run.completed']
type Outcome = Pick<
  RunResult,
  | 'standaloneQuestion'
  | 'answer'
  | 'abstained'
  | 'confidence'
  | 'clarification'
  | 'citations'
  | 'highlights'
  | 'unsupported'
  | 'ending'
  | 'error'
>

function outcome(log: readonly Event[], completed: Completed | null, status: RunStatus): Outcome {
  if (completed) {
    const { stopReason: _, highlights = [], ...result } = completed
    return { ...result, highlights }
  }
  return {
    standaloneQuestion: null,
    answer: '',
    abstained: false,
    confidence: null,
    clarification: null,
    citations: [],
    highlights: [],
    unsupported: [],
    ending: null,
    error: status.error,
    ...(status.state === 'failed' && givenBefore(log)),
  }
}

/** What a run had said to the person before it failed: the conversation keeps it, so the result has it too. */
function givenBefore(log: readonly Event[]): Partial<Outcome> {
  const given = answerIn(log)
  if (!given) return {}
  const { text: answer, citations = [], confidence = null, abstained = false } = given.payload
  return { answer, citations, confidence, abstained, clarification: clarificationIn(log) ? answer : null }
}

/** True for what the run's own last agent said to the person. */
export function isAnswer(event: Event): event is Event<'message.completed'> {
  if (event.type !== 'message.completed') return false
  const { scope, role, added } = event.payload
  return scope === 'thread' && role === 'assistant' && !added
}

/** The answer, or the question back, that counts: the last one, as in the graph's state. */
export function answerIn(log: readonly Event[]): Event<'message.completed'> | undefined {
  return log.findLast(isAnswer)
}

/** What the person was asked back about; undefined where the run did not ask. */
export function clarificationIn(log: readonly Event[]) {
  const decided = log.findLast((event) => event.type === 'agent.completed' && event.payload.clarification !== undefined)
  return decided?.type === 'agent.completed' ? decided.payload.clarification : undefined
}

/** A run that is still under way has no result yet; if its process is gone, it can be resumed like an interrupted one. */
function statusWord({ state }: RunStatus): RunResult['status'] {
  return state === 'queued' || state === 'running' || state === 'cancelling' ? 'interrupted' : state
}

function usageOf({ modelCalls, toolCalls, inputTokens, outputTokens, costUsd }: RunStatus): RunResult['usage'] {
  return { modelCalls, toolCalls, inputTokens, outputTokens, costUsd }
}

function durationOf({ startedAt, endedAt }: RunStatus): number {
  return startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : 0
}
