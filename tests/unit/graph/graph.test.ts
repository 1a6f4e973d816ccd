import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { describe, expect, it } from 'vitest'
import { type AgentState, createInitialState, emptyContext } from '../../../src/agents/state.ts'
import { UnknownRoute } from '../../../src/errors.ts'
import { buildGraph } from '../../../src/graph/graph.ts'
import { StubAgent, stubAgents } from './stub-agent.ts'

const ask = (text: string) => ({ messages: [new HumanMessage(text)] })
const onThread = (thread_id: string) => ({ configurable: { thread_id } })

describe('the graph', () => {
  it('runs a person’s own agents with any checkpointer, and nothing else of this package', {
    tags: ['R35'],
  }, async () => {
    const answer = new StubAgent('synthesis', ({ messages }) => ({
      nextAgent: 'END',
      finalAnswer: `You said ${messages.length} things.`,
      messages: [new AIMessage('Yes.')],
    }))
    const graph = buildGraph({ agents: stubAgents({ synthesis: answer }), checkpointer: new MemorySaver() })
    const state = createInitialState([new HumanMessage('What?')], 't')
    expect(await graph.invoke(state, onThread('t'))).toMatchObject({
      finalAnswer: 'You said 1 things.',
      sessionId: 't',
    })
    expect(await graph.invoke(ask('And?'), onThread('t'))).toMatchObject({ finalAnswer: 'You said 3 things.' })
    expect(await buildGraph({ agents: stubAgents() }).invoke(ask('What?'))).toMatchObject({ finalAnswer: 'This.' })
  })

  it.each(['orchestrator', 'clarification', 'research', 'synthesis'] as const)(
    'fails with a clear error when %s leads nowhere',
    { tags: ['R4'] },
    async (name) => {
      const lost = new StubAgent(name, { nextAgent: 'elsewhere' })
      const toClarification = new StubAgent('orchestrator', { nextAgent: 'clarification' })
      const agents = stubAgents({ ...(name === 'clarification' && { orchestrator: toClarification }), [name]: lost })
      const running = buildGraph({ agents }).invoke(ask('What?'))
      await expect(running).rejects.toThrow(UnknownRoute)
      await expect(running).rejects.toThrow(`${name} set nextAgent to "elsewhere"`)
    },
  )

  it('begins a turn with each human message, and keeps messages and clarification tracking', {
    tags: ['R33'],
  }, async () => {
    const seen: AgentState[] = []
    const research = new StubAgent('research', (state) => {
      seen.push(structuredClone({ ...state, messages: [] }))
      return {
        nextAgent: 'synthesis',
        clarificationCount: 1,
        missingContext: ['x'],
        standaloneQuestion: 'old',
        context: { ...emptyContext(), toolHistory: ['pdf_retrieval'], finalOutput: 'old' },
        unsupported: [{ text: 'old', reason: 'old' }],
        finalAnswer: 'old',
        confidenceScore: 0.1,
      }
    })
    const graph = buildGraph({ agents: stubAgents({ research }), checkpointer: new MemorySaver() })
    await graph.invoke(ask('One?'), onThread('t'))
    const { messages } = await graph.invoke(ask('Two?'), onThread('t'))
    expect(messages.map(({ text }) => text)).toEqual(['One?', 'Two?'])
    expect(seen[1]).toMatchObject({
      clarificationCount: 1,
      iteration: 1,
      missingContext: [],
      standaloneQuestion: null,
      context: emptyContext(),
      finalAnswer: null,
      confidenceScore: null,
      citations: [],
      unsupported: [],
    })
  })

  it('takes partial updates, and gives agents a state that they need not change', { tags: ['R3'] }, async () => {
    const orchestrator = new StubAgent('orchestrator', (state) => {
      Object.freeze(state)
      return { nextAgent: 'research', standaloneQuestion: 'Rewritten?' }
    })
    const state = await buildGraph({ agents: stubAgents({ orchestrator }) }).invoke(ask('What?'))
    expect(state).toMatchObject({ standaloneQuestion: 'Rewritten?', finalAnswer: 'This.', clarificationCount: 0 })
  })

  it('keeps a bounded window of messages', async () => {
    const agents = stubAgents()
    const graph = buildGraph({ agents, checkpointer: new MemorySaver(), messageWindow: 3 })
    for (const n of [1, 2, 3, 4, 5]) await graph.invoke(ask(`${n}`), onThread('t'))
    const { values } = await graph.getState(onThread('t'))
    expect((values as AgentState).messages.map(({ text }) => text)).toEqual(['3', '4', '5'])
  })
})
