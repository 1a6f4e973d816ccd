import { type BaseMessage, RemoveMessage } from '@langchain/core/messages'
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph'
import type { AgentState, AgentUpdate } from '../agents/state.ts'
import { RunNotFound } from '../errors.ts'
import { type Event, hasEnded, type RunRecord, type RunState, type StoredEvent } from '../events/index.ts'
import type { Graph } from '../graph/graph.ts'
import type { Storage } from '../storage/storage.ts'
import { logOf } from './log/read-log.ts'
import { asUpdate, threadStateOf } from './log/thread-state.ts'

interface Parts {
  readonly storage: Pick<Storage, 'events'>
  /** How many messages a thread's state keeps. */
  readonly messageWindow: number
}

/** The change that makes a thread's state agree with its log. */
interface ConversationBefore {
  readonly update: Omit<AgentUpdate, 'messages'> & { readonly messages: readonly BaseMessage[] }
  /** The state disagreed with the log. */
  readonly isRebuilt: boolean
}

const unchanged: ConversationBefore = { update: { messages: [] }, isRebuilt: false }

const answered: ReadonlySet<RunState> = new Set(['completed', 'clarification_needed', 'limit_reached'])

/** The conversation before a run: its thread's state without the draft of a failed run, or rebuilt from the log. */
export async function conversationBefore(
  created: Event<'run.created'>,
  found: Partial<AgentState>,
  parts: Parts,
): Promise<ConversationBefore> {
  const { turn, afresh = false } = created.payload
  if (turn === 1 || afresh) return unchanged
  if (!found.messages) return { ...(await rebuilt(created, parts)), isRebuilt: false }
  const before = await writerOf(found, created, parts)
  if (before === null) return unchanged
  if (await isBehind(before, found, created, parts)) return rebuilt(created, parts)
  const draft = `${before.runId}-answer`
  const isDraft = !answered.has(before.status.state) && found.messages.some(({ id }) => id === draft)
  return isDraft ? { update: { messages: [new RemoveMessage({ id: draft })] }, isRebuilt: false } : unchanged
}

/** The run that wrote a state; null where the log does not have it on this thread. */
async function writerOf(
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

/** True if the state lacks its own run's answer, or that of a later turn before this one. */
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

async function rebuilt(
  { correlationId, payload: { threadId } }: Event<'run.created'>,
  parts: Parts,
): Promise<ConversationBefore> {
  const runs = await parts.storage.events.runs({ threadId })
  const own = runs.findIndex(({ runId }) => runId === correlationId)
  const turns = await recentLogs(runs.slice(0, Math.max(0, own)), parts)
  const state = threadStateOf(turns, parts.messageWindow)
  // The graph chooses its next agent itself.
  const { nextAgent: _, ...update } = asUpdate(state, turns.at(-1) ?? [], correlationId, threadId)
  const messages = [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...state.messages]
  return { update: { ...update, messages }, isRebuilt: true }
}

/** Each turn has at least one message, so that no more logs than messages need to be read. */
function recentLogs(
  runs: readonly RunRecord[],
  { storage, messageWindow }: Parts,
): Promise<readonly (readonly StoredEvent[])[]> {
  return Promise.all(runs.slice(-messageWindow).map(({ runId }) => logOf(runId, storage)))
}

/**
 * The LangGraph thread of a run's checkpoints: its own thread, or, if another question was asked there since, the run's
 * id, under which they are parked.
 */
export async function checkpointThread(
  runId: string,
  threadId: string,
  { events }: Pick<Storage, 'events'>,
): Promise<string> {
  const latest = await events.latestRun(threadId)
  return latest && latest.runId !== runId ? runId : threadId
}

/**
 * Puts the messages of a thread's state into the order of its turns after a run has ended that was not the latest. If
 * the latest run has not ended, its end does this.
 */
export async function restore(threadId: string, parts: Parts & { readonly graph: () => Graph }): Promise<void> {
  const runs = await parts.storage.events.runs({ threadId })
  const latest = runs.at(-1)
  const graph = parts.graph()
  const config = { configurable: { thread_id: threadId } }
  const { messages: found }: Partial<AgentState> = (await graph.getState(config)).values
  if (!latest || !hasEnded(latest.status.state) || !found) return
  const { messages } = threadStateOf(await recentLogs(runs, parts), parts.messageWindow)
  const same = ({ id, text }: BaseMessage, i: number) => id === found[i]?.id && text === found[i]?.text
  if (messages.length === found.length && messages.every(same)) return
  const agent = latest.status.state === 'clarification_needed' ? 'clarification' : 'synthesis'
  await graph.updateState(config, { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages] }, agent)
}
