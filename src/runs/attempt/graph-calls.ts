import type { RunnableConfig } from '@langchain/core/runnables'
import { Command, GraphInterrupt, INTERRUPT } from '@langchain/langgraph'
import type { AgentState } from '../../agents/state.ts'
import { type Context, type Event, fact, type StoredEvent } from '../../events/index.ts'
import { fingerprintKey, fingerprintOf } from '../../graph/fingerprint.ts'
import type { Graph } from '../../graph/graph.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ConversationBefore } from '../conversation-before.ts'
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

export interface ResumeParts {
  readonly graph: Graph
  readonly storage: Storage
  readonly created: Event<'run.created'>
  /** The thread under which the run's checkpoints are. */
  readonly place: string
  /** The conversation before the question, given the state that was found. */
  readonly conversation: (found: Partial<AgentState>) => Promise<ConversationBefore>
}

/** Finds out how far the graph has come with a run, and goes on from there: from the question, if it has not begun. */
export async function resumeGraph(context: Context, parts: ResumeParts): Promise<RunOutcome> {
  const { graph, storage, created, place, conversation } = parts
  const config = { configurable: { thread_id: place } }
  const runId = context.correlationId
  // What the channels hold is the state; it was written by this graph or one like it.
  const found = ((await storage.checkpointer.getTuple(config))?.checkpoint.channel_values ?? {}) as Partial<AgentState>
  if (found.runId !== runId) {
    const { update, isRebuilt } = await conversation(found)
    if (isRebuilt) await fact(context, 'notice', { code: 'state_rebuilt', message: stateRebuilt })
    return startTurn(context, parts, update)
  }
  const snapshot = await graph.getState(config)
  if (snapshot.tasks.length === 0) return outcomeOf(snapshot.values as AgentState)
  if (isOfAnotherGraph(snapshot, graph)) {
    const message = 'The workflow has changed since the run was interrupted, so that its turn starts again.'
    await fact(context, 'notice', { code: 'graph_changed', message })
    return startTurn(context, parts, { messages: [] })
  }
  const pauses = await pausesIn(storage, snapshot.config)
  if (pauses.length === 0) return invoke(graph, context, null, place)
  const decisions = decisionsIn(await collect(storage.events.read(created.correlationId)))
  return invoke(graph, context, new Command({ resume: Object.fromEntries(pauses.map((id) => [id, decisions])) }), place)
}

const stateRebuilt =
  "The thread's last checkpoint lacked turns that its log has, so that the conversation was rebuilt from the log."

/** Asks the question behind the conversation, which `update` puts in order. */
function startTurn(
  context: Context,
  { graph, created, place }: ResumeParts,
  update: ConversationBefore['update'],
): Promise<RunOutcome> {
  const { correlationId: runId, payload } = created
  const question = asked(runId, payload.question, additionsIn(context.log?.() ?? [], 'before'))
  const messages = [...update.messages, ...question]
  return invoke(graph, context, { ...update, messages, runId, sessionId: payload.threadId }, place)
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
