import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import {
  type ApprovalAnswer,
  RunEnded,
  RunNotFound,
  type RunResult,
  type RunSummary,
  type StreamEvent,
  ThreadBusy,
  UsageError,
} from '../../index.ts'
import { AssistantNotFound, EarlierTurn } from '../access/refusals.ts'
import { choice } from '../api/shapes.ts'
import { type Begun, begun } from '../protocol/stream.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { assistantId, graphId } from './objects.ts'
import { isAtWork } from './states.ts'

const parts = z.array(z.looseObject({ text: z.string().optional() }))
const content = z.union([z.string(), parts], 'a text or a list of parts is needed')
const message = z.looseObject({
  id: z.string().nullish(),
  type: z.string().optional(),
  role: z.string().optional(),
  content,
})

const decision = z.union([
  z.looseObject({ type: z.literal('approve') }),
  z.looseObject({ type: z.literal('reject'), message: z.string().optional() }),
  z.looseObject({ type: z.literal('edit'), edited_action: z.looseObject({ args: z.record(z.string(), z.unknown()) }) }),
])

const checkpoint = z.looseObject({ checkpoint_id: z.string().nullish() })

export const runCreate = z.looseObject({
  assistant_id: z.string().nullish(),
  input: z
    .looseObject({
      messages: z.union([message, z.array(message)], 'a message or a list of messages is needed').optional(),
    })
    .nullish(),
  command: z.looseObject({ resume: z.unknown().optional(), goto: z.unknown().optional() }).nullish(),
  stream_mode: z.union([z.string(), z.array(z.string())], 'a mode or a list of modes is needed').nullish(),
  multitask_strategy: z.string().nullish(),
  if_not_exists: z.string().nullish(),
  on_disconnect: z.enum(['cancel', 'continue']).nullish(),
  checkpoint: checkpoint.nullish(),
  checkpoint_id: z.string().nullish(),
  config: z.looseObject({ configurable: checkpoint.extend({ quaero: choice.nullish() }).nullish() }).nullish(),
})
export type RunCreate = z.output<typeof runCreate>

export interface BegunRun extends Begun {
  readonly runId: string
  readonly threadId: string
}

/** Starts a run, or resumes the one that waits; the first event has come, so that a refusal is an HTTP error. */
export async function begin(engine: UserEngine, request: RunCreate, thread?: string): Promise<BegunRun> {
  const threadId = thread ?? randomUUID()
  const { command, assistant_id: assistant } = request
  if (assistant && assistant !== graphId && assistant !== assistantId) {
    throw new AssistantNotFound(`There is one assistant: ${graphId}.`)
  }
  if (command?.goto !== undefined) return cancelWaiting(engine, threadId)
  if (command?.resume !== undefined) return resume(engine, threadId, command.resume)
  const { question, id } = questionOf(request)
  await mustGoOnFromEnd(engine, threadId, checkpointOf(request))
  // Throws if there is no such thread.
  if (request.if_not_exists === 'reject' && thread !== undefined) await engine.thread(threadId)
  // A client that repeats a request after a lost connection gets the same run.
  const named = id !== null && id.length <= 200 && { messageId: id, idempotencyKey: `${threadId} ${id}` }
  const choice = request.config?.configurable?.quaero
  const start = () => begunRun(threadId, engine.stream(question, { threadId, approve: 'ask', ...choice, ...named }))
  return onceFree(engine, threadId, request.multitask_strategy, start)
}

/** Throws `EarlierTurn` for a checkpoint before the last turn that has ended: a conversation has no branches. */
async function mustGoOnFromEnd(engine: UserEngine, threadId: string, checkpoint: string | null): Promise<void> {
  // A thread without turns is its own checkpoint.
  if (checkpoint === null || checkpoint === threadId) return
  const runs = (await engine.runs({ threadId })).toReversed()
  const ended = runs.findIndex((run) => !isAtWork(run))
  if (runs.slice(0, ended < 0 ? undefined : ended + 1).some(({ runId }) => runId === checkpoint)) return
  throw new EarlierTurn('A conversation goes on from its end. Copy the thread to change its past.')
}

/** Resumes the run of a thread that waits for the person. Throws `UsageError` if none does. */
export async function resume(engine: UserEngine, threadId: string, answer: unknown): Promise<BegunRun> {
  const { runId } = await waitingRun(engine, threadId)
  const answers = answersOf(await engine.result(runId), answer)
  return onceFree(engine, threadId, null, () => begunRun(threadId, engine.resume(runId, answers)))
}

