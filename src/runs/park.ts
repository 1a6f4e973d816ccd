import { type BaseMessage, RemoveMessage } from '@langchain/core/messages'
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph'
import type { AgentState } from '../agents/state.ts'
import { hasEnded } from '../events/index.ts'
import type { Graph } from '../graph/graph.ts'
import type { Storage } from '../storage/storage.ts'
import { collect } from './attempt/graph-calls.ts'
import { threadStateOf } from './log/thread-state.ts'

interface Parts {
  readonly storage: Storage
  readonly graph: () => Graph
  /** How many messages a thread's state keeps. */
  readonly messageWindow: number
}

/**
 * Where a run's checkpoints are: under its thread, or, once another question was asked there, aside under its own id.
 * So it goes on where it stopped, whatever the thread has come to since.
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
 * Puts the messages of a thread's state into the order of its turns, as the log has them, after a run has ended that
 * was not the latest. Of a thread whose latest run goes on, that one's end does it.
 */
export async function restore(threadId: string, { storage, graph, messageWindow }: Parts): Promise<void> {
  const runs = await storage.events.runs({ threadId })
  const latest = runs.at(-1)
  const config = { configurable: { thread_id: threadId } }
  const { messages: found } = (await graph().getState(config)).values as Partial<AgentState>
  if (!latest || !hasEnded(latest.status.state) || !found) return
  const messages = await messagesOf(runs, { storage, messageWindow })
  if (isSame(messages, found)) return
  const agent = latest.status.state === 'clarification_needed' ? 'clarification' : 'synthesis'
  await graph().updateState(config, { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages] }, agent)
}

/** Each turn has a message at least, so that older ones than the window has room for need not be read. */
async function messagesOf(
  runs: readonly { readonly runId: string }[],
  { storage, messageWindow }: Pick<Parts, 'storage' | 'messageWindow'>,
): Promise<readonly BaseMessage[]> {
  const logs = runs.slice(-messageWindow).map(({ runId }) => collect(storage.events.read(runId)))
  return threadStateOf(await Promise.all(logs), messageWindow).messages
}

function isSame(some: readonly BaseMessage[], others: readonly BaseMessage[]): boolean {
  return (
    some.length === others.length && some.every(({ id, text }, i) => id === others[i]?.id && text === others[i]?.text)
  )
}
