import { AIMessage, type BaseMessage, RemoveMessage } from '@langchain/core/messages'
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph'
import type { AgentState, AgentUpdate } from '../agents/index.ts'
import { RunNotFound } from '../errors.ts'
import { createdIn, type Event, hasEnded, type RunRecord, type RunState, type StoredEvent } from '../events/index.ts'
import type { Storage } from '../storage/index.ts'
import { logOf, type TransferParts } from './log/read-log.ts'
import { asUpdate, threadStateOf } from './log/thread-state.ts'

/** The change that makes a thread's state agree with its log. */
interface ConversationBefore {
  readonly update: Omit<AgentUpdate, 'messages'> & { readonly messages: readonly BaseMessage[] }
  /** The state disagreed with the log. */
  readonly isRebuilt: boolean
}

const unchanged: ConversationBefore = { update: { messages: [] }, isRebuilt: false }

const answered: ReadonlySet<RunState> = new Set(['completed', 'clarification_needed', 'limit_reached'])

/**
 * The conversation before a run: its thread's state without the draft of a failed run, or rebuilt from the log where the
 * state lacks a message. A process that was killed between a commit of the log and the checkpoint leaves such a state.
 */
export async function conversationBefore(
  created: Event<'run.created'>,
  found: Partial<AgentState>,
  parts: TransferParts,
): Promise<ConversationBefore> {
  const { threadId, turn, afterReset = false } = created.payload
  if (turn === 1 || afterReset) return unchanged
  // Each turn has at least one message, so that no more runs need to be read.
  const runs = await parts.storage.events.recentRuns(threadId, parts.messageWindow, turn)
  if (!found.messages) return { update: await rebuilt(created, runs, parts), isRebuilt: false }
  const before = await writerOf(found, created, parts)
  if (before === null) return unchanged
  if (before.turn < turn - 1 || lacksAnswer(found.messages, runs)) {
    const update = await rebuilt(created, runs, parts)
    // An agent of a person's own may have ended its turn without a message.
    return { update, isRebuilt: !isSame(update.messages.slice(1), found.messages) }
  }
  const draft = `${before.runId}-answer`
  const isDraft = !answered.has(before.status.state) && found.messages.some(({ id }) => id === draft)
  return isDraft ? { update: { messages: [new RemoveMessage({ id: draft })] }, isRebuilt: false } : unchanged
}

/** The run that wrote a state; null where the log does not have it on this thread. */
async function writerOf(
  { runId }: Partial<AgentState>,
  { payload: { threadId } }: Event<'run.created'>,
  { storage }: TransferParts,
): Promise<RunRecord | null> {
  if (!runId) return null
  const record = await storage.events.run(runId).catch((error: unknown) => {
    if (error instanceof RunNotFound) return null
    throw error
  })
  return record?.threadId === threadId ? record : null
}

/** True if the question of an answered run is followed by the next turn, or by nothing. */
function lacksAnswer(messages: readonly BaseMessage[], runs: readonly RunRecord[]): boolean {
  const questions = new Set(
    runs.flatMap(({ runId, status }) => (answered.has(status.state) ? [`${runId}-question`] : [])),
  )
  return messages.some(({ id = '' }, i) => questions.has(id) && !isAnswer(messages[i + 1]))
}

/** False also for what a hook added before the next question. */
function isAnswer(message: BaseMessage | undefined): boolean {
  return AIMessage.isInstance(message) && !message.id?.includes('-before-')
}

async function rebuilt(
  { correlationId, payload: { threadId } }: Event<'run.created'>,
  runs: readonly RunRecord[],
  parts: TransferParts,
): Promise<ConversationBefore['update']> {
  const turns = await logsOfRuns(runs, parts)
  const { messages } = threadStateOf(turns, parts.messageWindow)
  // A turn that was not answered leaves it open whether the one before it asked back.
  const last = turns.findLastIndex((log) => createdIn(log).payload.afterReset || hasResult(log))
  const state = threadStateOf(turns.slice(0, last + 1), parts.messageWindow)
  // The graph chooses its next agent itself.
  const { nextAgent: _, ...update } = asUpdate(state, turns[last] ?? [], correlationId, threadId)
  return { ...update, messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages] }
}

function isSame(messages: readonly BaseMessage[], others: readonly BaseMessage[]): boolean {
  const same = ({ id, text }: BaseMessage, i: number) => id === others[i]?.id && text === others[i]?.text
  return messages.length === others.length && messages.every(same)
}

function hasResult(log: readonly Event[]): boolean {
  return log.some(({ type }) => type === 'run.completed')
}

function logsOfRuns(
  runs: readonly RunRecord[],
  { storage }: TransferParts,
): Promise<readonly (readonly StoredEvent[])[]> {
  return Promise.all(runs.map(({ runId }) => logOf(runId, storage)))
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
  const latest = await events.latestRun(threadId, { begun: true })
  return latest && latest.runId !== runId ? runId : threadId
}

/**
 * Puts the messages of a thread's state into the order of its turns after a run has ended that was not the latest. If
 * the latest run has not ended, its end does this.
 */
export async function restore(threadId: string, parts: TransferParts): Promise<void> {
  const runs = await parts.storage.events.recentRuns(threadId, parts.messageWindow)
  const latest = runs.at(-1)
  const graph = parts.graph()
  const config = { configurable: { thread_id: threadId } }
  const { messages: found }: Partial<AgentState> = (await graph.getState(config)).values
  if (!latest || !hasEnded(latest.status.state) || !found) return
  const { messages } = threadStateOf(await logsOfRuns(runs, parts), parts.messageWindow)
  if (isSame(messages, found)) return
  const agent = latest.status.state === 'clarification_needed' ? 'clarification' : 'synthesis'
  await graph.updateState(config, { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages] }, agent)
}
