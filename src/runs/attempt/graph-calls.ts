import type { BaseMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { Command, GraphInterrupt, INTERRUPT } from '@langchain/langgraph'
import type { AgentState } from '../../agents/state.ts'
import { type Context, fact, type StoredEvent } from '../../events/index.ts'
import { fingerprintKey, fingerprintOf } from '../../graph/fingerprint.ts'
import type { Graph } from '../../graph/graph.ts'
import type { Storage } from '../../storage/storage.ts'
import { additionsIn } from '../hooks/added-to-thread.ts'
import { decisionsIn } from '../hooks/approval.ts'
import type { RunOutcome } from './attempt.ts'
import { asked, toMessages } from './first-events.ts'
import { outcomeOf } from './outcome.ts'
import type { HandedIn } from './plain-invocation.ts'

/**
 * Runs the graph for a run, from new input (a state update), a command, or where it stopped (null). `place` is the thread
 * under which its checkpoints are.
 */
export async function invoke(
  graph: Graph,
  context: Context,
  input: unknown,
  place = context.threadId,
): Promise<RunOutcome> {
  let node: Promise<unknown> = Promise.resolve()
  const handedIn: HandedIn = {
    run: context,
    watch: (work) => {
      node = work
      return work
    },
  }
  const configurable = { thread_id: place, [fingerprintKey]: fingerprintOf(graph) }
  const config = { configurable, context: handedIn, durability: 'sync' }
  // The types of `invoke` know only state updates.
  const state = await graph.invoke(input as never, config as never).catch(async (error: unknown) => {
    // LangGraph gives up on a node once a step of it throws, with an error of its own making. The node goes on until
    // its spans have ended, and then throws what really happened.
    await node
    throw error
  })
  if ('__interrupt__' in state) throw new GraphInterrupt(state.__interrupt__ as never)
  return outcomeOf(state as AgentState)
}

export interface GoOn {
  readonly graph: Graph
  readonly storage: Storage
  readonly question: string
  /** The thread under which the run's checkpoints are. */
  readonly place: string
  /** The conversation before the question, for a place where there is none yet. */
  readonly conversation: () => Promise<readonly BaseMessage[]>
}

/** Finds out how far the graph has come with a run, and goes on from there. */
export async function goOn(
  context: Context,
  { graph, storage, question, place, conversation }: GoOn,
): Promise<RunOutcome> {
  const snapshot = await graph.getState({ configurable: { thread_id: place } })
  const values = snapshot.values as Partial<AgentState>
  const runId = context.correlationId
  const startAgain = async () => {
    const earlier = values.messages ? [] : await conversation()
    const messages = [...earlier, ...asked(runId, question, additionsIn(context.log?.() ?? [], 'before'))]
    return invoke(graph, context, { messages, runId, sessionId: context.threadId }, place)
  }
  if (values.runId !== runId) return startAgain()
  if (snapshot.tasks.length === 0) return outcomeOf(values as AgentState)
  if (isOfAnotherGraph(snapshot, graph)) {
    const message = 'The workflow has changed since the run was interrupted, so that its turn starts again.'
    await fact(context, 'notice', { code: 'graph_changed', message })
    return startAgain()
  }
  const pauses = await pausesIn(storage, snapshot.config)
  if (pauses.length === 0) return invoke(graph, context, null, place)
  const decisions = decisionsIn(await collect(storage.events.read(runId)))
  return invoke(graph, context, new Command({ resume: Object.fromEntries(pauses.map((id) => [id, decisions])) }), place)
}

/**
 * Ids of the pauses in a checkpoint. Each task keeps its own: several specialists may wait at once, and a process that
 * was killed may have left one behind whose node had not paused yet. A node itself shows the last of them only.
 */
async function pausesIn({ checkpointer }: Storage, config: RunnableConfig): Promise<readonly string[]> {
  const { pendingWrites = [] } = (await checkpointer.getTuple(config)) ?? {}
  const ids = pendingWrites.flatMap(([_task, channel, value]) =>
    channel === INTERRUPT && isPause(value) ? [value.id] : [],
  )
  return [...new Set(ids)]
}

function isPause(value: unknown): value is { readonly id: string } {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
}

/** What is pending in a checkpoint of another graph may name nodes and channels that this one does not have. */
function isOfAnotherGraph({ metadata }: { readonly metadata?: object | undefined }, graph: Graph): boolean {
  const fingerprint: unknown = (metadata as Record<string, unknown> | undefined)?.[fingerprintKey]
  return fingerprint !== undefined && fingerprint !== fingerprintOf(graph)
}

/** How a finished turn takes messages: as if its last agent had said them. */
export function addTo(graph: () => Graph, threadId: string): NonNullable<Context['addToThread']> {
  return async (additions) => {
    const config = { configurable: { thread_id: threadId } }
    await graph().updateState(config, { messages: toMessages(additions) }, 'synthesis')
  }
}

/** All events of a log. */
export async function collect(events: AsyncIterable<StoredEvent>): Promise<StoredEvent[]> {
  const all: StoredEvent[] = []
  for await (const each of events) all.push(each)
  return all
}
