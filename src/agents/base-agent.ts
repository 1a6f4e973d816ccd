import { type Context, span } from '../events/index.ts'
import { type AgentState, type AgentUpdate, toldIn } from './state.ts'

/**
 * One node of the graph: reads the state, returns what changes. An agent keeps no state of its own between calls,
 * and never changes the state it is given.
 */
export abstract class BaseAgent {
  /** The node's name; it stands in `lastAgent` and on every event the agent causes. */
  abstract readonly name: string

  /** The agent's work. `nextAgent` in the update decides where the graph goes. */
  protected abstract process(state: AgentState, context: Context): Promise<AgentUpdate>

  /** What to do when `process` throws; by default the error ends the run. */
  protected recover(error: unknown, _state: AgentState, _context: Context): Promise<AgentUpdate> {
    return Promise.reject(error)
  }

  /** Receive, process, update, return: inside the agent's span, so hooks and events apply to every agent alike. */
  async execute(state: AgentState, context: Context): Promise<AgentUpdate> {
    const iteration = state.iteration + 1
    const here = { ...context, agent: this.name }
    const work = async (_: unknown, inner: Context) => {
      const update = { ...(await this.#attempt(state, inner)), lastAgent: this.name, iteration }
      const clarification = clarificationIn(update)
      const { nextAgent = state.nextAgent, standaloneQuestion } = update
      return {
        update,
        nextAgent,
        ...(standaloneQuestion && { standaloneQuestion }),
        ...(clarification && { clarification }),
      }
    }
    const { update } = await span(here, 'agent', { name: this.name, iteration }, work)
    return update
  }

  async #attempt(state: AgentState, context: Context): Promise<AgentUpdate> {
    try {
      return await this.process(state, context)
    } catch (error) {
      if (context.interruption(error)) throw error
      return this.recover(error, state, context)
    }
  }
}

/** The decision to ask back as the log keeps it: the thread's state can be rebuilt from the log alone. */
function clarificationIn({ clarificationNeeded, clarificationCount, missingContext, context }: AgentUpdate) {
  if (!clarificationNeeded) return undefined
  return {
    count: clarificationCount ?? 1,
    missingContext: [...(missingContext ?? [])],
    candidates: context ? toldIn(context).candidates : [],
  }
}
