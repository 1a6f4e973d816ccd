import type { BaseMessage } from '@langchain/core/messages'
import { Command, GraphInterrupt, INTERRUPT, isInterrupted } from '@langchain/langgraph'
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint'
import { type AgentState, type AgentUpdate, toldIn } from '../agents/index.ts'
import { type Context, type Event, fact } from '../events/index.ts'
import { type Graph, graphVersion } from '../graph/index.ts'
import type { RunOutcome } from './attempt.ts'
import { conversationBefore } from './conversation.ts'
import { asked, toMessages } from './hooks/added-to-thread.ts'
import { answersIn } from './hooks/approval.ts'
import { logOf, type TransferParts } from './log/read-log.ts'

/** What the runner passes to the graph: the run that its nodes belong to, and a watch on their work. */
export type RunOfNodes = {
  readonly run: Context
  readonly watch: (work: Promise<AgentUpdate>) => Promise<AgentUpdate>
}

type GraphInput = Parameters<Graph['invoke']>[0]

/** Runs the graph from a state update, by a command, or from where it stopped (null). `place`: as in `ResumeParts`. */
async function invoke(
  graph: Graph,
  context: Context,
  input: GraphInput,
  place = context.threadId,
): Promise<RunOutcome> {
  let node: Promise<unknown> = Promise.resolve()
  const passed: RunOfNodes = {
    run: context,
    watch: (work) => {
      node = work
      return work
    },
  }
  const configurable = { thread_id: place, ...graphVersion }
  const config = { configurable, context: passed, durability: 'sync' as const }
  const state = await graph.invoke(input, config).catch(async (error: unknown) => {
    // LangGraph abandons a node once a step of it throws, with an error of its own. The node continues until its spans
    // have ended, and then throws the original error.
    await node
    throw error
  })
  if (isInterrupted(state)) throw new GraphInterrupt(state[INTERRUPT])
  return outcomeOf(state)
}

interface ResumeParts extends TransferParts {
  readonly created: Event<'run.created'>
  /** The LangGraph thread of the run's checkpoints. */
  readonly place: string
}

/** Continues a run from its last checkpoint, or from the question if it has not begun. */
export async function resumeGraph(context: Context, parts: ResumeParts): Promise<RunOutcome> {
  const { storage, created, place } = parts
  const graph = parts.graph()
  const config = { configurable: { thread_id: place } }
  const runId = context.correlationId
  const tuple = await storage.checkpointer.getTuple(config)
  // The channels hold the state; it was written by this graph or one like it.
  const found: Partial<AgentState> = tuple?.checkpoint.channel_values ?? {}
  if (found.runId !== runId) {
    const { update, isRebuilt } = await conversationBefore(created, found, parts)
    if (isRebuilt) await fact(context, 'notice', { code: 'state_rebuilt', message: stateRebuilt })
    return startTurn(context, parts, update)
  }
  const snapshot = await graph.getState(config)
  if (snapshot.tasks.length === 0) return outcomeOf(snapshot.values)
  if (isOfAnotherGraph(snapshot.metadata)) {
    const message = 'The workflow has changed since the run was interrupted, so that its turn starts again.'
    await fact(context, 'notice', { code: 'graph_changed', message })
    return startTurn(context, parts, { messages: [] })
  }
  const pauses = pausesIn(tuple)
  if (pauses.length === 0) return invoke(graph, context, null, place)
  const decisions = answersIn(await logOf(runId, storage))
  return invoke(graph, context, new Command({ resume: Object.fromEntries(pauses.map((id) => [id, decisions])) }), place)
}

const stateRebuilt =
  "The thread's last checkpoint lacked turns that its log has, so that the conversation was rebuilt from the log."

/** Asks the question after the conversation before it. */
function startTurn(
  context: Context,
  { graph, created, place }: ResumeParts,
  update: Omit<AgentUpdate, 'messages'> & { readonly messages: readonly BaseMessage[] },
): Promise<RunOutcome> {
  const { correlationId: runId, payload } = created
  const question = asked(runId, payload.question, context.log?.() ?? [])
  const messages = [...update.messages, ...question]
  return invoke(graph(), context, { ...update, messages, runId, sessionId: payload.threadId }, place)
}

/**
 * Ids of the pauses in a checkpoint. Each task keeps its own: several specialists may wait at once, and a process that
 * was killed may have left one behind whose node had not paused yet. A node itself shows the last of them only.
 */
function pausesIn({ pendingWrites = [] }: Pick<CheckpointTuple, 'pendingWrites'> = {}): readonly string[] {
  const ids = pendingWrites.flatMap(([_task, channel, value]) =>
    channel === INTERRUPT && isPause(value) ? [value.id] : [],
  )
  return [...new Set(ids)]
}

function isPause(value: unknown): value is { readonly id: string } {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
}

/** Pending work of another graph may name nodes and channels that this one does not have. */
function isOfAnotherGraph(metadata: object = {}): boolean {
  return 'graph_fingerprint' in metadata && metadata.graph_fingerprint !== graphVersion.graph_fingerprint
}

/** Adds messages to a finished turn, as messages of its last agent. */
export function addTo(graph: () => Graph, threadId: string): NonNullable<Context['addToThread']> {
  return async (additions) => {
    const config = { configurable: { thread_id: threadId } }
    await graph().updateState(config, { messages: toMessages(additions) }, 'synthesis')
  }
}

/** The outcome of a run, from the final state of its graph. */
export function outcomeOf(state: AgentState): RunOutcome {
  const { ending, error } = state.context
  const { abstained, highlights } = toldIn(state.context)
  const asked = state.lastAgent === 'clarification'
  return {
    stopReason: asked ? 'clarification_needed' : ending ? 'limit_reached' : 'answered',
    ending,
    standaloneQuestion: state.standaloneQuestion,
    answer: state.finalAnswer ?? '',
    abstained,
    confidence: state.confidenceScore,
    clarification: asked ? state.finalAnswer : null,
    citations: state.citations,
    ...(state.calculations.length > 0 && { calculations: state.calculations }),
    ...(highlights.length > 0 && { highlights }),
    ...(state.sentences.length > 0 && { sentences: state.sentences }),
    unsupported: state.unsupported,
    error,
  }
}