/** The run of a thread that waits for the person. Throws `UsageError`. */
export async function waitingRun(engine: UserEngine, threadId: string): Promise<RunSummary> {
  const waiting = (await engine.runs({ threadId, unfinished: true })).findLast(
    ({ status }) => status === 'requires_action',
  )
  if (waiting) return waiting
  throw new UsageError('No run of this thread waits for the person.')
}

async function cancelWaiting(engine: UserEngine, threadId: string): Promise<BegunRun> {
  const { runId } = await waitingRun(engine, threadId)
  await engine.cancel(runId)
  return { runId, threadId, first: null, events: engine.follow(runId) }
}

/** How long a run that has ended keeps its thread, at most, and how often that is looked at. Milliseconds. */
const releasedWithin = 2_000
const lookEvery = 20

/** Begins an attempt after the one at work on the thread, or in its place, as the client chose; else throws `ThreadBusy`. */
async function onceFree(
  engine: UserEngine,
  threadId: string,
  strategy: RunCreate['multitask_strategy'],
  start: () => Promise<BegunRun>,
): Promise<BegunRun> {
  for (let waited = 0; ; waited += lookEvery) {
    try {
      return await start()
    } catch (error) {
      const isBusy = error instanceof ThreadBusy && waited <= releasedWithin
      if (!isBusy || !(await makeWay(engine, threadId, strategy))) throw error
    }
    await setTimeout(lookEvery)
  }
}

const waiting: ReadonlySet<string> = new Set(['enqueue', 'interrupt', 'rollback'])

/** Waits for the run at work, or cancels it; false if the client chose neither. A run that has ended needs a moment. */
async function makeWay(
  engine: UserEngine,
  threadId: string,
  strategy: RunCreate['multitask_strategy'],
): Promise<boolean> {
  const working = (await engine.runs({ threadId, unfinished: true })).find(isAtWork)
  if (!working) return true
  if (!waiting.has(strategy ?? '')) return false
  if (strategy !== 'enqueue') await engine.cancel(working.runId).catch(unlessEnded)
  for await (const _ of engine.follow(working.runId));
  return true
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof RunEnded)) throw error
}

async function begunRun(threadId: string, stream: AsyncIterable<StreamEvent>): Promise<BegunRun> {
  const { first, events } = await begun(stream)
  if (first === null) throw new RunNotFound('The run did not begin.')
  return { runId: first.runId, threadId, first, events }
}

export function modesOf({ stream_mode: modes }: RunCreate): ReadonlySet<string> {
  if (modes === null || modes === undefined) return new Set(['values'])
  return new Set(typeof modes === 'string' ? [modes] : modes)
}

/** The checkpoint that a run is to go on from; null for the last one. */
function checkpointOf({ checkpoint, checkpoint_id: id, config }: RunCreate): string | null {
  return checkpoint?.checkpoint_id ?? id ?? config?.configurable?.checkpoint_id ?? null
}

/** The question that a run begins with, and the id that the client gave it. */
function questionOf({ input }: RunCreate): { readonly question: string; readonly id: string | null } {
  const messages = input?.messages === undefined ? [] : [input.messages].flat()
  const last = messages.findLast(({ type, role }) => type === 'human' || role === 'user' || role === 'human')
  const text =
    typeof last?.content === 'string' ? last.content : (last?.content ?? []).map((part) => part.text ?? '').join('')
  if (text.trim() === '') throw new UsageError('The input holds no message of a human.')
  return { question: text.trim(), id: last?.id ?? null }
}

/** The person's decisions, in the order of the approvals that the run waits for. */
function answersOf({ approvals }: RunResult, resume: unknown): Readonly<Record<string, ApprovalAnswer>> {
  const parsed = z.looseObject({ decisions: z.array(decision) }).safeParse(resume)
  const decisions = parsed.success ? parsed.data.decisions : []
  if (decisions.length !== approvals.length) {
    throw new UsageError(`The run waits for ${approvals.length} decisions: {"decisions": [{"type": "approve"}]}.`)
  }
  return Object.fromEntries(approvals.map(({ id }, index) => [id, answerOf(decisions[index])]))
}

function answerOf(given: z.output<typeof decision> | undefined): ApprovalAnswer {
  if (given?.type === 'edit') return { approved: true, args: given.edited_action.args }
  if (given?.type === 'reject')
    return { approved: false, ...(given.message !== undefined && { reason: given.message }) }
  return { approved: given?.type === 'approve' }
}
