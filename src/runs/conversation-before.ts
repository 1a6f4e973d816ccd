import { type BaseMessage, RemoveMessage } from '@langchain/core/messages'
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph'
import type { AgentState, AgentUpdate } from '../agents/state.ts'
import { RunNotFound } from '../errors.ts'
import type { Event, RunRecord, RunState } from '../events/index.ts'
import type { Storage } from '../storage/storage.ts'
import { collect } from './attempt/graph-calls.ts'
import { asUpdate, threadStateOf } from './log/thread-state.ts'

interface Parts {
  readonly storage: Pick<Storage, 'events'>
  /** How many messages a thread's state keeps. */
  readonly messageWindow: number
}

export interface ConversationBefore {
  /** What makes the state that was found the one that the log tells. */
  readonly update: Omit<AgentUpdate, 'messages'> & { readonly messages: readonly BaseMessage[] }
  /** The state disagreed with the log. */
  readonly isRebuilt: boolean
}

const unchanged: ConversationBefore = { update: { messages: [] }, isRebuilt: false }

/** States of a run that has said something on its thread. */
const answered: ReadonlySet<RunState> = new Set(['completed', 'clarification_needed', 'limit_reached'])

/**
 * The conversation before a run, from the state that its thread was left in. What a run that came to no answer had
 * drafted is taken out. Where the last turn that the log tells is not in the state, the state is made anew from the log.
 */
export async function conversationBefore(
  created: Event<'run.created'>,
  found: Partial<AgentState>,
  parts: Parts,
): Promise<ConversationBefore> {
  const { turn, afresh = false } = created.payload
  if (turn === 1 || afresh) return unchanged
  if (!found.messages) return { ...(await rebuilt(created, parts)), isRebuilt: false }
  const before = await lastIn(found, created, parts)
  if (before === null) return unchanged
  if (await isBehind(before, found, created, parts)) return rebuilt(created, parts)
  const draft = `${before.runId}-answer`
  const isDraft = !answered.has(before.status.state) && found.messages.some(({ id }) => id === draft)
  return isDraft ? { update: { messages: [new RemoveMessage({ id: draft })] }, isRebuilt: false } : unchanged
}

/** The run that wrote a state; null where the log does not have it on this thread. */
async function lastIn(
  { runId }: Partial<AgentState>,
  { payload: { threadId } }: Event<'run.created'>,
  { storage }: Parts,
): Promise<RunRecord | null> {
  if (!runId) return null
  const record = await storage.events.run(runId).catch((error: unknown) => {
    if (error instanceof RunNotFound) return null
    throw error
  })
  return record?.threadId === threadId ? record : null
}

/** True where a turn was answered since, or the answer of this one is missing. */
async function isBehind(
  before: RunRecord,
  { messages = [] }: Partial<AgentState>,
  { payload: { threadId, turn } }: Event<'run.created'>,
  { storage }: Parts,
): Promise<boolean> {
  if (answered.has(before.status.state) && messages.at(-1)?.id === `${before.runId}-question`) return true
  if (before.turn === turn - 1) return false
  const runs = await storage.events.runs({ threadId })
  return runs.some((run) => run.turn > before.turn && run.turn < turn && answered.has(run.status.state))
}

/** Each turn has a message at least, so that older ones than the window has room for need not be read. */
async function rebuilt(
  { correlationId, payload: { threadId } }: Event<'run.created'>,
  { storage, messageWindow }: Parts,
): Promise<ConversationBefore> {
  const runs = await storage.events.runs({ threadId })
  const own = runs.findIndex(({ runId }) => runId === correlationId)
  const before = runs.slice(Math.max(0, own - messageWindow), own)
  const turns = await Promise.all(before.map(({ runId }) => collect(storage.events.read(runId))))
  const state = threadStateOf(turns, messageWindow)
  // Where the graph goes next is its own affair.
  const { nextAgent: _, ...update } = asUpdate(state, turns.at(-1) ?? [], correlationId, threadId)
  const messages = [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...state.messages]
  return { update: { ...update, messages }, isRebuilt: true }
}
