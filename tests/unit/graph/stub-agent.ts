import { BaseAgent } from '../../../src/agents/base-agent.ts'
import type { AgentState, AgentUpdate } from '../../../src/agents/state.ts'
import type { Context } from '../../../src/events/index.ts'
import type { Agents } from '../../../src/graph/graph.ts'

/** A person's own agent: returns what it is made with, or what a function makes of the state. */
export class StubAgent extends BaseAgent {
  readonly name: string
  readonly #update: AgentUpdate | ((state: AgentState, context: Context) => AgentUpdate | Promise<AgentUpdate>)

  constructor(
    name: string,
    update: AgentUpdate | ((state: AgentState, context: Context) => AgentUpdate | Promise<AgentUpdate>),
  ) {
    super()
    this.name = name
    this.#update = update
  }

  protected async process(state: AgentState, context: Context): Promise<AgentUpdate> {
    return typeof this.#update === 'function' ? this.#update(state, context) : this.#update
  }
}

/** Four agents that go straight through, unless some are replaced. */
export function stubAgents(own: Partial<Agents> = {}): Agents {
  return {
    orchestrator: new StubAgent('orchestrator', { nextAgent: 'research' }),
    clarification: new StubAgent('clarification', { nextAgent: 'END', finalAnswer: 'Which?' }),
    research: new StubAgent('research', { nextAgent: 'synthesis' }),
    synthesis: new StubAgent('synthesis', { nextAgent: 'END', finalAnswer: 'This.', confidenceScore: 0.9 }),
    ...own,
  }
}
