import { setMaxListeners } from 'node:events'
import {
  type BaseCheckpointSaver,
  isGraphInterrupt,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { type AgentState, type AgentUpdate, agentState, type BaseAgent, turnReset } from '../agents/index.ts'
import { UnknownRoute } from '../errors.ts'
import { type Context, silentContext } from '../events/index.ts'
import { nextNode, routes } from './routing.ts'

/** The four agents of the workflow; each may be a person's own subclass of `BaseAgent`. */
export interface Agents {
  readonly orchestrator: BaseAgent
  readonly clarification: BaseAgent
  readonly research: BaseAgent
  readonly synthesis: BaseAgent
}

export type NodeName = keyof typeof routes

/** Gives a node the context of its run: the one that was passed in, or one that it opens itself. */
export type RunScope = (
  node: NodeName,
  state: AgentState,
  config: LangGraphRunnableConfig,
  work: (context: Context) => Promise<AgentUpdate>,
) => Promise<AgentUpdate>

export interface GraphOptions {
  readonly agents: Agents
  readonly checkpointer?: BaseCheckpointSaver
  readonly messageWindow?: number
  readonly scope?: RunScope
}

/** The workflow as a LangGraph graph: who runs, and who runs next. */
export function buildGraph({ agents, checkpointer, messageWindow, scope = unlogged }: GraphOptions) {
  const node = (name: NodeName) => (state: AgentState, config: LangGraphRunnableConfig) => {
    allowListeners(config)
    return scope(name, state, config, (context) => perform(name, agents[name], state, context))
  }
  const entry = (state: AgentState, config: LangGraphRunnableConfig) => {
    allowListeners(config)
    // A new human message starts a turn: what the last one left is cleared, but the orchestrator may still read it.
    const fresh = { ...state, iteration: 0 }
    return scope('orchestrator', fresh, config, async (context) => ({
      ...turnReset(),
      ...(await perform('orchestrator', agents.orchestrator, fresh, context)),
      runId: context.correlationId,
      sessionId: context.threadId,
    }))
  }
  const after = (name: NodeName) => (state: AgentState) => nextNode(name, state)
  return new StateGraph(agentState(messageWindow === undefined ? {} : { messageWindow }))
    .addNode('orchestrator', entry)
    .addNode('clarification', node('clarification'))
    .addNode('research', node('research'))
    .addNode('synthesis', node('synthesis'))
    .addEdge(START, 'orchestrator')
    .addConditionalEdges('orchestrator', after('orchestrator'), Object.values(routes.orchestrator))
    .addConditionalEdges('clarification', after('clarification'), Object.values(routes.clarification))
    .addConditionalEdges('research', after('research'), Object.values(routes.research))
    .addConditionalEdges('synthesis', after('synthesis'), Object.values(routes.synthesis))
    .compile(checkpointer ? { checkpointer } : {})
}

export type Graph = ReturnType<typeof buildGraph>

/** Every task of a step listens to its signal; Node.js would warn at the eleventh. */
function allowListeners({ signal }: LangGraphRunnableConfig): void {
  if (signal) setMaxListeners(0, signal)
}

/** One agent's work. An unknown route fails here, where the run still reports it. */
async function perform(name: NodeName, agent: BaseAgent, state: AgentState, context: Context): Promise<AgentUpdate> {
  const update = await agent.execute(state, context)
  const nextAgent = update.nextAgent ?? state.nextAgent
  nextNode(name, { nextAgent })
  if (name === 'synthesis' && nextAgent === 'research') allowHandBack(state, update)
  return update
}

/** Throws `UnknownRoute` unless a quick turn becomes a thorough one, so that synthesis returns it to research once at most. */
function allowHandBack({ context: before }: AgentState, { context: after }: AgentUpdate): void {
  if (before.effort === 'quick' && after?.effort === 'thorough') return
  throw new UnknownRoute('synthesis may hand a quick turn back to research once, as a thorough one, and no other turn.')
}

const unlogged: RunScope = (_node, _state, { configurable, signal }, work) => {
  const thread: unknown = configurable?.thread_id
  const threadId = typeof thread === 'string' ? thread : null
  const interruption = (error: unknown) =>
    error instanceof Error && isGraphInterrupt(error) ? ('approval' as const) : undefined
  return work({ ...silentContext(), threadId, interruption, ...(signal && { signal }) })
}

/**
 * In the configuration of each run, and so in the metadata of its checkpoints. It has another value when nodes, edges or
 * channels change (a test says which): a run that was interrupted before then starts its turn again, as its pending work
 * may not fit.
 */
export const graphVersion = { graph_fingerprint: '5ddda714de27673c' }
