import { Command, GraphInterrupt } from '@langchain/langgraph'
import type { AgentState } from '../agents/state.ts'
import { type Context, fact, type StoredEvent } from '../events/index.ts'
import { fingerprintKey, fingerprintOf } from '../graph/fingerprint.ts'
import type { Graph } from '../graph/graph.ts'
import type { Storage } from '../storage/storage.ts'
import type { RunOutcome } from './attempt.ts'
import { askedAnew, toMessages } from './first-events.ts'
import { additionsIn } from './hooks/added-to-thread.ts'
import { decisionsIn } from './hooks/approval.ts'
import { outcomeOf } from './outcome.ts'
import type { HandedIn } from './plain-invocation.ts'

/** Runs the graph for a run, from new input (a state update), a command, or where it stopped (null). */
export async function invoke(graph: Graph, context: Context, input: unknown): Promise<RunOutcome> {
  let node: Promise<unknown> = Promise.resolve()
  const handedIn: HandedIn = {
    run: context,
    watch: (work) => {
      node = work
      return work
    },
  }
  const configurable = { thread_id: context.threadId, [fingerprintKey]: fingerprintOf(graph) }
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

/** Finds out how far the graph has come with a run, and goes on from there. */
export async function goOn(
  { graph: graphOf, storage }: { readonly graph: () => Graph; readonly storage: Storage },
  context: Context,
  question: string,
): Promise<RunOutcome> {
  const graph = graphOf()
  const snapshot = await graph.getState({ configurable: { thread_id: context.threadId } })
  const values = snapshot.values as Partial<AgentState>
  const runId = context.correlationId
  const startAgain = () => {
    const before = additionsIn(context.log?.() ?? [], 'before')
    const messages = askedAnew(runId, question, { before, messages: values.messages ?? [] })
    return invoke(graph, context, { messages, runId, sessionId: context.threadId })
  }
  if (values.runId !== runId) return startAgain()
  if (snapshot.tasks.length === 0) return outcomeOf(values as AgentState)
  if (isOfAnotherGraph(snapshot, graph)) {
    const message = 'The workflow has changed since the run was interrupted, so that its turn starts again.'
    await fact(context, 'notice', { code: 'graph_changed', message })
    return startAgain()
  }
  const pending = snapshot.tasks.flatMap(({ interrupts }) => interrupts)[0]
  if (!pending?.id) return invoke(graph, context, null)
  const log = await collect(storage.events.read(runId))
  return invoke(graph, context, new Command({ resume: { [pending.id]: decisionsIn(log) } }))
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
