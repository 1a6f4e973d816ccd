import { describe, expect, it } from 'vitest'
import { BaseAgent } from '../../../src/agents/base-agent.ts'
import { type AgentState, type AgentUpdate, createInitialState } from '../../../src/agents/state.ts'
import { type Event, silentContext } from '../../../src/events/index.ts'

class Careful extends BaseAgent {
  readonly name = 'careful'
  protected process(): Promise<AgentUpdate> {
    return Promise.reject(new Error('lost'))
  }
  protected override async recover(error: unknown): Promise<AgentUpdate> {
    return { nextAgent: 'END', finalAnswer: String(error) }
  }
}

class Careless extends BaseAgent {
  readonly name = 'careless'
  protected process(state: AgentState): Promise<AgentUpdate> {
    return state.iteration > 5 ? Promise.reject(new Error('lost')) : Promise.resolve({})
  }
}

const state = (iteration: number) => Object.freeze({ ...createInitialState([], 't'), iteration })

describe('an agent', () => {
  it('sets lastAgent and adds 1 to iteration, on its error path too', { tags: ['R5'] }, async () => {
    expect(await new Careless().execute(state(0), silentContext())).toEqual({ lastAgent: 'careless', iteration: 1 })
    expect(await new Careful().execute(state(6), silentContext())).toEqual({
      nextAgent: 'END',
      finalAnswer: 'Error: lost',
      lastAgent: 'careful',
      iteration: 7,
    })
  })

  it('works inside a span of its own name', async () => {
    const log: Event[] = []
    const context = { ...silentContext(), emit: async (event: Event) => void log.push(event) }
    await new Careful().execute(state(0), context)
    expect(log).toMatchObject([
      { type: 'agent.started', agent: 'careful', payload: { name: 'careful', iteration: 1 } },
      { type: 'agent.completed', agent: 'careful', payload: { nextAgent: 'END' } },
    ])
  })

  it('ends the run with its error, unless it knows a way out; a pause or a stop is never its to recover', async () => {
    await expect(new Careless().execute(state(6), silentContext())).rejects.toThrow('lost')
    const stopping = { ...silentContext(), interruption: () => 'cancelled' as const }
    await expect(new Careful().execute(state(0), stopping)).rejects.toThrow('lost')
  })
})
